"""c2sp.org/tlog-witness over real sockets: what is answered, and what is not waited for."""

import hashlib
import http.client
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.remote.witnesses import NAME, Machines
from tests.trust.witnesses import head_of, note_of, tree_of

from nightledger.gate.integrity.witnessing import read_policy
from nightledger.gate.opening import sign_head
from nightledger.remote.cosigner import add_logs, open_witness
from nightledger.remote.witness_ways import HttpChannel, LogView, WitnessUnreachableError, ask_witness
from nightledger.trust.note import parse_note
from nightledger.trust.policy import parse_policy
from nightledger.trust.proof import Continuation, dump_continuation

CHECKOUT = Path(__file__).resolve().parents[2]


def view(machines: Machines) -> LogView:
    """This home's log as its witness is asked about it."""
    desk = machines.desk
    sign_head(desk.gate, desk.moment)
    ledger = desk.ledger()
    note = parse_note(Path(desk.home.checkpoint).read_bytes())
    return LogView(note=note, tree=ledger.log.tree, policy=read_policy(desk.home, ledger, desk.moment))


def post(url: str, body: bytes, path: str = "/add-checkpoint") -> tuple[int, str, bytes]:
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)) as connection:
        connection.request("POST", path, body)
        with connection.getresponse() as response:
            return response.status, response.getheader("Content-Type", ""), response.read()


def test_a_head_is_cosigned_and_shown(machines: Machines) -> None:
    with machines.serving() as url:
        seen = view(machines)
        asked = ask_witness(NAME, HttpChannel(url=url), seen, 0)
        assert (asked.problem, asked.size) == ("", seen.head.size)
        assert len(asked.cosigned[0].lines) == len(machines.box.vkeys)
        shown = HttpChannel(url=url).newest(hashlib.sha256(seen.head.origin.encode()).hexdigest())
    assert shown is not None
    assert parse_note(shown).text == seen.note.text


def test_a_witness_that_serves_learns_of_a_log_that_is_added_and_waits_for_a_list_that_is_none(
    machines: Machines, capfd: pytest.CaptureFixture[str]
) -> None:
    listed = machines.box.directory / "logs"
    known = listed.read_bytes()
    listed.unlink()
    machines.box = open_witness(machines.box.directory)
    request = dump_continuation(
        Continuation(old_size=0, hashes=(), checkpoint=Path(machines.desk.home.checkpoint).read_bytes())
    )
    with machines.serving() as url:
        assert post(url, request)[0] == 404
        listed.write_bytes(b"nonsense\n")
        assert post(url, request)[0] == 503
        with pytest.raises(WitnessUnreachableError, match="503"):
            HttpChannel(url=url).newest("00" * 32)
        listed.unlink()
        add_logs(machines.box.directory, parse_policy(known, where="logs").logs)
        assert post(url, request)[0] == 200
    assert capfd.readouterr().err.count("is no word of a policy") == 2


def test_statuses_and_content_types_are_those_of_the_specification(machines: Machines) -> None:
    request = dump_continuation(
        Continuation(old_size=7, hashes=(), checkpoint=Path(machines.desk.home.checkpoint).read_bytes())
    )
    head = dump_continuation(
        Continuation(old_size=0, hashes=(), checkpoint=Path(machines.desk.home.checkpoint).read_bytes())
    )
    stranger = dump_continuation(
        Continuation(old_size=0, hashes=(), checkpoint=note_of(head_of(tree_of(2), origin="other/log")))
    )
    with machines.serving() as url:
        assert post(url, request)[0] == 400
        status, kind, body = post(url, head)
        assert (status, kind) == (200, "text/plain; charset=utf-8")
        assert body.startswith("— ".encode())
        assert post(url, head) == (409, "text/x.tlog.size", b"1\n")
        assert post(url, stranger)[0] == 404
        assert post(url, head.replace(b"\n1\n", b"\n2\n"))[0] == 403
        assert post(url, b"nonsense")[0] == 400
        assert post(url, head, "/elsewhere")[0] == 404
        assert HttpChannel(url=url).newest("00" * 32) is None
        assert HttpChannel(url=url).newest("x") is None

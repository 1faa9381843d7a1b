"""c2sp.org/tlog-witness over real sockets: what is answered, and what is not waited for."""

import hashlib
import http.client
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.remote.witnesses import Machines
from tests.trust.witnesses import head_of, note_of, tree_of

from nightledger.remote.cosigner import add_logs, open_witness
from nightledger.trust.policy import parse_policy
from nightledger.trust.proof import Continuation, dump_continuation


def post(url: str, body: bytes | None, path: str = "/add-checkpoint") -> tuple[int, str, bytes]:
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)) as connection:
        connection.request("GET" if body is None else "POST", path, body)
        with connection.getresponse() as response:
            return response.status, response.getheader("Content-Type", ""), response.read()


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
        listed.unlink()
        add_logs(machines.box.directory, parse_policy(known, where="logs").logs)
        assert post(url, request)[0] == 200
    assert capfd.readouterr().err.count("is no word of a policy") == 1


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
        kept = next((machines.box.directory / "heads").iterdir()).read_bytes()
        origin = hashlib.sha256(machines.desk.home.identity.origin.encode()).hexdigest()
        assert post(url, None, f"/{origin}/checkpoint")[2] == kept
        assert post(url, None, f"/{'0' * 64}/checkpoint")[0] == 404

"""c2sp.org/tlog-witness over real sockets: what is answered, and what is not waited for."""

import hashlib
import http.client
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.remote.witnesses import Machines
from tests.trust.witnesses import head_of, note_of, tree_of

from nightledger.remote.cosigner import add_logs
from nightledger.trust.policy import Continuation, dump_continuation, parse_policy


def ask(url: str, body: bytes | None, path: str = "/add-checkpoint") -> tuple[int, str, bytes]:
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)) as connection:
        connection.request("GET" if body is None else "POST", path, body)
        with connection.getresponse() as response:
            return response.status, response.getheader("Content-Type", ""), response.read()


def request_of(checkpoint: bytes, old: int = 0) -> bytes:
    return dump_continuation(Continuation(old_size=old, hashes=(), checkpoint=checkpoint))


def test_statuses_and_content_types_are_those_of_the_specification_and_logs_are_learned_while_it_serves(
    machines: Machines, capfd: pytest.CaptureFixture[str]
) -> None:
    listed, mine = machines.box.directory / "logs", Path(machines.desk.home.checkpoint).read_bytes()
    known = listed.read_bytes()
    listed.unlink()
    with machines.serving() as url:
        assert ask(url, request_of(mine))[0] == 404
        listed.write_bytes(b"nonsense\n")
        assert ask(url, request_of(mine))[0] == 503
        listed.unlink()
        add_logs(machines.box.directory, parse_policy(known, where="logs").logs)
        assert ask(url, request_of(mine, old=7))[0] == 400
        status, kind, body = ask(url, request_of(mine))
        assert (status, kind) == (200, "text/plain; charset=utf-8")
        assert body.startswith("— ".encode())
        assert ask(url, request_of(mine)) == (409, "text/x.tlog.size", b"1\n")
        assert ask(url, request_of(note_of(head_of(tree_of(2), origin="other/log"))))[0] == 404
        assert ask(url, request_of(mine).replace(b"\n1\n", b"\n2\n"))[0] == 403
        assert ask(url, b"nonsense")[0] == 400
        assert ask(url, request_of(mine), "/elsewhere")[0] == 404
        origin = hashlib.sha256(machines.desk.home.identity.origin.encode()).hexdigest()
        kept = (machines.box.directory / "heads" / origin).read_bytes()
        assert ask(url, None, f"/{origin}/checkpoint")[2] == kept
        assert ask(url, None, f"/{'0' * 64}/checkpoint")[0] == 404
    assert capfd.readouterr().err.count("is no word of a policy") == 1

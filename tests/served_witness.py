"""A witness that answers over HTTP on a free port of this machine, by a clock that the test sets."""

import http.client
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from tests.blackbox.world import serving

from nightledger.remote.cosigner import open_server


@contextmanager
def served_witness(directory: Path, now: Callable[[], datetime]) -> Iterator[str]:
    """Serve the witness of a directory; give its address."""
    server = open_server(("127.0.0.1", 0), directory, now)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_address[1]}"


def post(url: str, body: bytes) -> tuple[int, str]:
    """Ask for a cosignature; give status and body of the answer."""
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)) as connection:
        connection.request("POST", "/add-checkpoint", body)
        with connection.getresponse() as response:
            return response.status, response.read().decode()

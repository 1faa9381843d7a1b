"""Ask what the operator named in ``operator.yaml``: a server, for one bounded answer, or a file beside it.

Invariant: plain HTTP leaves this machine only where the operator said so; no redirect is followed, because it would
take texts and passwords elsewhere; no message holds an address or a path, for many a calendar's address is its secret.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from nightledger.domain.errors import NightledgerError
from nightledger.files.reading import read_regular
from nightledger.remote.transport import Caller, TransportError, is_loopback

MAX_SECRET_BYTES = 4096


class OutsideError(NightledgerError):
    """What was named cannot be asked or read; the message goes on after its name."""


def ask(
    url: str,
    *,
    patience_s: float,
    max_bytes: int,
    insecure: bool = False,
    body: tuple[str, bytes] | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> tuple[int, bytes]:
    """Return status and content of an answer.

    Args:
        url: The address, with its query.
        patience_s: For the request and all of the answer.
        max_bytes: The largest answer that is read.
        insecure: Whether plain HTTP may leave this machine.
        body: Method and content of what is sent; None for ``GET``.
        headers: Sent with it.

    Raises:
        OutsideError: There is no answer in time, a larger one, or it may not be asked.
    """
    parts = urlsplit(url)
    if not (parts.scheme == "https" or is_loopback(parts.hostname or "") or insecure):
        raise OutsideError(
            "is beyond this machine, and plain HTTP can be read on the way: use https",
            hint="or set insecure_plain_http: true for it in operator.yaml",
        )
    place = f"{parts.scheme}://{parts.netloc}"
    caller = Caller(url=place, max_bytes=max_bytes, timeout_s=patience_s, patience_s=patience_s)
    method, content = body or ("GET", None)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    try:
        status, _, answer = caller.exchange(method, target, content, headers)
    except TransportError as error:
        raise OutsideError(_why(error.__cause__, patience_s, max_bytes)) from error
    return status, answer


def _why(cause: BaseException | None, patience_s: float, max_bytes: int) -> str:
    if cause is None:
        return f"has more than {max_bytes:,} bytes"
    if isinstance(cause, TimeoutError):
        return f"did not answer within {patience_s:g} s"
    said = cause.strerror if isinstance(cause, OSError) and cause.strerror else type(cause).__name__
    return f"does not answer ({said})"


def read_named(path: str, most: int, what: str) -> bytes:
    """Return the bytes of a file that the operator named.

    Raises:
        OutsideError: It cannot be read.
    """
    try:
        return read_regular(path, most)
    except NightledgerError as error:
        raise OutsideError(f"cannot be read: the {what} {str(error).replace(path, '').strip()}") from error


def read_secret(path: str, what: str) -> str:
    """Return the first line of a file that only its owner may read.

    Raises:
        OutsideError: It cannot be read, or others may read or write it.
    """
    raw = read_named(path, MAX_SECRET_BYTES, what)
    if os.stat(path).st_mode & 0o077:
        raise OutsideError(f"cannot be asked: others may read or write its {what} (chmod 600)")
    return raw.decode("utf-8", "replace").split("\n")[0].strip()

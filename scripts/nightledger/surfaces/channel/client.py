"""The client's side of HTTP: one request, one bounded answer, no redirects, no proxies.

Invariant: plain HTTP leaves this machine only where the operator said so.
"""

import http.client
import ipaddress
import json
from urllib.parse import urlsplit

from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.domain.operator import PeerAddress
from nightledger.surfaces.channel.server import CONTENT_TYPE, MESSAGE_PATH, PORT
from nightledger.surfaces.limited_client import ended_after

TIMEOUT_S = 90.0
"""Longer than the receiver waits for other messages; a night's run may be before us."""
_STEPS = 3
"""A request and its answer may take so many times as long as one step."""
_MAX_ERROR_BYTES = 4096
_CLIENT_ERRORS = range(400, 500)
_AGAIN = (408, 425, 429)
"""Client errors that a later try may mend (RFC 9110, RFC 6585, RFC 8470)."""


class TransportError(NightledgerError):
    """The message did not arrive, or no answer came; the same bytes may be sent again."""


class FinalError(NightledgerError):
    """The machine will not take this message, however often it comes."""


def post(address: PeerAddress, envelope: bytes, max_bytes: int, *, timeout_s: float = TIMEOUT_S) -> bytes:
    """Send an envelope and give the bytes of the answer, not yet verified.

    Raises:
        ConfigurationError: It would leave this machine unencrypted, and nobody said that it may.
        TransportError: Try again.
        FinalError: It is of no use to try again.
    """
    status, content = _exchange(
        address, "POST", MESSAGE_PATH, envelope, max_bytes=max_bytes, timeout_s=timeout_s
    )
    if status == http.client.OK:
        return content
    message = f"{address.url} answered {status}: {_said(content)}"
    if status in _CLIENT_ERRORS and status not in _AGAIN:
        raise FinalError(message)
    raise TransportError(message)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine; a name is one only where it is ``localhost``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _exchange(
    address: PeerAddress, method: str, path: str, body: bytes, *, max_bytes: int, timeout_s: float
) -> tuple[int, bytes]:
    connection = _connection(address, timeout_s)
    try:
        with ended_after(connection, _STEPS * timeout_s):
            connection.request(method, path, body or None, {"Content-Type": CONTENT_TYPE} if body else {})
            with connection.getresponse() as response:  # one not read to its end keeps its socket open
                content = response.read(max_bytes + 1)
    except (OSError, http.client.HTTPException) as error:
        raise TransportError(
            f"{address.url} does not answer ({str(error) or type(error).__name__})"
        ) from error
    finally:
        connection.close()
    if len(content) > max_bytes:
        raise TransportError(f"{address.url} answered with more than {max_bytes} bytes")
    return response.status, content


def _connection(address: PeerAddress, timeout_s: float) -> http.client.HTTPConnection:
    parts = urlsplit(address.url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout_s)
    if not is_loopback(host) and not address.insecure_plain_http:
        raise ConfigurationError(
            f"{address.url} is beyond this machine, and plain HTTP can be read on the way",
            hint="use https, a tunnel or a spool; or set insecure_plain_http: true in operator.yaml",
        )
    return http.client.HTTPConnection(host, parts.port or PORT, timeout=timeout_s)


def _said(content: bytes) -> str:
    try:
        return str(json.loads(content[:_MAX_ERROR_BYTES])["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "nothing that can be read"

"""The home's side of C2SP tlog-witness over HTTP: one request, one bounded answer, no redirects, no proxies.

Invariant: nothing is believed for where it came from; signatures tell what counts, so plain
HTTP costs no more than that others can see how long the log is.
"""

import http.client
from dataclasses import dataclass
from urllib.parse import urlsplit

from nightledger.surfaces.limited_client import ended_after
from nightledger.trust.cosigning import Exchange, WitnessUnreachableError
from nightledger.trust.note import MAX_NOTE_BYTES
from nightledger.trust.witness import Answer

TIMEOUT_S = 5.0
"""For each step of a connection; a night must not wait for a machine that is off. Our choice."""
PATIENCE_S = 20.0
"""For a request and its answer: a witness that drips must not hold up the others, and what waits for them."""
MAX_ANSWER_BYTES = 1 << 18
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpChannel:
    """A witness at an address.

    Attributes:
        url: Submission and monitoring prefix, without a slash at its end.
        timeout_s: How long each step may take.
        patience_s: How long a request and its answer may take together.
    """

    url: str
    timeout_s: float = TIMEOUT_S
    patience_s: float = PATIENCE_S

    def ask(self, request: bytes) -> Exchange:
        """Send a request; see :class:`nightledger.trust.cosigning.Channel`."""
        status, kind, body = self._exchange("POST", "/add-checkpoint", request, MAX_ANSWER_BYTES)
        return Exchange(request=request, answer=Answer(status=status, body=body, content_type=kind))

    def newest(self, origin_sha256: str) -> bytes | None:
        """Give the newest head that the witness cosigned for a log."""
        status, _, body = self._exchange("GET", f"/{origin_sha256}/checkpoint", None, MAX_NOTE_BYTES)
        if status == _NOT_FOUND:
            return None
        if status != http.client.OK:
            raise WitnessUnreachableError(f"{self.url} answered {status}")
        return body

    def _exchange(self, method: str, path: str, body: bytes | None, limit: int) -> tuple[int, str, bytes]:
        parts = urlsplit(self.url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        try:
            connection = kinds[parts.scheme](parts.hostname or "", parts.port, timeout=self.timeout_s)
        except (KeyError, ValueError) as error:
            raise WitnessUnreachableError(f"{self.url} is no address") from error
        try:
            with ended_after(connection, self.patience_s):
                connection.request(method, f"{parts.path.rstrip('/')}{path}", body)
                response = connection.getresponse()
                content = response.read(limit + 1)
        except (OSError, http.client.HTTPException) as error:
            said = str(error) or type(error).__name__
            raise WitnessUnreachableError(f"{self.url} does not answer ({said})") from error
        finally:
            connection.close()
        if len(content) > limit:
            raise WitnessUnreachableError(f"{self.url} answered with more than {limit} bytes")
        return response.status, response.getheader("Content-Type", ""), content

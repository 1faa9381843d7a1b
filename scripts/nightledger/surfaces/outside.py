"""Ask what the operator named in ``operator.yaml``: a server, for one bounded answer, or a file beside it.

Invariant: plain HTTP leaves this machine only where the operator said so; no redirect is followed, because it would
take texts and passwords elsewhere; no message holds an address or a path, for many a calendar's address is its secret.
"""

import http.client
import json
import math
import os
from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from urllib.parse import urlsplit

from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import MeaningSource
from nightledger.files.reading import read_regular
from nightledger.recall.meaning import EncoderError, Vector
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


PATIENCE_S = 10.0
"""For one answer, all of it: a small model on a slow machine needs seconds for a batch. Our choice."""
MAX_ANSWER_BYTES = 16_000_000
"""32 texts of 8,192 numbers in 20 characters each are a third of it."""
MAX_NUMBERS = 8192
MAX_TEXT_CHARACTERS = 4_000
"""A chunk has about 900 characters; servers refuse what their model cannot take."""


class EmbeddingServer:
    """A server, asked as an encoder.

    Args:
        source: Where it is.
        patience_s: For one answer.
    """

    def __init__(self, source: MeaningSource, *, patience_s: float = PATIENCE_S) -> None:
        self._source = source
        self._patience_s = patience_s
        self._failed: EncoderError | None = None

    @property
    def name(self) -> str:
        """Address and model: another server may mean something else by the same name."""
        return f"{self._source.url} {self._source.model}"

    def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return an embedding for each text.

        Raises:
            EncoderError: The server cannot be asked, does not answer in time, or answers something else.
        """
        if self._failed:
            raise self._failed
        try:
            return _read_vectors(self._ask([text[:MAX_TEXT_CHARACTERS] or " " for text in texts]), len(texts))
        except (EncoderError, OutsideError) as error:
            told = error if isinstance(error, EncoderError) else _as_encoder_error(error)
            self._failed = told
            raise told from error

    def _ask(self, texts: Sequence[str]) -> bytes:
        source = self._source
        body = json.dumps({"model": source.model, "input": list(texts), "encoding_format": "float"})
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if source.key_file:
            headers["Authorization"] = f"Bearer {read_secret(source.key_file, 'key file')}"
        status, content = ask(
            source.url,
            patience_s=self._patience_s,
            max_bytes=MAX_ANSWER_BYTES,
            insecure=source.insecure_plain_http,
            body=("POST", body.encode()),
            headers=headers,
        )
        if status != http.client.OK:
            raise EncoderError(f"the embedding server answered {status}")
        return content


def _as_encoder_error(error: OutsideError) -> EncoderError:
    return EncoderError(f"the embedding server {error}", hint=error.hint)


def _read_vectors(content: bytes, count: int) -> Sequence[Vector]:
    """Read an answer: as many vectors as texts, all of one length, all numbers finite, in the texts' order."""
    try:
        rows = json.loads(content)["data"]
        by_place = {row.get("index", at): row for at, row in enumerate(rows)}
        vectors = [array("f", by_place[at]["embedding"]) for at in range(count)]
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError) as error:
        raise EncoderError(
            "the embedding server answers with something that is no list of embeddings"
        ) from error
    sizes = {len(vector) for vector in vectors}
    if (
        len(rows) != count
        or len(sizes) != 1
        or not all(math.isfinite(n) for vector in vectors for n in vector)
    ):
        raise EncoderError("the embedding server answers with other embeddings than it was asked for")
    if not 0 < max(sizes) <= MAX_NUMBERS:
        raise EncoderError(f"the embedding server answers with embeddings of {max(sizes)} numbers")
    return vectors

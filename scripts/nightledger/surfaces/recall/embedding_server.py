"""Ask a server that answers as OpenAI's ``/v1/embeddings`` for embeddings: bounded in time and size.

The protocol: ``POST {"model": …, "input": [texts], "encoding_format": "float"}``; the answer holds
``data[] {index, embedding[]}`` (OpenAI API reference, Embeddings; Ollama, llama.cpp, vLLM and others answer
alike).

Invariant: plain HTTP leaves this machine only where the operator said so; no redirect is followed, because it
would take texts and key elsewhere; after one failure a run asks no more, so that a dead server costs one wait.
"""

import http.client
import json
import os
import stat
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from nightledger.domain.errors import NightledgerError
from nightledger.domain.operator import MeaningSource
from nightledger.files.reading import read_regular
from nightledger.recall.meaning import EncoderError
from nightledger.remote.client import is_loopback

if TYPE_CHECKING:
    from nightledger.recall.meaning import Vector

PATIENCE_S = 10.0
"""For one answer, all of it: a small model on a slow machine needs seconds for a batch. Our choice."""
MAX_ANSWER_BYTES = 16_000_000
"""32 texts of 8,192 numbers in 20 characters each are a third of it."""
MAX_NUMBERS = 8192
MAX_TEXT_CHARACTERS = 4_000
"""A chunk has about 900 characters; servers refuse what their model cannot take."""
MAX_KEY_BYTES = 4096


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

    def encode(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Give an embedding for each text.

        Raises:
            EncoderError: The server cannot be asked, does not answer in time, or answers something else; numpy is missing.
        """
        if self._failed:
            raise self._failed
        try:
            _require_numpy()
            return _read(self._ask([text[:MAX_TEXT_CHARACTERS] or " " for text in texts]), len(texts))
        except EncoderError as error:
            self._failed = error
            raise

    def _ask(self, texts: Sequence[str]) -> bytes:
        """Give the answer's bytes; what takes longer is left behind in a thread of its own."""
        body = json.dumps({"model": self._source.model, "input": list(texts), "encoding_format": "float"})
        said: list[bytes | EncoderError] = []

        def exchange() -> None:
            try:
                said.append(_post(self._source, body.encode(), self._patience_s))
            except EncoderError as error:
                said.append(error)
            except TimeoutError:
                return  # said below, as of one that is still silent
            except (OSError, http.client.HTTPException, ValueError) as error:
                why = (
                    error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
                )
                said.append(EncoderError(f"the embedding server does not answer ({why})"))

        thread = threading.Thread(target=exchange, daemon=True)
        thread.start()
        thread.join(self._patience_s)
        if not said:
            raise EncoderError(f"the embedding server did not answer within {self._patience_s:g} s")
        if isinstance(said[0], EncoderError):
            raise said[0]
        return said[0]


def _post(source: MeaningSource, body: bytes, timeout_s: float) -> bytes:
    parts = urlsplit(source.url)
    host = parts.hostname or ""
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(host, parts.port, timeout=timeout_s)
    elif is_loopback(host) or source.insecure_plain_http:
        connection = http.client.HTTPConnection(host, parts.port, timeout=timeout_s)
    else:
        raise EncoderError(
            "the embedding server is beyond this machine, and plain HTTP can be read on the way",
            hint="use https; or set insecure_plain_http: true under meaning in operator.yaml",
        )
    headers = {"Content-Type": "application/json", "Accept": "application/json", **_key(source.key_file)}
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    try:
        connection.request("POST", target, body, headers)
        with connection.getresponse() as response:  # one that is not read to its end keeps its socket
            content = response.read(MAX_ANSWER_BYTES + 1)
    finally:
        connection.close()
    if response.status != http.client.OK:
        raise EncoderError(f"the embedding server answered {response.status}")
    if len(content) > MAX_ANSWER_BYTES:
        raise EncoderError(f"the embedding server answered with more than {MAX_ANSWER_BYTES:,} bytes")
    return content


def _key(path: str) -> dict[str, str]:
    if not path:
        return {}
    try:
        if os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise EncoderError(f"others may read or write {path}", hint=f"chmod 600 {path}")
        key = read_regular(path, MAX_KEY_BYTES).decode().split("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise EncoderError(f"{path} cannot be read: {type(error).__name__}") from error
    except NightledgerError as error:
        raise error if isinstance(error, EncoderError) else EncoderError(str(error)) from error
    return {"Authorization": f"Bearer {key}"}


def _require_numpy() -> None:
    """Make sure that numpy, an optional extra, is there, before any text is sent."""
    if find_spec("numpy") is None:
        raise EncoderError(
            "embeddings need numpy, which is not installed",
            hint=f"{sys.executable} -m pip install 'numpy>=2'",
        )


def _read(content: bytes, count: int) -> "Sequence[Vector]":
    """Read an answer: as many vectors as texts, all of one length, all numbers finite, in the texts' order."""
    import numpy as np

    try:
        rows = json.loads(content)["data"]
        vectors = {
            _place(row, at): [float(value) for value in row["embedding"]] for at, row in enumerate(rows)
        }
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError) as error:
        raise EncoderError(
            "the embedding server answers with something that is no list of embeddings"
        ) from error
    most = float(np.finfo(np.float32).max)
    lengths = {len(vector) for vector in vectors.values()}
    whole = all(abs(value) <= most for vector in vectors.values() for value in vector)  # NaN is not
    if len(rows) != count or sorted(vectors) != list(range(count)) or len(lengths) != 1 or not whole:
        raise EncoderError("the embedding server answers with other embeddings than it was asked for")
    if not 0 < min(lengths) <= MAX_NUMBERS:
        raise EncoderError(f"the embedding server answers with embeddings of {min(lengths)} numbers")
    return [np.asarray(vectors[at], dtype=np.float32) for at in range(count)]


def _place(row: dict[str, Any], at: int) -> int:
    place = row.get("index", at)
    if not isinstance(place, int):
        raise TypeError(place)
    return place

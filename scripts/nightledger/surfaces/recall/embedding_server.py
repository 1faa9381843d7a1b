"""Ask a server that answers as OpenAI's ``/v1/embeddings`` for embeddings: bounded in time and size.

The protocol: ``POST {"model": …, "input": [texts], "encoding_format": "float"}``; the answer holds
``data[] {index, embedding[]}`` (OpenAI API reference, Embeddings; Ollama, llama.cpp, vLLM and others answer
alike).

Invariant: after one failure a run asks no more, so that a dead server costs one wait.
"""

import http.client
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from nightledger.domain.settings import MeaningSource
from nightledger.recall.meaning import EncoderError
from nightledger.surfaces.outside import OutsideError, ask, read_secret

if TYPE_CHECKING:
    from nightledger.recall.meaning import Vector

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

    def encode(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Return an embedding for each text.

        Raises:
            EncoderError: The server cannot be asked, does not answer in time, or answers something else; numpy is missing.
        """
        if self._failed:
            raise self._failed
        try:
            _require_numpy()
            return _read(self._ask([text[:MAX_TEXT_CHARACTERS] or " " for text in texts]), len(texts))
        except (EncoderError, OutsideError) as error:
            told = error if isinstance(error, EncoderError) else _told(error)
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


def _told(error: OutsideError) -> EncoderError:
    return EncoderError(f"the embedding server {error}", hint=error.hint)


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
        places = [row.get("index", at) for at, row in enumerate(rows)]
        by_place = dict(zip(places, rows, strict=True))
        ordered: list[dict[str, Any]] = [by_place[at] for at in range(count)]
        vectors = np.asarray([row["embedding"] for row in ordered], dtype=np.float64)
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError) as error:
        raise EncoderError(
            "the embedding server answers with something that is no list of embeddings"
        ) from error
    fits = vectors.ndim == 2 and bool((np.abs(vectors) <= np.finfo(np.float32).max).all())  # noqa: PLR2004 - NaN does not
    if len(rows) != count or not fits:
        raise EncoderError("the embedding server answers with other embeddings than it was asked for")
    if not 0 < vectors.shape[1] <= MAX_NUMBERS:
        raise EncoderError(f"the embedding server answers with embeddings of {vectors.shape[1]} numbers")
    return list(vectors.astype(np.float32))

"""Ask what the operator named in ``operator.yaml``: a server, for one bounded answer, or a file beside it.

Invariant: plain HTTP leaves this machine only where the operator said so; no redirect is followed, because it would
take texts and passwords elsewhere; no message holds an address or a path, for many a calendar's address is its secret.
"""

import http.client
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import AnalystSource, MeaningSource
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.recall.meaning import EncoderError
from nightledger.remote.transport import Caller, TransportError, is_loopback
from nightledger.think.analyst import Analyst, AnalystError, Reply, Server
from nightledger.think.prompting import read_prompt

if TYPE_CHECKING:
    from nightledger.recall.meaning import Vector

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


MAX_REPLY_CHARACTERS = 32_000
"""Eight operations of five long quotes are half of it."""
MAX_REPLY_TOKENS = 1 << 31


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
            return _read_vectors(self._ask([text[:MAX_TEXT_CHARACTERS] or " " for text in texts]), len(texts))
        except (EncoderError, OutsideError) as error:
            told = error if isinstance(error, EncoderError) else _as_encoder_error(error)
            self._failed = told
            raise told from error

    def _ask(self, texts: Sequence[str]) -> bytes:
        question = {"model": self._source.model, "input": list(texts), "encoding_format": "float"}
        status, content = _ask_model(self._source, question, self._patience_s)
        if status != http.client.OK:
            raise EncoderError(f"the embedding server answered {status}")
        return content


def _ask_model(
    source: MeaningSource | AnalystSource, question: Mapping[str, Any], patience_s: float
) -> tuple[int, bytes]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if source.key_file:
        headers["Authorization"] = f"Bearer {read_secret(source.key_file, 'key file')}"
    return ask(
        source.url,
        patience_s=patience_s,
        max_bytes=MAX_ANSWER_BYTES,
        insecure=source.insecure_plain_http,
        body=("POST", json.dumps(question).encode()),
        headers=headers,
    )


def _as_encoder_error(error: OutsideError) -> EncoderError:
    return EncoderError(f"the embedding server {error}", hint=error.hint)


def _require_numpy() -> None:
    """Make sure that numpy, an optional extra, is there, before any text is sent."""
    if find_spec("numpy") is None:
        raise EncoderError(
            "embeddings need numpy, which is not installed",
            hint=f"{sys.executable} -m pip install 'numpy>=2'",
        )


def _read_vectors(content: bytes, count: int) -> "Sequence[Vector]":
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


class ChatServer:
    """A server of a language model, asked as an analyst; any that answers as OpenAI's ``/v1/chat/completions``.

    Args:
        source: Where it is, and what it may cost.
    """

    def __init__(self, source: AnalystSource) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """The model's name."""
        return self._source.model

    @property
    def tokens_a_night(self) -> int:
        """The budget of one night."""
        return self._source.tokens_a_night

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:
        """Answer one question, at temperature 0, as JSON of a schema where the server can be held to it.

        Raises:
            AnalystError: The server cannot be asked, does not answer in time, or answers something else.
        """
        question = {
            "model": self._source.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "seed": 0,
            "max_tokens": most_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "draft", "strict": True, "schema": schema},
            },
        }
        try:
            status, content = _ask_model(self._source, question, self._source.patience_s)
        except OutsideError as error:
            raise AnalystError(f"the model's server {error}", hint=error.hint) from error
        if status != http.client.OK:
            raise AnalystError(f"the model's server answered {status}")
        return _read_reply(content)


def _read_reply(content: bytes) -> Reply:
    try:
        answer = json.loads(content)
        text = answer["choices"][0]["message"]["content"]
        text.encode()
        used = (answer.get("usage") or {}).get("total_tokens", 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise AnalystError("the model's server answers with something that is no chat completion") from error
    if not isinstance(text, str) or len(text) > MAX_REPLY_CHARACTERS:
        raise AnalystError(f"the model's answer is no text of at most {MAX_REPLY_CHARACTERS:,} characters")
    return Reply(text=text, tokens=used if isinstance(used, int) and 0 <= used < MAX_REPLY_TOKENS else 0)


class _NoServer(Struct, frozen=True, kw_only=True):
    """Stands for a model that cannot be asked at all."""

    name: str
    problem: str
    tokens_a_night: int = 1 << 31

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:  # noqa: ARG002 - as any server
        """Say why not.

        Raises:
            AnalystError: Always.
        """
        raise AnalystError(self.problem)


def analyst_of(keys_dir: str, home: Home, at: datetime, *, dry_run: bool = False) -> Analyst | None:
    """Return the model that the operator named to choose what a night proposes; None where the rules do.

    A configuration or a prompt that cannot be used ends no night: it is told, and the rules choose.

    Args:
        keys_dir: Where ``operator.yaml`` and ``prompts/`` lie.
        home: Whose transcript is kept.
        at: The time of asking; aware.
        dry_run: Keep no transcript.
    """
    try:
        source = load_operator(keys_dir).analyst
    except NightledgerError:
        return None  # told as what it is: nothing that the operator named can be used
    if source is None:
        return None
    server: Server = ChatServer(source)
    try:
        prompt = read_prompt(keys_dir)
    except NightledgerError as error:
        prompt, server = "", _NoServer(name=source.model, problem=str(error))
    return Analyst(server=server, prompt=prompt, home=home, at=at, dry_run=dry_run)


def analyst_line(run: AnalystRun) -> str:
    """Tell in one line what came of asking a model."""
    asked = f"{run.calls + run.replayed} question(s)"
    again = f" ({run.replayed} answered before)" if run.replayed else ""
    told = f"the model {run.model} answered {asked}{again} for {run.tokens:,} tokens; {run.proposed} of its {run.operations} choices proposed"
    return f"{told}; notes were left to the rules: {run.problem}" if run.problem else told

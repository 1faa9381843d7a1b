"""The model that the operator named to choose what a night proposes: how it is asked, and what is told of it.

Invariant: whatever its server answers is an answer or an ``AnalystError``; the night goes on.
"""

import hashlib
import http.client
import json
import os
import secrets
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import AnalystSource
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.jobs.consolidate import Asked, consolidate
from nightledger.surfaces.context import Context
from nightledger.surfaces.outside import OutsideError, ask_model
from nightledger.surfaces.session import reading
from nightledger.think.analyst import Analyst, AnalystError, Reply, Server
from nightledger.think.prompting import read_prompt

MAX_REPLY_CHARACTERS = 32_000
"""Eight operations of five long quotes are half of it."""
MAX_REPLY_TOKENS = 1 << 31
WAIT_S = 0.2
KEY, KEY_BYTES = "analyst.key", 32
"""Beside the home's other keys: whoever has it can write what a model is said to have answered."""


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
            status, content = ask_model(self._source, question, self._source.patience_s)
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
    return Reply(text=text, tokens=used if type(used) is int and 0 <= used < MAX_REPLY_TOKENS else 0)


class RecordedServer(Struct, frozen=True, kw_only=True):
    """Stands for a model whose answers lie in a folder: to the question whose SHA-256 begins with HASH, ``HASH.json``; asks no network.

    Attributes:
        folder: Where they are.
        name: Which model it was.
        tokens_a_night: The budget of one night.
        wait_s: How long an answer may take to be put there; until then the question lies beside it, as ``HASH.md``.
    """

    folder: str
    name: str = "recorded"
    tokens_a_night: int = MAX_REPLY_TOKENS
    wait_s: int = 0

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:  # noqa: ARG002 - as any server
        """Give the answer that was recorded.

        Raises:
            AnalystError: None was, to this very question; one letter more in prompt, notes or memory makes another.
        """
        place = os.path.join(self.folder, hashlib.sha256(prompt.encode()).hexdigest()[:16])
        until = time.monotonic() + self.wait_s
        while (answer := read_optional(f"{place}.json", MAX_REPLY_CHARACTERS)) is None:
            if time.monotonic() >= until:
                raise AnalystError(f"no answer to this very question is recorded as {place}.json")
            if not os.path.exists(f"{place}.md"):
                replace_file(f"{place}.md", prompt.encode())
            time.sleep(WAIT_S)
        return Reply(text=answer.decode("utf-8", "replace"), tokens=0)


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
    server = _server(source)
    try:
        prompt = read_prompt(keys_dir)
    except NightledgerError as error:
        prompt, server = "", _NoServer(name=source.model, problem=str(error))
    key = _key(os.path.join(keys_dir, home.identity.id, KEY), make=not dry_run)
    return Analyst(server=server, prompt=prompt, home=home, at=at, key=key, dry_run=dry_run)


def _server(source: AnalystSource) -> Server:
    where = urlsplit(source.url)
    if where.scheme != "file":
        return ChatServer(source)
    return RecordedServer(folder=unquote(where.path), name=source.model, tokens_a_night=source.tokens_a_night)


def _key(path: str, *, make: bool) -> bytes:
    """Return the secret with which lines of the transcript are written; made where it is missing."""
    kept = read_optional(path, KEY_BYTES)
    if kept is None or len(kept) != KEY_BYTES:
        kept = secrets.token_bytes(KEY_BYTES)
        if make:
            replace_file(path, kept, mode=0o600)
    return kept


def analyst_line(run: AnalystRun) -> str:
    """Tell in one line what came of asking a model."""
    asked = f"{run.calls + run.replayed} question(s)"
    again = f" ({run.replayed} answered before)" if run.replayed else ""
    told = f"the model {run.model} answered {asked}{again} for {run.tokens:,} tokens; {run.proposed} of its {run.operations} choices proposed"
    return f"{told}; notes were left to the rules: {run.problem}" if run.problem else told


def ask_ahead(context: Context, asked: Asked) -> Asked:
    """Ask the model before the home's lock is taken, so that nobody waits for it; the night then goes by the transcript.

    Args:
        context: The command's surroundings.
        asked: What is to be consolidated; without a model, or dry, it is given back as it is.
    """
    if asked.analyst is None or asked.dry_run:
        return asked
    with reading(context) as session:
        done = consolidate(session.gate, session.ledger, replace(asked, dry_run=True), session.moment)
    return replace(asked, analyst=replace(asked.analyst, spent=done.record.analyst))

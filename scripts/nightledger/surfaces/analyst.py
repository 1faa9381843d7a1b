"""The model that the operator named to choose what a night proposes: how it is asked, and what is told of it.

Invariant: whatever its server answers is an answer or an ``AnalystError``; the night goes on.
"""

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from msgspec.structs import replace

from nightledger.codec.rows import DoingRow, read_rows
from nightledger.domain.consolidation import AnalystRun, SelfContext
from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import AnalystSource
from nightledger.domain.words import count_of
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.gate.gated import read_gated
from nightledger.gate.recalling import read_principles
from nightledger.jobs.consolidate import Asked, Done, consolidate
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.outside import OutsideError, ask_model
from nightledger.surfaces.session import Session, reading, writing
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries
from nightledger.think.analyst import (
    KEY,
    KEY_BYTES,
    MAX_REPLY_CHARACTERS,
    MAX_REPLY_TOKENS,
    Analyst,
    AnalystError,
    RecordedServer,
    Reply,
    Server,
    read_key,
    read_prompt,
)
from nightledger.think.checkup import OFFERED_TAGS, ask_blocks
from nightledger.think.drafting import may_be_shown

SHOWN = 3
"""Reasons that are told; --json has all."""
RECORDED = "file:///"


class ChatServer:
    """A server of a language model, asked as an analyst; any that answers as OpenAI's ``/v1/chat/completions``.

    Args:
        source: Where it is, and what it may cost.
        call: Which kind of question it is asked, by the name of its prompt.
        problem: Why it cannot be asked at all; empty where it can.
    """

    def __init__(self, source: AnalystSource, call: str, problem: str = "") -> None:
        self._source = source
        self._problem = problem
        self._model = source.models.get(call, source.model)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    @property
    def tokens_a_night(self) -> int:
        """The budget of one night."""
        return self._source.tokens_a_night

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:
        """Answer one question, at temperature 0, as JSON of a schema where the server can be held to it.

        Raises:
            AnalystError: The server cannot be asked, does not answer in time, or answers something else; it is asked again where it is busy.
        """
        if self._problem:
            raise AnalystError(self._problem)
        question = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "seed": 0,
            "max_tokens": most_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "operations", "strict": True, "schema": schema},
            },
        }
        try:
            status, content = ask_model(self._source, question, self._source.patience_s)
        except OutsideError as error:
            raise AnalystError(f"the model's server {error}", hint=error.hint) from error
        if status != HTTPStatus.OK:
            raise AnalystError(f"the model's server answered {status}")
        return _read_reply(content)


def _read_reply(content: bytes) -> Reply:
    try:
        answer = json.loads(content)
        text = answer["choices"][0]["message"]["content"]
        text.encode()
        usage = answer.get("usage") or {}
        used, told = usage.get("total_tokens", 0), usage.get("completion_tokens", 0)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise AnalystError("the model's server answers with something that is no chat completion") from error
    if not isinstance(text, str) or len(text) > MAX_REPLY_CHARACTERS:
        raise AnalystError(f"the model's answer is no text of at most {MAX_REPLY_CHARACTERS:,} characters")
    return Reply(text=text, tokens=_count(used), answer_tokens=_count(told))


def _count(used: object) -> int:
    return used if type(used) is int and 0 <= used < MAX_REPLY_TOKENS else 0


def analyst_of(
    keys_dir: str, home: Home, at: datetime, prompt: str, *, dry_run: bool = False
) -> Analyst | None:
    """Return the model that the operator named to choose what is proposed; None where the rules do.

    A configuration, a prompt or a key that cannot be used ends no night: it is told, and the rules choose.

    Args:
        keys_dir: Where ``operator.yaml`` and ``prompts/`` lie.
        home: Whose transcript is kept.
        at: The time of asking; aware.
        prompt: What it is asked, by the name of its file.
        dry_run: Keep no transcript.
    """
    try:
        source = load_operator(keys_dir).analyst
    except NightledgerError:
        return None  # told as what it is: nothing that the operator named can be used
    if source is None:
        return None
    server = _server(source, prompt)
    text, key = "", b""
    try:
        text = read_prompt(keys_dir, prompt)
        key = _key(os.path.join(keys_dir, home.identity.id), make=not dry_run)
    except (NightledgerError, OSError) as error:
        server = ChatServer(source, prompt, str(error))
    return Analyst(
        server=server,
        prompt=text,
        home=home,
        at=at,
        key=key,
        dry_run=dry_run,
        price=source.price,
        money_a_night=source.money_a_night,
    )


def _server(source: AnalystSource, call: str) -> Server:
    if not source.url.startswith(RECORDED):
        return ChatServer(source, call)
    folder, name = unquote(source.url.removeprefix(RECORDED)), source.models.get(call, source.model)
    return RecordedServer(folder=f"/{folder}", name=name, tokens_a_night=source.tokens_a_night)


def _key(folder: str, *, make: bool) -> bytes:
    """Return the secret with which lines of the transcript are written; made where it is missing."""
    kept = read_key(folder)
    if not kept:
        kept = secrets.token_bytes(KEY_BYTES)
        if make:
            replace_file(os.path.join(folder, KEY), kept)
    return kept


def analyst_line(run: AnalystRun) -> str:
    """Tell in one line what came of asking a model."""
    asked = count_of(run.calls + run.replayed, "question")
    again = f" ({run.replayed} answered before)" if run.replayed else ""
    said = run.blocks.get("said", 0)
    left = sum(run.blocks.values()) - said
    told = f"the model {run.model} answered {asked}{again} for {run.cost}; {run.proposed} of its {run.operations} choices proposed"
    if run.blocks:
        told += f"; it summed up {said} long entr{'y' if said == 1 else 'ies'}"
        told += f", {left} left to the rules" if left else ""
    return f"{told}; the rest was left to the rules: {run.problem}" if run.problem else told


def tell_analyst(context: Context, run: AnalystRun) -> None:
    """Print what came of asking a model, and what of its answers was refused most."""
    screen.say(context, f"{analyst_line(run)}.")
    for why, times in sorted(run.refused.items(), key=lambda one: (-one[1], one[0]))[:SHOWN]:
        context.print_lines(screen.wrap(f"refused: {why} ({times})", first="  ", indent="    "))


def ask_ahead(
    context: Context, analyst: Analyst | None, run: Callable[[Session, Analyst], AnalystRun | None]
) -> Analyst | None:
    """Ask the model before the home's lock is taken, so that nobody waits for it; the run then goes by the transcript.

    Args:
        context: The command's surroundings.
        analyst: The model; where there is none, or the run is dry, it is given back as it is.
        run: The run, which is to write nothing.
    """
    if analyst is None or analyst.dry_run:
        return analyst
    with reading(context) as session:
        return replace(analyst, spent=run(session, analyst))


def consolidate_home(context: Context, asked: Asked) -> Done:
    """Consolidate, by the model that the operator named, where there is one.

    Args:
        context: The command's surroundings.
        asked: What is asked for, without the model.
    """

    def run(session: Session, analyst: Analyst) -> AnalystRun | None:
        dry = replace(asked, dry_run=True, analyst=analyst)
        told = consolidate(session.gate, session.ledger, dry, session.moment).record.analyst
        return told if told is None or told.problem else _ask_about_blocks(analyst, session, told)

    home = Home(context.home_path)
    analyst = analyst_of(context.keys_dir, home, context.moment.at, "draft", dry_run=asked.dry_run)
    asked = replace(asked, analyst=ask_ahead(context, analyst, run))
    with reading(context) if asked.dry_run else writing(context) as session:
        return consolidate(session.gate, session.ledger, asked, session.moment)


def _ask_about_blocks(analyst: Analyst, session: Session, run: AnalystRun) -> AnalystRun:
    """Ask for the summaries of entries that are new and long, with what the notes left of the budget."""
    gate = session.gate
    constitution = read_principles(gate.home, session.ledger, session.moment)
    with LineLog(gate.home.outcomes) as log:
        rows = [row for rows, _ in read_rows(DoingRow, log.chunks(0)) for row in rows]
    counts = Counter(tag for row in rows for tag in row.context_tags)
    context = SelfContext(
        tags=frozenset(tag for tag, _ in counts.most_common(OFFERED_TAGS)),
        principles=tuple(one.text for one in constitution.principles) if constitution else (),
    )
    blocks: list[str] = []
    for path in gate.home.identity.gated:
        document = parse_markdown(read_gated(gate.home, path).decode("utf-8", "replace"))
        clean = may_be_shown(document)
        blocks += [one.text for one in find_entries(document) if clean(one.first_line, one.last_line)]
    try:
        prompt = read_prompt(os.fspath(gate.ring.directory), "blocks")
    except NightledgerError as error:
        return replace(run, blocks={str(error): 1})
    return ask_blocks(analyst, prompt, blocks, context, run)

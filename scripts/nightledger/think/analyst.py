"""Ask a model what of a day's notes belongs into memory; within a budget, kept word for word, and gone through again without it.

Invariant: no answer is believed. Whatever a server says or does not say, a night goes on: notes about which nothing usable was
answered are left to the rules, and what was asked, taken and refused is counted.
"""

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.rows import read_rows
from nightledger.codec.schema import read_schema
from nightledger.domain.consolidation import MILLION, AnalystRun
from nightledger.domain.daylog import DayLog
from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import Price
from nightledger.domain.words import dump_moment
from nightledger.files.append import append_records
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import find_entries
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.statements.estimate import log_languages
from nightledger.think.contract import Answer, Chosen, RefusedOperationError, View, judge
from nightledger.think.prompting import (
    cut_parts,
    fill,
    may_be_shown,
    require_clean,
    short,
    show_memory,
    suffixes,
    tells_secret,
)

OPERATIONS = 8
"""A question may be answered with so many operations at most; a night proposes five of all."""
ANSWER_TOKENS = 2_000
BYTES_A_TOKEN = 3
"""How many bytes of text are counted as a token where a server does not say how many it took."""
LEAST = 0.7
"""A night's first proposal must be this sure, ..."""
STEP = 0.1
"""... and each further one by this share of what is missing to certainty more: an owner's attention is spent. On ten days of a workspace a
model named 20 lines; below .65 its owner would have refused most, above it few."""


FREE = Price()


class AnalystError(NightledgerError):
    """The model gave no usable answer; the rules' own draft stands."""


class BudgetError(AnalystError):
    """The night may cost no more."""


class Reply(Struct, frozen=True, kw_only=True):
    """What a server answered.

    Attributes:
        text: The model's words.
        tokens: Tokens of question and answer together, as the server counts them; 0 where it does not say.
        answer_tokens: Those of the answer among them; 0 where it does not say.
    """

    text: str
    tokens: int
    answer_tokens: int = 0


class Server(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """Which model it is."""

    @property
    def tokens_a_night(self) -> int:
        """The budget of one night."""

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:
        """Answer one question, as JSON of a schema.

        Raises:
            AnalystError: It cannot be asked, or answers something else.
        """


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of ``memory/system/analyst.jsonl``: a question by its hash, and what was answered."""

    v: int
    at: str
    model: str
    question_sha256: str
    answer: str
    tokens: int
    mac: str

    def sealed(self, key: bytes) -> str:
        """Give hex HMAC-SHA256 (RFC 2104) over the canonical JSON of all other members."""
        told = {name: value for name, value in msgspec.to_builtins(self).items() if name != "mac"}
        return hmac.new(key, canonical(told), hashlib.sha256).hexdigest()


class Analyst(Struct, frozen=True, kw_only=True):
    """Who is asked, and how.

    Attributes:
        server: The model.
        prompt: The text of the question.
        home: Whose transcript is kept.
        at: The time of asking; aware.
        dry_run: Keep no transcript.
        key: Secret bytes of this home's keys: a line of the transcript counts where it was written with them.
        spent: What was asked before the home's lock was taken; then the transcript alone answers.
        price: What tokens cost.
        money_a_night: What a night may cost in that money; 0 for no bound beside the server's tokens.
        refused: What its owner said on refusing earlier choices, as the question tells it; empty for nothing.
    """

    server: Server
    prompt: str
    home: Home
    at: datetime
    key: bytes
    dry_run: bool = False
    spent: AnalystRun | None = None
    price: Price = FREE
    money_a_night: float = 0.0
    refused: str = ""


class Drafted(Struct, frozen=True, kw_only=True):
    """What came of asking.

    Attributes:
        chosen: The operations that hold, the surest first.
        answered: Paths of the notes that were judged; the rest is left to the rules.
        run: What the night's record tells.
    """

    chosen: tuple[Chosen, ...]
    answered: frozenset[str]
    run: AnalystRun


def draft(analyst: Analyst, logs: Sequence[DayLog], document: Document, day: date) -> Drafted:
    """Ask about notes, part by part, and give the operations that hold.

    Args:
        analyst: Who is asked.
        logs: The notes.
        document: The memory they are read against.
        day: The night's log day.
    """
    view = _view(logs, document)
    run = AnalystRun(model=analyst.server.name)
    chosen: list[Chosen] = []
    refused = Counter[str]()
    missed: set[str] = {log.path for log in logs} - {log.path for log in view.logs.values()}
    try:
        earlier = _transcript(analyst)
    except (NightledgerError, OSError) as error:
        earlier, run = {}, replace(run, problem=f"its transcript cannot be read: {type(error).__name__}")
    told = {"day": day.isoformat(), "limit": str(OPERATIONS), "refused": analyst.refused}
    told["memory"] = show_memory(view)
    for part in cut_parts(view.logs):
        question = fill(analyst.prompt, {**told, "notes": part.notes})
        try:
            if run.problem:
                raise AnalystError(
                    run.problem
                )  # it is asked no further: each question may cost its whole patience
            answer, run = _ask(analyst, require_clean(question), earlier, run)
        except (NightledgerError, OSError) as error:
            missed |= {view.logs[name].path for name in part.shown}
            is_over = run.over_budget or isinstance(error, BudgetError)
            run = replace(run, problem=run.problem or str(error).split("\n", 1)[0], over_budget=is_over)
            continue
        run = replace(run, operations=run.operations + len(answer.operations))
        shown = {**dict.fromkeys(view.logs, frozenset[int]()), **part.shown}
        _judge_all(answer, replace(view, shown=shown), chosen, refused)
    chosen = [one for one in chosen if not missed.intersection(log.path for log, _ in one.quoted)]
    if analyst.spent:  # what was asked was asked then
        run = replace(analyst.spent, operations=run.operations, problem=run.problem)
    chosen.sort(key=lambda one: (-one.statement.score, one.statement.path, one.statement.lines))
    return Drafted(
        chosen=tuple(chosen),
        answered=frozenset(log.path for log in logs) - missed,
        run=replace(run, refused=dict(sorted(refused.items()))),
    )


def required(taken: int) -> float:
    """Give how sure a model must be of the next proposal of a night after ``taken`` others, 0..1."""
    return LEAST + (1 - LEAST) * min(1.0, STEP * taken)


def _view(logs: Sequence[DayLog], document: Document) -> View:
    clean = may_be_shown(document)
    unclean = {section.path for section in document.sections[1:] if not clean(*section.heading)}
    titles = (section.path for section in document.sections[1:])
    sections = (path for path in titles if unclean.isdisjoint(path[: n + 1] for n in range(len(path))))
    entries = (
        entry
        for entry in find_entries(document)
        if clean(entry.first_line, entry.last_line) and not tells_secret(entry.section[-1:], short(entry))
    )
    named = (log for log in logs if not scan_secrets(suffixes(log.path)))
    return View(
        logs={f"d{n}": log for n, log in enumerate(named, 1)},
        shown={},
        entries={f"m{n}": entry for n, entry in enumerate(entries, 1)},
        sections={f"s{n}": path for n, path in enumerate(sections, 1)},
        languages=tuple(sorted({language for log in logs for language in log_languages(log)})),
    )


def _judge_all(answer: Answer, view: View, chosen: list[Chosen], refused: Counter[str]) -> None:
    for operation in answer.operations[:OPERATIONS]:
        try:
            one = judge(operation, view)
        except RefusedOperationError as error:
            refused[str(error)] += 1
            continue
        chosen.append(one)


def _ask(
    analyst: Analyst, question: str, earlier: Mapping[str, str], run: AnalystRun
) -> tuple[Answer, AnalystRun]:
    """Answer from the transcript, else by the server; an answer that can be read is kept."""
    name = hashlib.sha256(canonical({"model": analyst.server.name, "question": question})).hexdigest()
    if name in earlier:
        return _read(earlier[name]), replace(run, replayed=run.replayed + 1)
    if analyst.spent is not None:
        raise AnalystError(analyst.spent.problem or "the notes or the memory changed while it was asked")
    asked = len(question.encode()) // BYTES_A_TOKEN
    _require_budget(analyst, run, asked)
    reply = analyst.server.complete(question, read_schema("analyst-draft"), ANSWER_TOKENS)
    worded = min(
        reply.answer_tokens or len(reply.text.encode("utf-8", "replace")) // BYTES_A_TOKEN, reply.tokens
    )
    parts = (reply.tokens - worded, worded) if reply.tokens else (asked, ANSWER_TOKENS)
    cost = run.cost_millionths + analyst.price.of(*parts)
    run = replace(run, calls=run.calls + 1, tokens=run.tokens + sum(parts), cost_millionths=cost)
    answer = _read(reply.text)
    if not analyst.dry_run:
        row = Asked(1, dump_moment(analyst.at), analyst.server.name, name, reply.text, reply.tokens, "")
        told = {**msgspec.to_builtins(row), "mac": row.sealed(analyst.key)}
        append_records(analyst.home.analyst_log, canonical(told) + b"\n")
    return answer, run


def _require_budget(analyst: Analyst, run: AnalystRun, asked: int) -> None:
    """Raise where the next question, and the longest answer to it, would cost more than a night may."""
    if run.tokens + asked + ANSWER_TOKENS > analyst.server.tokens_a_night:
        raise BudgetError(
            f"the budget of {analyst.server.tokens_a_night:,} tokens is spent",
            hint="tokens_a_night under analyst in operator.yaml raises it",
        )
    cost = run.cost_millionths + analyst.price.of(asked, ANSWER_TOKENS)
    if analyst.money_a_night and cost > analyst.money_a_night * MILLION:
        raise BudgetError(
            f"the budget of {analyst.money_a_night:g} in money is spent",
            hint="money_a_night under analyst in operator.yaml raises it",
        )


def _read(text: str) -> Answer:
    """Read an answer strictly; a fence of code around it is no fault."""
    plain = text.strip()
    if plain.startswith("```") and plain.endswith("```"):
        plain = plain[3:-3].removeprefix("json").strip()
    try:
        json.loads(plain, parse_constant=_no_number)
        return msgspec.json.decode(plain, type=Answer)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise AnalystError("the model answered something else than operations") from error


def _no_number(name: str) -> float:
    raise ValueError(name)


def _transcript(analyst: Analyst) -> dict[str, str]:
    """Return answers by their question; a line that we did not write with our key counts for nothing."""
    with LineLog(analyst.home.analyst_log) as log:
        rows = [row for rows, _ in read_rows(Asked, log.chunks(0)) for row in rows]
    ours = (row for row in rows if hmac.compare_digest(row.mac.encode(), row.sealed(analyst.key).encode()))
    answers: dict[str, str] = {}
    for row in ours:
        answers.setdefault(row.question_sha256, row.answer)  # a copy of a later line changes no night
    return answers

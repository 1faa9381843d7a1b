"""Ask a model what of a day's notes belongs into memory; within a budget, kept word for word, and gone through again without it.

Invariant: no answer is believed. Whatever a server says or does not say, a night goes on: notes about which nothing usable was
answered are left to the rules, and what was asked, taken and refused is counted.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.schema import read_schema
from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.daylog import DayLog
from nightledger.domain.errors import NightledgerError
from nightledger.domain.words import dump_moment
from nightledger.files.home import Home
from nightledger.files.transcript import Asked, keep_answers, question_name, read_answers
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import find_entries
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.statements.estimate import log_languages
from nightledger.think.contract import Answer, Chosen, RefusedOperationError, View, judge
from nightledger.think.prompting import cut_parts, fill, may_be_shown, require_clean, show_memory

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


class AnalystError(NightledgerError):
    """The model gave no usable answer; the rules' own draft stands."""


class Reply(Struct, frozen=True, kw_only=True):
    """What a server answered.

    Attributes:
        text: The model's words.
        tokens: Tokens of question and answer together, as the server counts them; 0 where it does not say.
    """

    text: str
    tokens: int


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


Shape = TypeVar("Shape")


class QuestionKind(Struct, Generic[Shape], frozen=True, kw_only=True):
    """A kind of question.

    Attributes:
        named: What an answer holds.
        schema: Name of the schema of what is answered.
        shape: What an answer is read as.
        tokens: What an answer may take.
        kept: Whether an answer is kept by its question; else whoever asked keeps what it says.
    """

    named: str
    schema: str
    shape: type[Shape]
    tokens: int
    kept: bool = True


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
    """

    server: Server
    prompt: str
    home: Home
    at: datetime
    key: bytes
    dry_run: bool = False
    spent: AnalystRun | None = None


DRAFT = QuestionKind(named="operations", schema="analyst-draft", shape=Answer, tokens=ANSWER_TOKENS)


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
        earlier = read_answers(analyst.home, analyst.key)
    except (NightledgerError, OSError) as error:
        earlier, run = {}, replace(run, problem=f"its transcript cannot be read: {type(error).__name__}")
    memory = show_memory(view)
    for part in cut_parts(view.logs):
        question = fill(
            analyst.prompt,
            {"day": day.isoformat(), "limit": str(OPERATIONS), "memory": memory, "notes": part.notes},
        )
        try:
            if run.problem:
                raise AnalystError(
                    run.problem
                )  # it is asked no further: each question may cost its whole patience
            answer, run = ask(analyst, DRAFT, require_clean(question), earlier, run)
        except (NightledgerError, OSError) as error:
            missed |= {view.logs[name].path for name in part.shown}
            run = replace(run, problem=run.problem or str(error).split("\n", 1)[0])
            continue
        run = replace(run, operations=run.operations + len(answer.operations))
        shown = {**dict.fromkeys(view.logs, frozenset[int]()), **part.shown}
        _judge_all(answer, replace(view, shown=shown), chosen, refused)
    chosen = [one for one in chosen if not missed.intersection(log.path for log, _ in one.quoted)]
    if spent := analyst.spent:
        run = replace(
            run, calls=spent.calls, replayed=spent.replayed, tokens=spent.tokens, blocks=spent.blocks
        )
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
    entries = (entry for entry in find_entries(document) if clean(entry.first_line, entry.last_line))
    sections = (section.path for section in document.sections[1:] if clean(*section.heading))
    named = (log for log in logs if not scan_secrets(log.path))
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


def ask(
    analyst: Analyst, kind: QuestionKind[Shape], question: str, earlier: Mapping[str, str], run: AnalystRun
) -> tuple[Shape, AnalystRun]:
    """Answer a question from the transcript, else by the server; an answer that can be read is kept.

    Args:
        analyst: Who is asked.
        kind: What kind of answer.
        question: As it is sent.
        earlier: Answers by the name of their question.
        run: What was spent so far.

    Raises:
        AnalystError: There is no usable answer.
    """
    name = question_name({"model": analyst.server.name, "question": question})
    if name in earlier:
        return _read(earlier[name], kind), replace(run, replayed=run.replayed + 1)
    if analyst.spent is not None:
        raise AnalystError(analyst.spent.problem or "the notes or the memory changed while it was asked")
    size = len(question.encode()) // BYTES_A_TOKEN + kind.tokens
    if run.tokens + size > analyst.server.tokens_a_night:
        raise AnalystError(
            f"the budget of {analyst.server.tokens_a_night:,} tokens is spent",
            hint="tokens_a_night under analyst in operator.yaml raises it",
        )
    reply = analyst.server.complete(question, read_schema(kind.schema), kind.tokens)
    run = replace(run, calls=run.calls + 1, tokens=run.tokens + (reply.tokens or size))
    answer = _read(reply.text, kind)
    if kind.kept and not analyst.dry_run:
        row = Asked(1, dump_moment(analyst.at), analyst.server.name, name, reply.text, reply.tokens, "")
        keep_answers(analyst.home, analyst.key, row)
    return answer, run


def _read(text: str, kind: QuestionKind[Shape]) -> Shape:
    """Read an answer strictly; a fence of code around it is no fault."""
    plain = text.strip()
    if plain.startswith("```") and plain.endswith("```"):
        plain = plain[3:-3].removeprefix("json").strip()
    try:
        json.loads(plain, parse_constant=_no_number)
        return msgspec.json.decode(plain, type=kind.shape)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise AnalystError(f"the model answered something else than {kind.named}") from error


def _no_number(name: str) -> float:
    raise ValueError(name)

"""Ask a model questions; within a budget, kept word for word, and gone through again without it.

A prompt is a file of ``config/prompts/`` with ``{{names}}``; one that lacks a name, or holds a strange one, is refused
before anything is sent. Recorded answers, each by its question, stand for a model.
Invariant: no answer is believed, and no question holds a secret. Whatever a server says or does not say, a run goes on: what nothing
usable was answered about is left to the rules, and what was asked, taken and refused is counted. There is one way to ask: ``Interview``.
Invariant: what was asked and answered is kept as lines of a file of the home, each sealed with a key that lies beside the home's
others; one that was not counts for nothing, so who can write in the home cannot put words into a model's mouth.
"""

import hashlib
import hmac
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import read_schema
from nightledger.codec.rows import read_rows
from nightledger.domain.consolidation import MILLION, AnalystRun, Said
from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.domain.finding import Finding, Severity
from nightledger.domain.settings import Price
from nightledger.domain.words import dump_moment
from nightledger.files.durable import read_optional
from nightledger.files.home import Home, shipped_config
from nightledger.files.line_log import LineLog, append_records
from nightledger.text.scanners.scan import scan_secrets

BYTES_A_TOKEN = 3
"""How many bytes of text are counted as a token where a server does not say how many it took."""
MAX_REPLY_CHARACTERS = 32_000
"""Eight operations of five long quotes are half of it."""
MAX_REPLY_TOKENS = 1 << 31
_DATE = len("2026-02-28")
Answered = TypeVar("Answered")
One = TypeVar("One")
Held = TypeVar("Held")


FREE = Price()
MAX_PROMPT_BYTES = 64_000
_NAME = re.compile(r"\{\{(\w+)\}\}")
NAMES = {
    "draft": frozenset({"day", "limit", "memory", "notes"}),
    "checkup": frozenset({"day", "limit", "memory"}),
    "blocks": frozenset({"blocks", "principles", "tags"}),
}
"""The prompts that there are, and what each must name."""


def read_prompt(keys_dir: str, name: str) -> str:
    """Return a prompt of ``NAMES``: the operator's own in ``prompts/`` beside ``operator.yaml``, else the shipped one.

    Raises:
        ConfigurationError: It lacks a name in braces, or holds one that nothing stands for.
        UnreadableError: It is no regular file, or a huge one.
    """
    path = os.path.join(keys_dir, "prompts", f"{name}.md")
    own = read_optional(path, MAX_PROMPT_BYTES)
    text = (shipped_config(f"prompts/{name}.md") if own is None else own).decode("utf-8", "replace")
    found, names = set(_NAME.findall(text)), NAMES[name]
    if found != names:
        problems = [f"{{{{{one}}}}} is missing" for one in sorted(names - found)]
        problems += [f"nothing stands for {{{{{one}}}}}" for one in sorted(found - names)]
        raise ConfigurationError(
            f"{path}: {'; '.join(problems)}", hint=f"config/prompts/{name}.md is the shipped one"
        )
    return text


def fill(prompt: str, values: Mapping[str, str]) -> str:
    """Return a prompt with its names replaced; what a value holds is never looked at again."""
    return _NAME.sub(lambda match: values[match[1]], prompt)


def is_secret(finding: Finding) -> bool:
    """Tell whether a finding is a secret that no question may hold."""
    return finding.severity is Severity.BLOCK and finding.rule.startswith("secret.")


def require_clean(question: str) -> str:
    """Return a finished question as it may be sent.

    Raises:
        ConfigurationError: The scanners see a secret in it, however it came together.
    """
    plain = question.encode("utf-8", "replace").decode("utf-8", "replace")
    if any(map(is_secret, scan_secrets(plain))):
        raise ConfigurationError(
            "the question holds what looks like a secret", hint="nightledger check names such lines of memory"
        )
    return plain


class AnalystError(NightledgerError):
    """The model gave no usable answer; the rules' own draft stands."""


class BudgetError(AnalystError):
    """The night may cost no more."""


class RefusedOperationError(NightledgerError):
    """An operation does not keep the contract; what it names goes unproposed, and that is counted."""

    hint = "the model chose what does not stand there; nothing is to be done"


def require(holds: bool, problem: str) -> None:  # noqa: FBT001 - a condition
    """Refuse an operation unless a condition holds.

    Raises:
        RefusedOperationError: It does not.
    """
    if not holds:
        raise RefusedOperationError(problem)


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
        """The budget of one day, whatever asks."""

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:
        """Answer one question, as JSON of a schema.

        Raises:
            AnalystError: It cannot be asked, or answers something else.
        """


class Form(Struct, Generic[Answered], frozen=True, kw_only=True):
    """What an answer looks like.

    Attributes:
        kind: The value that it is read as.
        schema: Its JSON Schema, by name.
        most_tokens: How long it may be.
        named: What an answer holds.
        kept: Whether an answer is kept by its question; else whoever asked keeps what it says.
    """

    kind: type[Answered]
    schema: str
    most_tokens: int
    named: str = "operations"
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
        price: What tokens cost.
        money_a_night: What a day may cost in that money, whatever asks; 0 for no bound beside the server's tokens.
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

    def line(self, name: str, answer: str, tokens: int) -> "Asked":
        """Return a line of the transcript, not yet sealed, of what was asked now."""
        return Asked(1, dump_moment(self.at), self.server.name, name, answer, tokens, "")


KEY, KEY_BYTES, MAX_KEY_BYTES = "analyst.key", 32, 4096
"""In the directory of the home's keys: whoever has it can write what a model is said to have answered."""


NOTHING = "null"
"""Stands for what was said of a block and cannot be used: it is asked about no more, until its words are others."""


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


def question_name(question: dict[str, Any]) -> str:
    """Return hex SHA-256 of the canonical JSON of what was asked: ``model`` and ``question``, or a ``block``."""
    return hashlib.sha256(canonical(question)).hexdigest()


def block_name(block: str) -> str:
    """Return the name of what was asked of one block of memory, whichever model was."""
    return question_name({"block": block.strip().encode("utf-8", "replace").decode()})


def read_key(folder: str) -> bytes:
    """Return the key of a home's transcript; empty where there is none."""
    kept = read_optional(os.path.join(folder, KEY), MAX_KEY_BYTES)
    return kept if kept and len(kept) == KEY_BYTES else b""


def read_asked(home: Home, key: bytes, *, most_bytes: int = 0) -> list[Asked]:
    """Return the lines that were written with the key; of those in the last so many bytes, where they are named."""
    with LineLog(home.analyst_log) as log:
        begin = max(0, log.end - most_bytes) if most_bytes else 0
        rows = [row for rows, _ in read_rows(Asked, log.chunks(begin)) for row in rows]
    return [row for row in rows if hmac.compare_digest(row.mac.encode(), row.sealed(key).encode())]


def answers_of(rows: Sequence[Asked]) -> dict[str, str]:
    """Return answers by the name of their question; of several the first: a copy of a later line changes no night."""
    return {row.question_sha256: row.answer for row in reversed(rows)}


def keep_answers(home: Home, key: bytes, *rows: Asked) -> None:
    """Append lines, sealed; they are on disk when this returns."""
    told = ({**msgspec.to_builtins(row), "mac": row.sealed(key)} for row in rows)
    append_records(home.analyst_log, b"".join(canonical(one) + b"\n" for one in told))


def read_said(home: Home, key: bytes) -> dict[str, Said]:
    """Return what a model said of blocks of memory, by their name, as far as it can be used."""
    found: dict[str, Said] = {}
    for name, answer in answers_of(read_asked(home, key)).items():
        with suppress(msgspec.MsgspecError):  # an answer to another question, or nothing that can be used
            found[name] = msgspec.json.decode(answer, type=Said)
    return found


def day_of(at: str) -> str:
    """Return the day (UTC) of a time, as budgets count it."""
    return at[:_DATE]


def spent_on(day: str, rows: Sequence[Asked], price: Price) -> tuple[int, int]:
    """Return what a day's questions cost, whatever asked: tokens, and millionths of the operator's money."""
    tokens = paid = 0
    for row in dict.fromkeys(rows):  # a copy of a line costs nothing
        if day_of(row.at) == day:
            told = min(row.tokens, len(row.answer.encode()) // BYTES_A_TOKEN)
            tokens += row.tokens
            paid += price.of(row.tokens - told, told)
    return tokens, paid


class Interview:
    """The questions of one run, one after the other: the transcript answers what it can, the server the rest.

    After a question without an answer no other is asked: each may cost its whole patience.

    Args:
        analyst: Who is asked.
        run: What came of questions before; None where these are the first.

    Attributes:
        run: What came of it so far; ``problem`` is why a question went unanswered.
        refused: Why operations were refused, and how often.
    """

    def __init__(self, analyst: Analyst, run: AnalystRun | None = None) -> None:
        self._analyst = analyst
        self._earlier: dict[str, str] = {}
        self._spent = self._paid = 0
        self.run = run or AnalystRun(model=analyst.server.name)
        self.refused = Counter[str](self.run.refused)
        try:
            rows = read_asked(analyst.home, analyst.key)
        except (NightledgerError, OSError) as error:
            problem = f"its transcript cannot be read: {type(error).__name__}"
            self.run = replace(self.run, problem=problem)
            return
        self._earlier = answers_of(rows)
        self._spent, self._paid = spent_on(day_of(dump_moment(analyst.at)), rows, analyst.price)

    def ask(self, values: Mapping[str, str], form: Form[Answered]) -> Answered | None:
        """Answer one question; None, and why in ``run``, where nothing usable is answered.

        Args:
            values: What stands for each name of the prompt.
            form: What an answer looks like.
        """
        if self.run.problem:
            return None
        try:
            return self._ask(require_clean(fill(self._analyst.prompt, values)), form)
        except (NightledgerError, OSError) as error:
            is_over = isinstance(error, BudgetError)
            self.run = replace(self.run, problem=str(error).split("\n", 1)[0], over_budget=is_over)
            return None

    def _ask(self, question: str, form: Form[Answered]) -> Answered:
        analyst, server = self._analyst, self._analyst.server
        name = question_name({"model": server.name, "question": question})
        if name in self._earlier:
            self.run = replace(self.run, replayed=self.run.replayed + 1)
            return _read(self._earlier[name], form)
        if analyst.spent is not None:
            raise AnalystError(analyst.spent.problem or "what it was asked about changed while it was asked")
        asked = len(question.encode()) // BYTES_A_TOKEN
        self._require_budget(asked, form.most_tokens)
        reply = server.complete(question, read_schema(form.schema), form.most_tokens)
        told = reply.answer_tokens or len(reply.text.encode("utf-8", "replace")) // BYTES_A_TOKEN
        worded = min(told, reply.tokens)
        parts = (reply.tokens - worded, worded) if reply.tokens else (asked, form.most_tokens)
        self._spent += sum(parts)
        cost = analyst.price.of(*parts)
        self._paid += cost
        run = replace(self.run, calls=self.run.calls + 1, tokens=self.run.tokens + sum(parts))
        self.run = replace(run, cost_millionths=run.cost_millionths + cost)
        try:
            answer = _read(reply.text, form)
        except AnalystError:
            # what it cost counts, and it may be asked again
            self._keep(question_name({"unread": name, "spent": self._spent}), NOTHING, sum(parts))
            raise
        if form.kept:
            self._keep(name, reply.text, sum(parts))
        return answer

    def _keep(self, name: str, answer: str, tokens: int) -> None:
        analyst = self._analyst
        if not analyst.dry_run:
            keep_answers(analyst.home, analyst.key, analyst.line(name, answer, tokens))

    def _require_budget(self, asked: int, most_tokens: int) -> None:
        """Raise where the next question, and the longest answer to it, would cost more than a night may."""
        analyst, server = self._analyst, self._analyst.server
        if self._spent + asked + most_tokens > server.tokens_a_night:
            raise BudgetError(
                f"the budget of {server.tokens_a_night:,} tokens is spent",
                hint="tokens_a_night under analyst in operator.yaml raises it",
            )
        cost = self._paid + analyst.price.of(asked, most_tokens)
        if analyst.money_a_night and cost > analyst.money_a_night * MILLION:
            raise BudgetError(
                f"the budget of {analyst.money_a_night:g} in money is spent",
                hint="money_a_night under analyst in operator.yaml raises it",
            )

    def judge(self, operations: Sequence[One], judge: Callable[[One], Held]) -> Iterator[Held]:
        """Yield what operations come to; those that do not keep the contract are counted by what is wrong."""
        self.run = replace(self.run, operations=self.run.operations + len(operations))
        for operation in operations:
            try:
                held = judge(operation)
            except RefusedOperationError as error:
                self.refused[str(error)] += 1
                continue
            yield held

    def finish(self) -> AnalystRun:
        """Return what came of it; of what was asked before the home's lock was taken the costs of then."""
        run = replace(self.run, refused=dict(sorted(self.refused.items())))
        if spent := self._analyst.spent:
            run = replace(spent, operations=run.operations, problem=run.problem, refused=run.refused)
        return run


def _read(text: str, form: Form[Answered]) -> Answered:
    """Read an answer strictly; a fence of code around it is no fault."""
    plain = text.strip()
    if plain.startswith("```") and plain.endswith("```"):
        plain = plain[3:-3].removeprefix("json").strip()
    try:
        return msgspec.json.decode(plain, type=form.kind)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise AnalystError(f"the model answered something else than {form.named}") from error


class RecordedServer(Struct, frozen=True, kw_only=True):
    """Stands for a model whose answers lie in a folder: to the question whose SHA-256 begins with HASH, ``HASH.json``; asks no network.

    Attributes:
        folder: Where they are.
        name: Which model it was.
        tokens_a_night: The budget of one night.
    """

    folder: str
    name: str = "recorded"
    tokens_a_night: int = MAX_REPLY_TOKENS

    def complete(self, prompt: str, schema: Mapping[str, Any], most_tokens: int) -> Reply:  # noqa: ARG002 - as any server
        """Give the answer that was recorded; it costs what its question and its own length come to.

        Raises:
            AnalystError: None was, to this very question; one letter more in prompt, notes or memory makes another.
        """
        place = self.place(prompt)
        answer = read_optional(f"{place}.json", MAX_REPLY_CHARACTERS)
        if answer is None:
            raise AnalystError(f"no answer to this very question is recorded as {place}.json")
        asked, told = len(prompt.encode()) // BYTES_A_TOKEN, len(answer) // BYTES_A_TOKEN
        return Reply(text=answer.decode("utf-8", "replace"), tokens=asked + told, answer_tokens=told)

    def place(self, prompt: str) -> str:
        """Return where the answer to a question lies, without its ending."""
        return os.path.join(self.folder, hashlib.sha256(prompt.encode()).hexdigest()[:16])

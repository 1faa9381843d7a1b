"""Ask a model about memory as it stands: which entries its owner would not miss, and what blocks of it come to.

Of blocks it tells alignment, tags and the sentences of a summary, of many in one question, in numbers and not in words. What it said
is kept by the block's own words, so that what is embedded, staged or shown needs no server; what does not hold is counted, and
the rules say what the block comes to.
Invariant: only removals and merges are proposed; a model names entries and quotes them; what goes is a whole entry with those below it, and nothing is written. No rule or
wish goes unless the memory itself says that it is over or says it elsewhere, and nothing that the operator pinned or lately signed.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from itertools import groupby

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun, Said, SelfContext
from nightledger.domain.errors import NightledgerError
from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.text.checkup.checkup import OTHER_KEPT, PAIRED, doubt_of, says_it_is_over
from nightledger.text.checkup.signs import has, look
from nightledger.text.checkup.units import Unit, UnitKind, names_of, read_units
from nightledger.text.markdown.document import Document
from nightledger.text.patterns import grouped
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.similar import fold, is_negated, numbers
from nightledger.text.statements.block import (
    is_long,
    limits,
    said_sentences,
    sentences_in,
    tags_in,
    valid_tag,
)
from nightledger.text.statements.cues import find_cues, languages_of
from nightledger.text.visible import one_line
from nightledger.think.analyst import (
    NOTHING,
    Analyst,
    Form,
    Interview,
    answers_of,
    block_name,
    keep_answers,
    read_asked,
    require,
)
from nightledger.think.contract import LEAST_SHARED, content_words
from nightledger.think.drafting import PART_CHARACTERS, in_parts, may_be_shown, shorten

OPERATIONS = 100
"""A question may be answered with so many operations at most: a memory of 9 KB had 82 entries to name."""
LEAST = 0.7
"""What a model is less sure of is not proposed."""
ENTRY_CHARACTERS = 600
"""Of an entry: what it is about, and how it ends in all but one of a hundred."""
LEAST_QUOTE = 12
"""Folded characters of a quote, or all of a shorter entry: less may stand in any entry."""
REPEATED = 0.5
"""Of a repeat's words the entry which stays must hold more than this share: most; its numbers and names it must hold all."""
RULES = frozenset({"absolute", "ban", "wish"})
"""Cues of what no model lets go by itself."""


class Takes(StrEnum):
    """What an operation does."""

    RETIRE = "retire"
    MERGE = "merge"


class Why(StrEnum):
    """Why an entry goes."""

    REPORT = "report"
    STATE = "state"
    OVER = "over"
    WAITS = "waits"
    REPEATS = "repeats"
    SUPERSEDED = "superseded"
    CONTRADICTS = "contradicts"
    GENERATED = "generated"
    EMPTY = "empty"


_OF_TWO = frozenset({Why.REPEATS, Why.SUPERSEDED, Why.CONTRADICTS})


def _told(why: Why) -> tuple[DoubtLabel, str]:
    """Return what an entry is that goes for a reason, and the reason in words."""
    label, reason = grouped("doubt-reasons")["model"][why]
    return DoubtLabel(label), reason


class Removal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One operation, as a model answers it; ``schemas/analyst-checkup.schema.json``.

    Attributes:
        op: What it does.
        entry: The entry that goes, or into which others are merged, as the prompt numbers it: ``m3``.
        quote: Words of it; runs of white space count as one blank.
        why: Why it goes; of a merge that the others repeat it.
        others: Of a merge the entries that go; of a repeat or what is superseded the one that stays; of a contradiction the other one.
        confidence: How sure it is that the owner would sign it, 0..1.
    """

    op: Takes
    entry: str
    quote: str
    why: Why
    others: tuple[str, ...] = ()
    confidence: float = 0.0


class Removals(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a model may say of a memory."""

    operations: tuple[Removal, ...]


FORM = Form(kind=Removals, schema="analyst-checkup", most_tokens=8_000)


class Chosen(Struct, frozen=True, kw_only=True):
    """What came of asking.

    Attributes:
        doubts: Those that hold, one an item.
        run: What is told of it; None where nobody was asked.
    """

    doubts: tuple[Doubt, ...] = ()
    run: AnalystRun | None = None


def choose(
    analyst: Analyst, document: Document, today: date, staying: Collection[int], run: AnalystRun | None = None
) -> Chosen:
    """Ask about the entries of a memory, part by part, and give the doubts that hold; a part of which all stays is not asked about.

    Args:
        analyst: Who is asked.
        document: The memory file.
        today: The date in the home's zone.
        staying: Lines that are not to go.
        run: What came of questions before; None where these are the first.
    """
    units = read_units(document)
    interview = Interview(analyst, run)
    bench = _Bench(units, today, staying, languages_of("".join(document.lines)))
    told = {"day": today.isoformat(), "limit": str(OPERATIONS)}
    found: dict[int, Doubt] = {}
    for memory, groups in in_parts(_groups(document, bench)):
        if not any(bench.may_go(index) for group in groups for index in group):
            continue
        answer = interview.ask({**told, "memory": memory}, FORM)
        if answer is not None:
            bench.shown = {f"m{index + 1}": index for group in groups for index in group}
            for doubts in interview.judge(answer.operations[:OPERATIONS], bench.judge):
                found.update(doubts)
    done = interview.finish()
    held = done.operations - sum(done.refused.values())
    return Chosen(doubts=tuple(found.values()), run=replace(done, proposed=held))


def _groups(document: Document, bench: "_Bench") -> Iterator[tuple[list[str], list[int]]]:
    """Yield the rows of what may be shown under each heading, a long section in pieces, and the units in them."""
    clean = may_be_shown(document)
    shown = [
        index
        for index, unit in enumerate(bench.units)
        if unit.kind is not UnitKind.CODE and clean(unit.first, unit.own_last)
    ]
    for headings, group in groupby(shown, lambda index: bench.units[index].headings):
        if any(map(scan_secrets, headings)):
            continue
        head = [f"# {' > '.join(headings)}"] if headings else []
        rows, indexes, size = [*head], list[int](), 0
        for index in group:
            if size > PART_CHARACTERS and bench.units[index].parent < 0:
                yield rows, indexes
                rows, indexes, size = [*head], [], 0
            rows.append(bench.row(index))
            indexes.append(index)
            size += len(rows[-1])
        yield rows, indexes


class _Bench:
    """Where the operations on one memory are judged, each against those that were taken before it.

    Attributes:
        shown: The units that the question at hand shows, by their number in it.
    """

    def __init__(
        self, units: Sequence[Unit], today: date, staying: Collection[int], languages: tuple[str, ...]
    ) -> None:
        self.units = units
        self.views = tuple(look(units, today))
        self.shown: Mapping[str, int] = {}
        self._languages = languages
        self._staying = {
            n for n, unit in enumerate(units) if unit.first in staying or unit.own_last in staying
        }
        self._going = set[int]()
        self._kept = set[int]()
        self._below: dict[int, list[int]] = {}
        for index in range(len(units) - 1, -1, -1):
            parent = units[index].parent
            if parent >= 0:
                self._below.setdefault(parent, [])[:0] = [index, *self._below.get(index, ())]

    def may_go(self, index: int) -> bool:
        """Return whether nothing speaks for a unit before it is asked about."""
        return index not in self._staying

    def row(self, index: int) -> str:
        """Return a unit as it is shown."""
        unit, depth, above = self.units[index], 0, self.units[index].parent
        while above >= 0:
            depth, above = depth + 1, self.units[above].parent
        stays = " (stays)" if index in self._staying else ""
        box = f"[{unit.box}] " if unit.box else ""
        return f"{'  ' * depth}m{index + 1}{stays}: {box}{shorten(unit.text, ENTRY_CHARACTERS)}"

    def judge(self, operation: Removal) -> dict[int, Doubt]:
        """Return the doubts that an operation comes to, by their unit.

        Raises:
            RefusedOperationError: It does not keep the contract; the message says where.
        """
        require(0 <= operation.confidence <= 1, f"a confidence of {operation.confidence:g}")
        require(operation.confidence >= LEAST, "it is not sure enough")
        entry, *others = (self._named(name) for name in (operation.entry, *operation.others))
        quote, text = fold(operation.quote), fold(self.units[entry].text)
        stands = one_line(operation.quote) in one_line(self.units[entry].text)
        require(stands and len(quote) >= min(LEAST_QUOTE, len(text)), "the quote does not stand in the entry")
        needs = operation.op is Takes.MERGE or operation.why in _OF_TWO
        merges = operation.op is Takes.MERGE and operation.why is Why.REPEATS
        right = bool(others) if merges else len(others) == needs and operation.op is Takes.RETIRE
        require(right, "it does not name the other entry that it needs, or names one that it does not")
        if operation.why is Why.CONTRADICTS:
            return self._set_against(entry, others[0], operation)
        kept = entry if merges else others[0] if others else -1
        found: dict[int, Doubt] = {}
        for index in others if merges else [entry]:
            found.update(self._taken_out(index, kept, operation))
        self._going.update(found)
        if kept >= 0:
            self._kept.update((kept, *self._below.get(kept, ())))
        return found

    def _named(self, name: str) -> int:
        require(name in self.shown, "there is no such entry")
        return self.shown[name]

    def _set_against(self, index: int, other: int, operation: Removal) -> dict[int, Doubt]:
        """Return that two units contradict each other, nothing of which goes: the owner is shown both, rules and wishes, too."""
        two = {index, other}
        require(len(two) == 2 and self._is_about(other, index), "it speaks of something else")  # noqa: PLR2004
        whole = all(self.units[one].kind is not UnitKind.CODE and one not in self._below for one in two)
        require(whole, "only an entry without others below it is set against another")
        require(self._going.isdisjoint(two), "it keeps what another operation lets go")
        if index in self._staying:
            index, other = other, index
        require(index not in self._staying, "the owner pinned it or signed it lately")
        signs = (PAIRED, *((OTHER_KEPT,) if other in self._staying else ()))
        label, reason = _told(Why.CONTRADICTS)
        line = self.units[other].first
        return {index: doubt_of(self.units[index], label, reason, operation.confidence, signs, other=line)}

    def _taken_out(self, index: int, kept: int, operation: Removal) -> dict[int, Doubt]:
        """Return the doubts about a unit and all below it."""
        whole = [index, *self._below.get(index, ())]
        unit, why = self.units[index], operation.why
        require(self._staying.isdisjoint(whole), "the owner pinned it or signed it lately")
        require(all(self.units[one].kind is not UnitKind.CODE for one in whole), "code stays")
        require(
            self._kept.isdisjoint(whole) and kept not in self._going and kept not in whole,
            "it keeps what another operation lets go",
        )
        if why is Why.REPEATS:
            require(self._says_all(kept, whole), "the entry that stays does not say all of it")
        else:
            require(why is not Why.SUPERSEDED or self._is_about(kept, index), "it speaks of something else")
            require(
                not any(self._is_rule(one, kept) for one in whole),
                "it is a rule or wish, and nothing says it is over",
            )
        line = self.units[kept].first if kept >= 0 else 0
        label, reason = _told(why)
        signs = ("model", why.value, *((OTHER_KEPT,) if why is Why.SUPERSEDED else ()))
        reasons = [f"a model says that {reason.format(line=line)}"]
        reasons += [f"it belongs to line {unit.first}, which goes"] * (len(whole) - 1)
        return {
            one: doubt_of(self.units[one], label, told, operation.confidence, signs, other=line)
            for one, told in zip(whole, reasons, strict=True)
        }

    def _text(self, index: int) -> str:
        return " ".join(self.units[one].text for one in (index, *self._below.get(index, ())))

    def _says_all(self, kept: int, whole: Sequence[int]) -> bool:
        """Whether an entry has most words of a repeat, all its numbers, names and addresses, and denies what that denies."""
        repeat, other = self._text(whole[0]), self._text(kept)
        wanted = content_words(repeat)
        names = {name for one in whole for name in names_of(self.units[one])}
        return (
            len(wanted & content_words(other)) > REPEATED * len(wanted)
            and numbers(repeat) <= numbers(other)
            and all(name in other for name in names)
            and is_negated(repeat) == is_negated(other)
        )

    def _is_about(self, kept: int, index: int) -> bool:
        """Whether what is to hold now, under its heading, has some of an entry's words."""
        said = " ".join((*self.units[kept].headings[-1:], self._text(kept)))
        return len(content_words(self.units[index].text) & content_words(said)) >= LEAST_SHARED

    def _is_rule(self, index: int, kept: int) -> bool:
        """Whether a unit is a rule or wish of which neither it, what it stands below nor what comes in its place says that it is over."""
        view = self.views[index]
        decides = view.unit.kind is UnitKind.DECISION
        wishes = not RULES.isdisjoint(find_cues(view.prose, self._languages)) or has("rule", view.label)
        if not decides and not wishes:
            return False
        while index >= 0:
            if says_it_is_over(self.views[index]):
                return False
            index = self.units[index].parent
        return kept < 0 or "retire" not in find_cues(self._text(kept), self._languages)


BLOCKS_A_QUESTION = 20
BLOCK_CHARACTERS = 4_096
"""Of a block: a longer one is no entry that a person reads, and is left to the rules."""
OFFERED_TAGS = 100
"""Of the home's tags, the commonest."""


class SaidOf(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a model answers of one block; ``schemas/analyst-blocks.schema.json``.

    Attributes:
        block: As the question numbers it: ``b3``.
        sentences: As the question numbers them.
        tags: Words.
        alignment_score: 0..1.
    """

    block: str
    sentences: tuple[int, ...]
    tags: tuple[str, ...]
    alignment_score: float


class BlocksAnswer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a model may say of some blocks."""

    blocks: tuple[SaidOf, ...]


BLOCKS_FORM = Form(kind=BlocksAnswer, schema="analyst-blocks", most_tokens=2_000, named="blocks", kept=False)


def ask_blocks(
    analyst: Analyst, prompt: str, blocks: Sequence[str], context: SelfContext, run: AnalystRun
) -> AnalystRun:
    """Ask about the long blocks of which nothing is kept yet, and keep what is answered; gives what it cost.

    Args:
        analyst: Who is asked.
        prompt: The text of the question.
        blocks: Entries of memory that may be shown to it.
        context: What is offered: tags of the home, and the principles in force.
        run: What was spent so far.
    """
    counts = Counter(run.blocks)
    interview = Interview(replace(analyst, prompt=prompt), run)
    try:
        earlier = answers_of(read_asked(analyst.home, analyst.key))
        wanted = [
            one
            for one in dict.fromkeys(map(str.strip, blocks))
            if is_long(one) and len(one) <= BLOCK_CHARACTERS
        ]
        left = [one for one in wanted if block_name(one) not in earlier]
        for at in range(0, len(left), BLOCKS_A_QUESTION):
            part = left[at : at + BLOCKS_A_QUESTION]
            values = {
                "blocks": "\n".join(_shown(part)),
                "principles": "\n".join(context.principles) or "(none)",
                "tags": ", ".join(sorted(context.tags)) or "(none)",
            }
            before = interview.run.tokens
            answer = interview.ask(values, BLOCKS_FORM)
            if answer is None:
                counts[interview.run.problem] += len(left) - at
                break
            _keep(analyst, part, answer, context, counts, interview.run.tokens - before)
    except (NightledgerError, OSError) as error:
        counts[str(error).split("\n", 1)[0]] += 1
    return replace(interview.run, problem=run.problem, blocks=dict(sorted(counts.items())))


def _shown(blocks: Sequence[str]) -> Iterator[str]:
    for number, block in enumerate(blocks, 1):
        yield f"b{number}"
        yield from (f"  {n}| {one.text}" for n, one in enumerate(sentences_in(block), 1))


def _keep(
    analyst: Analyst,
    blocks: Sequence[str],
    answer: BlocksAnswer,
    context: SelfContext,
    counts: Counter[str],
    tokens: int,
) -> None:
    said = {one.block: one for one in answer.blocks}
    rows = []
    for number, block in enumerate(blocks, 1):
        held, why = hold(said.get(f"b{number}"), block, context)
        counts[why] += 1
        told = msgspec.json.encode(held).decode() if held else NOTHING
        rows.append(analyst.line(block_name(block), told, tokens // len(blocks)))
    keep_answers(analyst.home, analyst.key, *rows)


def hold(said: SaidOf | None, block: str, context: SelfContext) -> tuple[Said | None, str]:
    """Return what of a model's answer holds, and the word or reason by which it is counted.

    Tags that the home does not offer and that do not stand in the block are left out.
    """
    if said is None:
        return None, "it said nothing of a block"
    if not 0 <= said.alignment_score <= 1:
        return None, "an alignment beyond 0..1"
    named = {*tags_in(block), *context.tags}
    tags = [tag for tag in dict.fromkeys(map(valid_tag, said.tags)) if tag in named]
    held = Said(
        sentences=tuple(sorted(set(said.sentences))),
        tags=tuple(sorted(tags, key=lambda tag: tag not in context.tags))[: limits().most_tags],
        alignment_score=round(said.alignment_score, 4),
    )
    if not said_sentences(held, sentences_in(block)):
        return None, "sentences that are none, say nothing, or are too many"
    return held, "said"

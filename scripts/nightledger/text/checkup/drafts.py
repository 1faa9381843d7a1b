"""Turn doubts into changes that an operator can sign: one a run of lines that go together.

Invariant: a draft takes out whole lines of whole items, or a secret out of its lines; beside those
lines it holds nothing of a secret (docs/decisions/0007-secrets.md). Applying all drafts leaves no heading, table
head or lead without what it announced (``checkup``).
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import CONTRADICTION, Draft, Evidence, Flag, Op, Origin, Scope
from nightledger.text.checkup.checkup import OTHER_KEPT, rank_of
from nightledger.text.checkup.danger import PLACEHOLDER, SECRET_CONFIDENCE
from nightledger.text.markdown.document import Document, encode, is_blank, parse_markdown
from nightledger.text.patterns import grouped
from nightledger.text.scanners.scan import veil
from nightledger.text.similar import fold

MOST_LINES = 40
"""Lines of one change: what an operator can read in one go."""
MOST_EVIDENCE = 5
_CHOICE = "line {line} says: {text} \u2014 sign: that one stays; reject: this one stays, {then}"
_THEN = {False: "and the next check-up asks about that one", True: "and that one too"}
"""What an operator may answer where two items contradict each other."""


def drafts_from_doubts(
    doubts: Sequence[Doubt], document: str, target: str, *, cap_characters: int | None = None
) -> list[Draft]:  # fmt: skip
    r"""Give the changes that would settle the doubts, the one to look at first first.

    Doubts of one section that follow each other become one change, so that a section
    goes with its heading and a table with its head; what is replaced stays by itself.
    A secret is taken out of its lines by a change of its own, unless another takes these lines out;
    what is only perhaps one stays for the owner to judge.

    Args:
        doubts: From ``check_memory`` on the same document.
        document: The file's text; lines are split on ``\n`` only.
        target: The gated file, relative to the home.
        cap_characters: What the host shows the agent; None where there is no cap.
    """
    parsed = parse_markdown(document)
    over = 0 if cap_characters is None else len(document) - cap_characters
    in_order = sorted(doubts, key=lambda doubt: doubt.lines)
    secrets = [doubt for doubt in in_order if doubt.label is DoubtLabel.SECRET]
    others = [doubt for doubt in in_order if doubt.label is not DoubtLabel.SECRET]
    runs = [_run(parsed, group) for group in _groups(parsed, others)]
    taken = {line for run in runs if not run.replaces for line in range(run.first, run.last + 1)}
    runs += [
        _run(parsed, (doubt,))
        for doubt in secrets
        if doubt.confidence >= SECRET_CONFIDENCE
        and not taken.issuperset(range(doubt.lines[0], doubt.lines[1] + 1))
    ]
    veiled = parse_markdown(veil(document)) if secrets else parsed
    drafts = list(_apart(_draft(parsed, veiled, run, target, over) for run in runs))
    return sorted(drafts, key=lambda draft: (-draft.rank, draft.line))


def _apart(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Number the keys of drafts that are alike but for their secrets, each of which is to go."""
    seen = Counter[str]()
    for draft in drafts:
        seen[draft.statement_key] += 1
        count = seen[draft.statement_key] if PLACEHOLDER in draft.after else 1
        yield draft if count == 1 else replace(draft, statement_key=f"{draft.statement_key} {count}")


class _Run(Struct, frozen=True, kw_only=True):
    """Doubts that go together, and the lines that they take.

    A run in a gap of its own takes the blank lines below it, so that two neighbours share no line.
    """

    doubts: tuple[Doubt, ...]
    first: int
    last: int

    @property
    def replaces(self) -> bool:
        return any(doubt.op is Op.REPLACE for doubt in self.doubts)


def _groups(document: Document, doubts: Sequence[Doubt]) -> Iterator[tuple[Doubt, ...]]:
    group: list[Doubt] = []
    for doubt in doubts:
        if group and doubt.lines[1] <= group[-1].lines[1]:
            continue
        if group and not _goes_on(document, group, doubt):
            yield tuple(group)
            group = []
        group.append(doubt)
    if group:
        yield tuple(group)


def _goes_on(document: Document, group: Sequence[Doubt], doubt: Doubt) -> bool:
    first, last = group[0], group[-1]
    between = document.lines[last.lines[1] : doubt.lines[0] - 1]
    if Op.REPLACE in {last.op, doubt.op} or any(not is_blank(line) for line in between):
        return False
    below = first.signs == ("shell",) and doubt.section[: len(first.section)] == first.section
    if DoubtLabel.CONTRADICTION in {last.label, doubt.label} and not below:
        return False  # each asks a question of its own
    return (below or doubt.section == last.section) and doubt.lines[1] - first.lines[0] < MOST_LINES


def _run(document: Document, doubts: tuple[Doubt, ...]) -> _Run:
    first, last = doubts[0].lines[0], doubts[-1].lines[1]
    below = last
    while below < len(document.lines) and is_blank(document.lines[below]):
        below += 1
    alone = first == 1 or is_blank(document.lines[first - 2])
    takes_gap = alone and below < len(document.lines) and all(doubt.op is not Op.REPLACE for doubt in doubts)
    return _Run(doubts=doubts, first=first, last=below if takes_gap else last)


def _draft(document: Document, veiled: Document, run: _Run, target: str, over: int) -> Draft:
    before = document.text(run.first, run.last)
    label, confidence = _label(run.doubts), _confidence(run.doubts)
    after = "".join(doubt.after for doubt in run.doubts)
    return Draft(
        op=_op(run),
        target=target,
        section=run.doubts[0].section,
        before=before,
        line=run.first,
        after=after,
        reason=_reason(run.doubts),
        evidence=tuple(_evidence(veiled, run, target)),
        confidence=confidence,
        rank=rank_of(label, confidence, len(before) - len(after), over),
        statement_key=f"{_op(run).value} {fold(veiled.text(run.first, run.last))}",
        scope=Scope(fails_when=grouped("doubt-reasons")["fails_when"][label][0]),
        flags=tuple(Flag(rule=rule, message=message) for rule, message in _flags(veiled, run.doubts)),
    )


def _op(run: _Run) -> Op:
    ops = {doubt.op for doubt in run.doubts}
    return next(op for op in (Op.REPLACE, Op.ARCHIVE, Op.REMOVE) if op in ops)


def _label(doubts: Sequence[Doubt]) -> DoubtLabel:
    grave = (doubt.label for doubt in doubts if doubt.label is DoubtLabel.INJECTION)
    return next(grave, None) or Counter(doubt.label for doubt in doubts).most_common(1)[0][0]


def _confidence(doubts: Sequence[Doubt]) -> float:
    """The mean over what goes, because a long item that should stay weighs more than a short one."""
    weights = [max(1, doubt.characters) for doubt in doubts]
    total = sum(weight * doubt.confidence for weight, doubt in zip(weights, doubts, strict=True))
    return round(total / sum(weights), 4)


def _reason(doubts: Sequence[Doubt]) -> str:
    reasons = Counter(doubt.reason for doubt in doubts if doubt.signs != ("shell",)) or Counter(
        [doubts[0].reason]
    )
    (first, count), *rest = reasons.most_common(2)
    if sum(reasons.values()) == 1:
        return _sentence(first)
    others = f"; {rest[0][1]}: {rest[0][0]}" if rest else ""
    return _sentence(f"{sum(reasons.values())} items go together; {count}: {first}{others}")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _evidence(document: Document, run: _Run, target: str) -> Iterator[Evidence]:
    yield _lines(document, run.first, run.last, target)
    others = dict.fromkeys(doubt.other for doubt in run.doubts if doubt.other)
    for line in list(others)[:MOST_EVIDENCE]:
        yield _lines(document, line, line, target)


def _lines(document: Document, first: int, last: int, target: str) -> Evidence:
    text = "\n".join(line.removesuffix("\n") for line in document.lines[first - 1 : last])
    return Evidence(
        path=target, lines=(first, last), sha256=hashlib.sha256(encode(text)).hexdigest(), origin=Origin.UNKNOWN
    )  # fmt: skip


def _flags(document: Document, doubts: Sequence[Doubt]) -> Iterator[tuple[str, str]]:
    for doubt in doubts:
        if doubt.label is DoubtLabel.CONTRADICTION and doubt.other:  # a heading that goes along asks nothing
            text = document.text(doubt.other, doubt.other).strip()
            then = _THEN[OTHER_KEPT in doubt.signs]
            yield CONTRADICTION, _CHOICE.format(line=doubt.other, text=text, then=then)
        if doubt.label is DoubtLabel.INJECTION:
            for rule in doubt.signs:
                yield rule, doubt.reason

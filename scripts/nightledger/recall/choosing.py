"""From what was weighed to what is shown: each text once, without what an agent may not see, and why it was found.

Invariant: a reason names no word that only a withheld line has, and what has none of the query's words left is
left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from nightledger.domain.search.lines import best_lines
from nightledger.domain.search.ranking import Ranked
from nightledger.domain.search.values import Chunk, Hit, Query, Reason, Showing, Why
from nightledger.recall.weighing import Asked
from nightledger.recall.withheld import HEADING, Held, Judge, without
from nightledger.text.search import tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is shown.

    Attributes:
        hits: The best first.
        ranked: What gave each of them its score, for an agent by what it may see.
        withheld: How many chunks were left out, by why.
    """

    hits: tuple[Hit, ...]
    ranked: tuple[Ranked, ...]
    withheld: Mapping[str, int]


def choose(
    ranked: Iterable[Ranked], chunks: Mapping[int, Chunk], judge: Judge | None, query: Query, asked: Asked
) -> Chosen:
    """Choose the hits of a query.

    Args:
        ranked: The best first.
        chunks: By their numbers.
        judge: Says what an agent may not see; None: nothing is withheld.
        query: How many are wanted, and who asks.
        asked: The query, read.
    """
    hits: list[Hit] = []
    shown_by: list[Ranked] = []
    withheld: Counter[str] = Counter()
    seen: set[str] = set()
    for one in ranked:
        if len(hits) == query.limit:
            break
        chunk = chunks[one.id]
        said = " ".join(chunk.text.split())
        if said in seen:
            continue  # a log and its copy in the archive, or words that stand in two places
        seen.add(said)
        held = judge.held(chunk) if judge else {}
        shown, left = chunk, one
        if judge and query.showing is Showing.AGENT:
            shown = replace(chunk, heading=judge.heading(chunk), text=without(chunk, held))
        if shown != chunk:
            left = _by_what_is_left(one, shown)
            if not (left.words or (asked.groups == () and shown.text.strip())):
                withheld[next(iter(held.values()), HEADING)] += 1
                continue
        hits.append(_hit(shown, left, held, query.showing, asked))
        shown_by.append(left)
    return Chosen(hits=tuple(hits), ranked=tuple(shown_by), withheld=dict(sorted(withheld.items())))


def _by_what_is_left(ranked: Ranked, chunk: Chunk) -> Ranked:
    """Leave out of why a chunk was found the words that only stand in what is withheld."""
    words_in = _words_in(dict.fromkeys(ranked.words.values(), 0.0))
    left = words_in(f"{chunk.heading}\n{chunk.text}") if chunk.text.strip() else frozenset()
    words = {word: found for word, found in ranked.words.items() if found in left}
    parts = {word: score for word, score in ranked.parts.items() if word in words}
    return replace(ranked, words=words, parts=parts)


def _hit(chunk: Chunk, ranked: Ranked, held: Held, showing: Showing, asked: Asked) -> Hit:
    weights = {found: ranked.parts.get(word, 0.0) for word, found in ranked.words.items()}
    lines = best_lines(chunk.text, chunk.first_line, _words_in(weights), weights)
    return Hit(
        chunk=chunk,
        score=ranked.score,
        lines=lines,
        why=_reasons(ranked, asked, chunk.day),
        held=None if showing is Showing.AGENT or not held else _why_held(held),
    )


def _words_in(weights: Mapping[str, float]) -> Callable[[str], frozenset[str]]:
    """Give what tells which words of a query a line holds; words with one beginning are taken for one."""
    starts = {word: tokens.plain(word)[: max(3, len(word) - 3)] for word in weights}

    def told(line: str) -> frozenset[str]:
        said = set(map(tokens.plain, tokens.words_in(line)))
        return frozenset(
            word for word, start in starts.items() if any(other.startswith(start) for other in said)
        )

    return told


def _why_held(held: Held) -> str:
    """Say which lines are withheld, and why: ``line 4: forgotten``."""
    by_reason: dict[str, list[int]] = {}
    for number, why in held.items():
        by_reason.setdefault(why, []).append(number)
    return "; ".join(
        f"{'line' if len(lines) == 1 else 'lines'} {_span(lines)}: {why}" for why, lines in by_reason.items()
    )


def _span(lines: Sequence[int]) -> str:
    """Give numbers with runs of three or more as ``350-368``."""
    runs: list[list[int]] = []
    for number in lines:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    if len(runs) == 1 and len(lines) > 1:
        return f"{lines[0]}-{lines[-1]}"
    told = (f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)  # noqa: PLR2004 - as told above
    return ", ".join(told)


def _reasons(ranked: Ranked, asked: Asked, day: date | None) -> tuple[Reason, ...]:
    said = {
        Why.NEIGHBOUR: "its day" if day else "its section",
        Why.NAME: "a name",
        Why.TIME: f"{asked.times.said}{', told later' if day and asked.times.is_later(day) else ''}",
        Why.HOP: " ".join(asked.led),
        Why.MEANING: "its meaning",
    }
    linked = {group.word: group.linked for group in asked.groups}
    reasons = [
        Reason(why=why, what=said[why], score=round(score, 4)) for why, score in ranked.besides.items()
    ]
    for word, score in ranked.parts.items():
        found = ranked.words[word]
        why = Why.EXPANSION if found in linked[word] or found != word else Why.TERM
        what = tokens.shown_as(word) if found == word else f"{found}, for {word}"
        reasons.append(Reason(why=why, what=what, score=round(score, 4)))
    return tuple(sorted(reasons, key=lambda one: (-one.score, one.why.value, one.what)))

"""Candidates as an agent may see them: without lines, headings and items before them that are withheld.

What a query found is weighed anew without these, so that nothing that is withheld counts: no word,
no day that it lifts, no tag. The best are looked at, as many as may become hits; an agent's answer is
the operator's as long as nothing of these is withheld.

Invariant: of what is given back each word, heading and lead may be told to an agent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nightledger.domain.search.ranking import Ranked, fuse
from nightledger.domain.search.values import Chunk, Query, Why
from nightledger.files.search_store import SearchStore
from nightledger.recall.weighing import Asked, weigh
from nightledger.recall.withheld import HEADING, Judge, without
from nightledger.text.search import tokens

LEAST = 30
EACH = 3
"""Candidates that are looked at: so many, or so many for each hit that is wanted. A look is a scan, 0.3 ms. Our choice."""
_SHORTEST_START = 3
_ENDING = 3
"""Letters at a word's end that its forms may differ in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A chunk as an agent may see it.

    Attributes:
        chunk: With its heading and lines as far as they may be told.
        lead: The item before it, likewise.
        why: Why something is withheld; empty where nothing is.
    """

    chunk: Chunk
    lead: str
    why: str


class AgentView:
    """What an agent may see of the candidates of one query.

    Args:
        store: The index.
        judge: Says what is withheld.
        query: What is asked.
    """

    def __init__(self, store: SearchStore, judge: Judge, query: Query) -> None:
        self._store, self._judge, self._query = store, judge, query
        self._tags = [tokens.tag_terms(tag) for tag in query.tags]
        self._seen: dict[int, Seen] = {}
        self._left_out: dict[int, str] = {}

    @property
    def withheld(self) -> Counter[str]:
        """How many candidates were left out, by why."""
        return Counter(self._left_out.values())

    def rank(
        self,
        ranked: Sequence[Ranked],
        chunks: dict[int, Chunk],
        asked: Asked,
        cosines: Mapping[int, float] | None = None,
    ) -> list[Ranked]:
        """Give candidates with the scores that they have without what is withheld, the best first.

        Args:
            ranked: Candidates, the best first.
            chunks: By their numbers; those that were looked at become what may be seen of them.
            asked: What they were weighed for.
            cosines: What meaning added, by their numbers.
        """
        most = max(LEAST, EACH * self._query.limit)
        behind = () if self._query.scope else ranked[most:]
        best = [*ranked[:most], *(one for one in behind if chunks[one.id].entry)]
        seen = self.look([one.id for one in best], chunks, asked)
        chunks.update({number: one.chunk for number, one in seen.items()})
        if not any(one.why for one in seen.values()):
            return list(ranked)
        told = {number: one for number, one in seen.items() if self._is_asked_for(number, one)}
        again = weigh(
            self._store,
            {number: one.chunk for number, one in told.items()},
            asked,
            leads={number: one.lead for number, one in told.items()},
        )
        cut = {number for number, one in seen.items() if one.why}
        whole = {number: cosine for number, cosine in (cosines or {}).items() if number not in cut}
        return [one for one in fuse(again, whole) if self._answers(one, seen[one.id], asked)]

    def last_look(self, one: Ranked, chunks: dict[int, Chunk], asked: Asked) -> Ranked | None:
        """Give a candidate with what of it may be told; None where nothing of the query is left.

        Args:
            one: The candidate; it may not have been looked at.
            chunks: All candidates; it becomes what may be seen of it.
            asked: What for.
        """
        known = one.id in self._seen
        seen = self._seen[one.id] if known else self.look([one.id], chunks, asked)[one.id]
        chunks[one.id] = seen.chunk
        if known or not seen.why:
            return one
        words_in = words_told(dict.fromkeys(one.words.values(), 0.0))
        left = words_in(f"{seen.chunk.heading}\n{seen.chunk.text}\n{seen.lead}")
        words = {word: found for word, found in one.words.items() if found in left}
        if not (words or not asked.groups) or not self._is_asked_for(one.id, seen):
            self._left_out[one.id] = seen.why
            return None
        return replace(one, words=words, parts={word: one.parts[word] for word in words if word in one.parts})

    def look(self, numbers: Iterable[int], chunks: Mapping[int, Chunk], asked: Asked) -> dict[int, Seen]:
        """Give what may be seen of chunks.

        Args:
            numbers: Theirs.
            chunks: All candidates.
            asked: What for: a lead without a word of it is not looked at.
        """
        wanted = list(numbers)
        starts = _starts([*(word for group in asked.groups for word in group.weights), *_all(self._tags)])
        leads = {number: lead for number, lead in self._store.leads(wanted).items() if _holds(lead, starts)}
        for number in wanted:
            known = self._seen.get(number)
            if known is None:
                self._seen[number] = self._look(chunks[number], leads.get(number, ""))
            elif number in leads and not known.lead:  # other words are looked for than before
                lead, why = self._before(chunks[number], leads[number])
                self._seen[number] = replace(known, lead=lead, why=known.why or why)
        return {number: self._seen[number] for number in wanted}

    def _look(self, chunk: Chunk, lead: str) -> Seen:
        held = self._judge.held(chunk)
        heading = self._judge.heading(chunk)
        why = next(iter(held.values()), "" if heading == chunk.heading else HEADING)
        shown = replace(chunk, heading=heading, text=without(chunk, held)) if why else chunk
        told, why_before = self._before(chunk, lead)
        return Seen(chunk=shown, lead=told, why=why or why_before)

    def _before(self, chunk: Chunk, lead: str) -> tuple[str, str]:
        """Give what of the item before a chunk may be told, and why not all of it."""
        if not lead:
            return "", ""
        first = chunk.first_line - lead.count("\n")
        text = lead.rstrip("\n")
        before = replace(chunk, first_line=first, last_line=first + text.count("\n"), text=text)
        held = self._judge.held(before)
        return without(before, held), next(iter(held.values()), "")

    def _is_asked_for(self, number: int, seen: Seen) -> bool:
        """Tell whether what is left says anything, and a tag where one is asked for."""
        fit = bool(seen.chunk.text.strip()) and (not seen.why or self._says_a_tag(seen))
        if not fit:
            self._left_out[number] = seen.why
        return fit

    def _answers(self, one: Ranked, seen: Seen, asked: Asked) -> bool:
        if one.words or not asked.groups or (Why.MEANING in one.besides and not seen.why):
            return True
        self._left_out[one.id] = seen.why
        return False

    def _says_a_tag(self, seen: Seen) -> bool:
        if not self._tags:
            return True
        stems = (
            self._stems(tokens.words_in(seen.chunk.heading)),
            self._stems(tokens.words_in(seen.chunk.text)),
        )
        said = (*stems, self._stems(tokens.words_in(seen.lead)))
        return any(_stands_in(self._stems(tag), words) for tag in self._tags for words in said)

    def _stems(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(stem) for stem in self._store.stems(words)]


def words_told(weights: Mapping[str, float]) -> Callable[[str], frozenset[str]]:
    """Give what tells which words of a query a line holds; words with one beginning are taken for one.

    Args:
        weights: By the words.
    """
    starts = {word: tokens.plain(word)[: max(3, len(word) - 3)] for word in weights}

    def told(line: str) -> frozenset[str]:
        said = set(map(tokens.plain, tokens.words_in(line)))
        return frozenset(
            word for word, start in starts.items() if any(other.startswith(start) for other in said)
        )

    return told


def _all(tags: Iterable[Sequence[str]]) -> list[str]:
    return [word for tag in tags for word in tag]


def _starts(words: Iterable[str]) -> tuple[str, ...]:
    return tuple({tokens.plain(word)[: max(_SHORTEST_START, len(word) - _ENDING)] for word in words})


def _holds(text: str, starts: tuple[str, ...]) -> bool:
    return bool(text) and any(tokens.plain(word).startswith(starts) for word in tokens.words_in(text))


def _stands_in(tag: Sequence[tuple[str, ...]], words: Sequence[tuple[str, ...]]) -> bool:
    size = len(tag)
    return any(list(words[at : at + size]) == list(tag) for at in range(len(words) - size + 1))

"""Ask a model what blocks of memory come to: alignment, tags and the sentences of a summary, of many blocks in one question.

Invariant: it answers numbers of sentences, tags and a share, and no words of a summary. What it said is kept by the block's own words,
so that what is embedded, staged or shown needs no server; what does not hold is counted, and the rules say what the block comes to.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun, Said, SelfContext
from nightledger.domain.errors import NightledgerError
from nightledger.domain.words import dump_moment
from nightledger.text.statements.block import (
    is_long,
    limits,
    said_sentences,
    sentences_in,
    tags_in,
    valid_tag,
)
from nightledger.think.analyst import (
    NOTHING,
    Analyst,
    Asked,
    Form,
    Interview,
    block_name,
    keep_answers,
    read_answers,
)

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


FORM = Form(kind=BlocksAnswer, schema="analyst-blocks", most_tokens=2_000, named="blocks", kept=False)


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
        earlier = read_answers(analyst.home, analyst.key)
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
            answer = interview.ask(values, FORM)
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
        share = tokens // len(blocks)
        rows.append(
            Asked(1, dump_moment(analyst.at), analyst.server.name, block_name(block), told, share, "")
        )
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

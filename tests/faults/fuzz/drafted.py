"""What a model answers: whatever it says, a result is made of words that stand where it was shown to look."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from tests.faults.fuzz.target import NothingError, Target, given, scratch, seeds
from tests.rows import corpus

from nightledger.files.home import Home
from nightledger.text.checkup.checkup import check_memory
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.patterns import words
from nightledger.text.statements.daylog import read_daylog
from nightledger.think.analyst import Analyst, Reply, read_prompt
from nightledger.think.checkup import Chosen, choose
from nightledger.think.drafting import Drafted, draft

DAY = date(2026, 3, 2)
NOTES = corpus("drafted-notes.txt")
MEMORY = "# Memory\n\n## Infra\n\n- Backups run at 02:00 from the NAS\n- Invoices are late\n"
_WORDS = re.compile(r"[^\W_]+")
_LOG, _DOCUMENT = read_daylog("memory/2026-03-02.md", NOTES, DAY), parse_markdown(MEMORY)


class _Model:
    """A model that says what it is given."""

    name = "fuzzed"
    tokens_a_night = 1 << 30

    def __init__(self, text: str) -> None:
        self._text = text

    def complete(self, _prompt: str, _schema: Mapping[str, Any], _most_tokens: int) -> Reply:
        return Reply(text=self._text, tokens=1)


def _analyst(raw: bytes, prompt: str) -> Analyst:
    return Analyst(
        server=_Model(raw.decode("utf-8", "replace")),
        prompt=read_prompt(str(scratch()), prompt),
        home=Home(scratch()),
        at=datetime(2026, 3, 3, tzinfo=UTC),
        key=b"k" * 32,
        dry_run=True,
    )


def _read(raw: bytes) -> Drafted:
    drafted = draft(_analyst(raw, "draft"), [_LOG], _DOCUMENT, DAY)
    given(drafted.chosen)
    return drafted


def _check(_: bytes, drafted: Drafted) -> None:
    known = {word.casefold() for word in _WORDS.findall(f"{NOTES} {MEMORY} {DAY}")}
    known |= set(words("claim-words")["small"])
    for one in drafted.chosen:
        assert {word.casefold() for word in _WORDS.findall(one.statement.text)} <= known
        assert "late because of the bank" not in one.statement.text or "thinks" in one.statement.text


_SEEDS = seeds("drafted_seeds")
_KEPT = corpus("drafted-kept.txt")
_STAYS = {5, 6}
"""Lines of a rule and of a wish, which no answer takes."""


def _read_removals(raw: bytes) -> Chosen:
    chosen = choose(_analyst(raw, "checkup"), parse_markdown(_KEPT), DAY, ())
    given(chosen.doubts)
    return chosen


def _check_removals(_: bytes, chosen: Chosen) -> None:
    gone = {doubt.lines[0] for doubt in chosen.doubts}
    assert gone.isdisjoint(_STAYS)
    assert all(doubt.lines[0] == doubt.lines[1] and doubt.after == "" for doubt in chosen.doubts)
    told = {doubt.lines for doubt in check_memory(_KEPT, today=DAY, chosen=chosen.doubts)}
    assert told <= {doubt.lines for doubt in chosen.doubts} | {(1, 1)}


_REMOVALS = seeds("drafted_removals")
TARGETS = [
    Target("analyst-answers", _read, _check, _SEEDS, NothingError),
    Target("analyst-removals", _read_removals, _check_removals, _REMOVALS, NothingError),
]

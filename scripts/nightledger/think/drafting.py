"""Ask a model what of a day's notes belongs into memory, part by part.

Invariant: an operation counts only where every note that it rests on was wholly judged; the rest is left to the rules.
"""

from collections.abc import Sequence
from datetime import date
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import AnalystRun
from nightledger.domain.daylog import DayLog
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import find_entries
from nightledger.text.scanners.scan import scan_secrets
from nightledger.text.statements.estimate import log_languages
from nightledger.think.analyst import Analyst, Form, Interview
from nightledger.think.contract import Answer, Chosen, View, judge
from nightledger.think.prompting import cut_parts, may_be_shown, short, show_memory, suffixes, tells_secret

OPERATIONS = 8
"""A question may be answered with so many operations at most; a night proposes five of all."""
LEAST = 0.7
"""A night's first proposal must be this sure, ..."""
STEP = 0.1
"""... and each further one by this share of what is missing to certainty more: an owner's attention is spent. On ten days of a workspace a
model named 20 lines; below .65 its owner would have refused most, above it few."""
FORM = Form(kind=Answer, schema="analyst-draft", most_tokens=2_000)


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
    interview = Interview(analyst)
    chosen: list[Chosen] = []
    missed: set[str] = {log.path for log in logs} - {log.path for log in view.logs.values()}
    told = {"day": day.isoformat(), "limit": str(OPERATIONS)}
    told["memory"] = show_memory(view)
    for part in cut_parts(view.logs):
        answer = interview.ask({**told, "notes": part.notes}, FORM)
        if answer is None:
            missed |= {view.logs[name].path for name in part.shown}
            continue
        shown = {**dict.fromkeys(view.logs, frozenset[int]()), **part.shown}
        seen = replace(view, shown=shown)
        chosen += interview.judge(answer.operations[:OPERATIONS], partial(judge, view=seen))
    chosen = [one for one in chosen if not missed.intersection(log.path for log, _ in one.quoted)]
    chosen.sort(key=lambda one: (-one.statement.score, one.statement.path, one.statement.lines))
    answered = frozenset(log.path for log in logs) - missed
    return Drafted(chosen=tuple(chosen), answered=answered, run=interview.finish())


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

"""``hook calibrate``: which relevance the prompt hook should ask for in this home, and what each costs."""

import json
import os
import random  # noqa: TID251 - seeded: the same home gives the same answer
from collections.abc import Iterable, Sequence
from typing import Any

from nightledger.domain.errors import UsageError
from nightledger.files.home import Home
from nightledger.files.hook_settings import HookSettings, read_hook_settings
from nightledger.files.reading import read_regular
from nightledger.files.search_index import index_path
from nightledger.files.search_reader import Reader, open_reader
from nightledger.recall.calibrating import Answer, Label, Row, null_labels, suggest, tabulate, try_out
from nightledger.surfaces.context import Context

MAX_LABELS_BYTES = 16 << 20
_TOLD = 8
"""Rows of the table that are printed: from the one that is suggested, some to either side."""
_EXAMPLE = '{"prompt": "which unit has the sensor?", "answers": [{"path": "MEMORY.md", "lines": [12, 12]}]}'


def calibrate(context: Context, *, labels: str | None, alarms: float) -> int:
    """Print the threshold to set, and what it and its neighbours do.

    Args:
        context: Home and output.
        labels: A file of prompts with what answers them; None measures on prompts about nothing.
        alarms: Percent of prompts about nothing that may be shown a line, 0 to 100.

    Raises:
        UsageError: The labels are none, or cannot tell anything.
        MissingFileError: There is no search index yet.
    """
    if not 0 <= alarms <= 100:  # noqa: PLR2004 - percent
        raise UsageError(f"--alarms {alarms:g} is no percentage", hint="for example --alarms 1")
    home = Home(context.home_path).require()
    settings = read_hook_settings(home)
    reader = open_reader(index_path(home))
    try:
        known = _labels(labels, reader)
        rows = tabulate(try_out(reader, label, lines=max(1, settings.lines)) for label in known)
    finally:
        reader.close()
    if not rows[0].unanswerable:
        raise UsageError(
            "there is nothing that tells when to stay silent",
            hint="the index holds no text yet; or add labels without answers, for prompts that memory does not answer",
        )
    _tell(context, rows, alarms, settings.relevance, labelled=bool(labels))
    return 0


def _labels(path: str | None, reader: Reader) -> Iterable[Label]:
    if path is None:
        return null_labels(reader, random.Random(0))  # noqa: S311 - a sample, not a secret
    raw = read_regular(os.path.realpath(path), MAX_LABELS_BYTES)
    return [_label(line, f"{path}:{n}") for n, line in enumerate(raw.splitlines(), 1) if line.strip()]


def _label(line: bytes, where: str) -> Label:
    try:
        record: dict[str, Any] = json.loads(line)
        answers = tuple(
            Answer(path=str(answer["path"]), first=int(answer["lines"][0]), last=int(answer["lines"][-1]))
            for answer in record["answers"]
        )
        earlier = tuple(str(prompt) for prompt in record.get("earlier", ()))
        return Label(prompt=str(record["prompt"]), earlier=earlier, answers=answers)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise UsageError(f"{where} is no label", hint=f"write it as {_EXAMPLE}; no answers: []") from error


def _record(row: Row) -> dict[str, object]:
    return {
        "relevance": row.threshold,
        "precision": row.precision,
        "helped": row.recall,
        "alarms": row.alarm_rate,
        "answerable": row.answerable,
        "unanswerable": row.unanswerable,
    }


def _tell(context: Context, rows: Sequence[Row], alarms: float, in_force: float, *, labelled: bool) -> None:
    """Print what was measured and what follows from it; without labels never less than the default."""
    chosen = suggest(rows, alarms / 100)
    advised = chosen and (chosen.threshold if labelled else max(chosen.threshold, HookSettings().relevance))
    context.emit(
        {
            "relevance": advised,
            "measured": chosen.threshold if chosen else None,
            "in_force": in_force,
            "measured_on": "labels" if labelled else "prompts about nothing",
            "rows": [_record(row) for row in rows],
        }
    )
    _print_rows(context, rows, chosen)
    if advised is None:
        context.print(f"No relevance keeps that below {alarms:g} %: the labels may be wrong.")
        return
    context.print(f"In force: {in_force:g}. Advised: {advised:g}, in config/nightledger/staging-rules.json:")
    context.print(json.dumps({"prompt_hook": {"relevance": advised}}))
    if not labelled:
        context.print("Prompts about nothing tell the least that it must be; --labels FILE tells more.")


def _print_rows(context: Context, rows: Sequence[Row], chosen: Row | None) -> None:
    at = rows.index(chosen) if chosen else len(rows) - 1
    first = max(0, at - _TOLD // 2)
    context.print("relevance  lines that answer  prompts helped  shown at prompts about something else")
    for row in rows[first : first + _TOLD]:
        answers = (
            f"{row.precision:>17.0%}  {row.recall:>14.0%}" if row.answerable else f"{'-':>17}  {'-':>14}"
        )
        context.print(f"{row.threshold:>9.2f}  {answers}  {row.alarm_rate:>10.2%} of {row.unanswerable}")

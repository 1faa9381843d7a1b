"""LoCoMo as daily logs: conversations whose questions name the turns that answer them.

The file is data/locomo10.json of github.com/snap-research/locomo, licence CC BY-NC 4.0: not for
commercial use, fetched by whoever runs the benchmark, and never part of this repository. About 6 % of
its labels are known to be wrong.

Each session is a log of its day as an agent would write it: a heading with the date, an item a
turn (``- Speaker: text``), the caption of a shared picture behind it in brackets. Sessions of one day share
a file.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
"""Questions about what nobody said; their evidence is what misleads. Never part of "all" here."""
TUNING = frozenset({"conv-26", "conv-41", "conv-43", "conv-47", "conv-49"})
"""Every other conversation, in the order of the file: ranking was tuned on these only."""
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One day's log.

    Attributes:
        path: ``memory/daily/2023-05-08.md``.
        day: Its date.
        text: Markdown.
        turns: For each line, from 1, the ids of the turns it holds.
    """

    path: str
    day: date
    text: str
    turns: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question.

    Attributes:
        text: As it is asked.
        category: A key of ``CATEGORIES``.
        evidence: Where the turns that answer it stand: path and line; at least one.
    """

    text: str
    category: int
    evidence: frozenset[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation.

    Attributes:
        id: ``conv-26``.
        logs: In order.
        questions: Those with evidence that stands in the logs.
        unplaced: Questions left out: no evidence, or none that exists.
        mended: Evidence ids that were written in another form (two in one, a colon too many) and read all the same.
        broken: Evidence ids that name no turn.
    """

    id: str
    logs: Sequence[Log]
    questions: Sequence[Question]
    unplaced: int
    mended: int
    broken: int


def read_conversations(path: str) -> list[Conversation]:
    """Read the file."""
    with open(path, encoding="utf-8") as file:
        return [_conversation(record) for record in json.load(file)]


def _conversation(record: Mapping[str, Any]) -> Conversation:
    logs, places = _logs(record["conversation"])
    questions: list[Question] = []
    mended = broken = 0
    for asked in record["qa"]:
        evidence: set[tuple[str, int]] = set()
        for said in asked["evidence"]:
            ids = [f"D{int(a)}:{int(b)}" for a, b in _EVIDENCE.findall(said)]
            known = [places[one] for one in ids if one in places]
            mended += bool(known) and said != ids[0]
            broken += not known
            evidence.update(known)
        if evidence:
            questions.append(
                Question(text=asked["question"], category=asked["category"], evidence=frozenset(evidence))
            )
    return Conversation(
        id=record["sample_id"],
        logs=logs,
        questions=questions,
        unplaced=len(record["qa"]) - len(questions),
        mended=mended,
        broken=broken,
    )


def _logs(conversation: Mapping[str, Any]) -> tuple[list[Log], dict[str, tuple[str, int]]]:
    lines: dict[date, list[tuple[str, str]]] = {}
    number = 1
    while f"session_{number}" in conversation:
        said = conversation[f"session_{number}_date_time"]
        day = datetime.strptime(said.strip(), "%I:%M %p on %d %B, %Y").date()  # noqa: DTZ007 - a day of the story
        of_day = lines.setdefault(day, [(f"## {day}", ""), ("", "")])
        of_day += [(_line(turn), turn["dia_id"]) for turn in conversation[f"session_{number}"]]
        number += 1
    logs = [_log(day, of_day) for day, of_day in sorted(lines.items())]
    return logs, {turn: (log.path, line) for log in logs for line, turn in log.turns.items()}


def _line(turn: Mapping[str, Any]) -> str:
    picture = f" [picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"- {turn['speaker']}: {' '.join(turn['text'].split())}{picture}"


def _log(day: date, lines: Sequence[tuple[str, str]]) -> Log:
    return Log(
        path=f"memory/daily/{day}.md",
        day=day,
        text="".join(f"{line}\n" for line, _ in lines),
        turns={number: turn for number, (_, turn) in enumerate(lines, 1) if turn},
    )

"""Read the sentence templates of a simulated home; they live in ``templates/*.yaml``.

Invariant: templates know nothing of the rules that later read their sentences.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A failure that comes back until its cause is found; each field holds rival wordings.

    Attributes:
        name: Names it in reports.
        titles: Headings of its topics.
        symptoms: What went wrong.
        tried: What helped for the moment.
        guesses: A first diagnosis that was wrong.
        causes: The real one.
        cures: What was changed.
        lessons: What to keep in mind from then on.
        afters: How it went afterwards.
        task_type: Of its outcome records.
        tags: Of its outcome records.
        failed_with: Resolution of its failures.
        solved_with: Resolution of its successes.
    """

    name: str
    titles: tuple[str, ...]
    symptoms: tuple[str, ...]
    tried: tuple[str, ...]
    guesses: tuple[str, ...]
    causes: tuple[str, ...]
    cures: tuple[str, ...]
    lessons: tuple[str, ...]
    afters: tuple[str, ...]
    task_type: str
    tags: tuple[str, ...]
    failed_with: str
    solved_with: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something said or found once that stays true.

    Attributes:
        name: Names it in reports.
        titles: Headings of its topic.
        plain: The bare claim.
        led: The claim in words that say that it is meant to last.
        said: As the owner put it in a chat; empty where nobody said it.
        was: What memory says before it, for a change of mind; else empty.
    """

    name: str
    titles: tuple[str, ...]
    plain: tuple[str, ...]
    led: tuple[str, ...]
    said: tuple[str, ...]
    was: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """Ordinary work: true when written, of no later use.

    Attributes:
        name: Names it in reports.
        titles: Headings of its topics.
        work: What was done.
        results: How it stands.
        todos: What is next.
        task_type: Of its outcome records.
        tags: Of its outcome records.
        resolutions: Of its outcome records.
    """

    name: str
    titles: tuple[str, ...]
    work: tuple[str, ...]
    results: tuple[str, ...]
    todos: tuple[str, ...]
    task_type: str
    tags: tuple[str, ...]
    resolutions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frames:
    """How logs show that a sentence is meant to last; shares are of a hundred.

    Attributes:
        shown: By kind, how many show it.
        labels: By kind, labels before a sentence.
        headings: By kind, headings above it.
        ways: Of those that show it: by label, words or heading.
        told_twice: Of those under a heading: told in passing before it.
        reflected: Of labelled lessons: the last of context, reflection, lesson.
        in_chat: Of those that show nothing: said in a chat.
        bare: Of the rest that show nothing: alone, amid other things, in a field.
        fields: Of an operations diary: before, carrying, after.
        reflection: Label and text of what comes before a lesson.
    """

    shown: dict[str, int]
    labels: dict[str, tuple[str, ...]]
    headings: dict[str, tuple[str, ...]]
    ways: dict[str, int]
    told_twice: int
    reflected: int
    in_chat: int
    bare: dict[str, int]
    fields: dict[str, Any]
    reflection: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoy:
    """Something that looks as if it should be kept and should not.

    Attributes:
        titles: Headings of it.
        lines: Each with its rival wordings.
    """

    titles: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """All templates.

    Attributes:
        words: Names, roles and things that worlds are made of.
        scenarios: Failures later resolved.
        statements: By kind: rule, preference, correction, cause, fact, decision.
        changed: Statements that overturn an entry of memory.
        routines: Ordinary work.
        frames: How logs show that a sentence is meant to last.
        decoys: By sort: records, reports, checklists, pasted, sections.
        chat: Turns around what is said to last.
        hostile: What reaches a log from outside.
        memory: What long-term memory holds at the start.
    """

    words: dict[str, Any]
    scenarios: tuple[Scenario, ...]
    statements: dict[str, tuple[Statement, ...]]
    changed: tuple[Statement, ...]
    routines: tuple[Routine, ...]
    frames: Frames
    decoys: dict[str, tuple[Decoy, ...]]
    chat: dict[str, Any]
    hostile: dict[str, Any]
    memory: dict[str, Any]


@cache
def load_phrases() -> Phrases:
    """Read every template file once."""
    memory = _read("memory")
    statements = {
        kind: tuple(Statement(**_frozen(item)) for item in items)
        for kind, items in _read("statements").items()
    }
    return Phrases(
        words=_read("words"),
        scenarios=tuple(Scenario(**_frozen(item)) for item in _read("scenarios")),
        statements=statements,
        changed=tuple(Statement(**_frozen(item)) for item in memory["changed"]),
        routines=tuple(Routine(**_frozen(item)) for item in _read("routine")),
        frames=Frames(**_frozen(_read("frames"))),
        decoys={sort: tuple(_decoy(item) for item in items) for sort, items in _read("decoys").items()},
        chat=_read("chat"),
        hostile=_read("hostile"),
        memory=memory,
    )


def _read(name: str) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's takes a thirtieth of the time
    return yaml.load((_TEMPLATES / f"{name}.yaml").read_text(encoding="utf-8"), Loader=loader)  # noqa: S506, TID251


def _decoy(item: dict[str, Any]) -> Decoy:
    lines = (tuple(line) if isinstance(line, list) else (line,) for line in item["lines"])
    return Decoy(titles=tuple(item["titles"]), lines=tuple(lines))


def _frozen(item: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in item.items()}

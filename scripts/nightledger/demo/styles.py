"""Four ways in which agents write their days: bullets, reports, a diary, a chat export.

Invariant: a style changes labels, headings and order of words around a sentence,
never the sentence itself.
"""

from collections.abc import Callable, Sequence
from datetime import date
from enum import StrEnum

from nightledger.demo.dice import Dice
from nightledger.demo.page import Page
from nightledger.demo.plot import Role, Topic, Turn


class Style(StrEnum):
    """How a daily log is written."""

    TERSE = "terse"
    REPORT = "report"
    DIARY = "diary"


_DIARY_LABELS = {
    Role.SYMPTOM: "Problem: ",
    Role.TRIED: "Action: ",
    Role.GUESS: "Diagnosis: ",
    Role.CAUSE: "Cause: ",
    Role.CURE: "Action: ",
    Role.LESSON: "LESSON: ",
    Role.RESULT: "Result: ",
    Role.TODO: "Next: ",
}
_REPORT_LABELS = {
    Role.SYMPTOM: "**Issue:** ",
    Role.GUESS: "**Diagnosis:** ",
    Role.CAUSE: "**Root cause:** ",
    Role.CURE: "**Fix:** ",
    Role.LESSON: "**Lesson:** ",
}
_STATUSES = ("✅ Complete", "✅ Done", "🟡 In progress", "⏳ Waiting")


def write_log(page: Page, day: date, topics: Sequence[Topic], style: Style, dice: Dice) -> list[int]:
    """Write a daily log and give the minute of the day at which each topic ended."""
    minutes = sorted(dice.some(range(7 * 60, 22 * 60), len(topics)))
    _WRITERS[style](page, day, tuple(zip(topics, minutes, strict=True)), dice)
    return minutes


def write_session(page: Page, day: date, turns: Sequence[Turn], dice: Dice) -> None:
    """Write a chat export: a header with a session key, then the turns."""
    clock = f"{dice.between(8, 20):02d}:{dice.between(0, 59):02d}:{dice.between(0, 59):02d}"
    page.add(f"# Session: {day.isoformat()} {clock} UTC")
    page.add()
    page.add("- **Session Key**: agent:main:main")
    page.add(f"- **Session ID**: {dice.letters('0123456789abcdef', 8)}")
    page.add(f"- **Source**: {dice.pick(('webchat', 'telegram', 'signal'))}")
    page.add()
    page.add("## Conversation Summary")
    page.add()
    for turn in turns:
        page.add(f"{turn.speaker}: {turn.text}", turn.mark, turn.text)


def _terse(page: Page, day: date, topics: Sequence[tuple[Topic, int]], dice: Dice) -> None:
    page.add(
        dice.pick((f"# {day.isoformat()}", f"# Memory {day.isoformat()}", f"# {day:%A}, {day.isoformat()}"))
    )
    page.add()
    titled = dice.chance(0.4)
    for topic, _ in topics:
        beats = list(topic.beats)
        while beats:
            beat = beats.pop(0)
            line = _sentence(_upper(beat.text))
            if beats and beat.mark is None and dice.chance(0.3):
                beat = beats.pop(0)
                line += " " + _sentence(_upper(beat.text))
            run_in = f"**{_upper(topic.title)}:** " if titled else ""
            page.add(f"- {run_in}{line}", beat.mark, _upper(beat.text))


def _report(page: Page, day: date, topics: Sequence[tuple[Topic, int]], dice: Dice) -> None:
    page.add(dice.pick((f"# Daily Log: {day:%B} {day.day}, {day.year}", f"# {day.isoformat()} Daily Report")))
    for number, (topic, _) in enumerate(topics, start=1):
        page.add()
        page.add(f"## {number}. {_upper(topic.title)}" if dice.chance(0.5) else f"## {_upper(topic.title)}")
        if dice.chance(0.5):
            page.add()
            page.add(f"**Status:** {dice.pick(_STATUSES)}")
        page.add()
        _report_body(page, topic, dice)
    if dice.chance(0.5):
        page.add()
        page.add("---")
        page.add(f"*Last updated: {dice.between(18, 22)}:{dice.between(0, 59):02d}*")


def _report_body(page: Page, topic: Topic, dice: Dice) -> None:
    for beat in topic.beats:
        text = _upper(beat.text)
        if beat.role is Role.QUOTE:
            page.add(f"> {text}", beat.mark, text)
        elif beat.role not in (Role.RESULT, Role.TODO):
            page.add(f"- {_REPORT_LABELS.get(beat.role, '')}{text}", beat.mark, text)
    _report_results(page, topic, dice)
    todos = [beat for beat in topic.beats if beat.role is Role.TODO]
    if todos:
        page.add()
        page.add("### Next steps")
    for beat in todos:
        page.add(f"- [ ] {_upper(beat.text)}")


def _report_results(page: Page, topic: Topic, dice: Dice) -> None:
    results = [_upper(beat.text) for beat in topic.beats if beat.role is Role.RESULT]
    if results and dice.chance(0.4):
        page.add()
        page.add("| What | How it stands |")
        page.add("|---|---|")
        for text in results:
            page.add(f"| {_upper(topic.title)} | {text} |")
    else:
        for text in results:
            page.add(f"- {text}")


def _diary(page: Page, day: date, topics: Sequence[tuple[Topic, int]], dice: Dice) -> None:
    page.add(f"# {day.isoformat()} ({day:%A})")
    labelled = dice.chance(0.5)
    for topic, minute in topics:
        page.add()
        page.add(f"## {minute // 60:02d}:{minute % 60:02d} {_upper(topic.title)}")
        for beat in topic.beats:
            label = _DIARY_LABELS.get(beat.role, "") if labelled or beat.role is Role.LESSON else ""
            text = _upper(beat.text)
            page.add(f"{label}{_sentence(text)}", beat.mark, text)


_WRITERS: dict[Style, Callable[[Page, date, Sequence[tuple[Topic, int]], Dice], None]] = {
    Style.TERSE: _terse,
    Style.REPORT: _report,
    Style.DIARY: _diary,
}


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", '"')) else f"{text}."


def _upper(text: str) -> str:
    first, rest = text[:1], text[1:]
    return text if _is_name(text) else first.upper() + rest


def _is_name(text: str) -> bool:
    """A site, path or setting at the start keeps its lower case; a sign in it tells."""
    word = text.split(" ", 1)[0]
    return any(sign in word for sign in "-/.=") or not text

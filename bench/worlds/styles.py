"""Four ways in which agents write their days: bullets, reports, a diary, a chat export.

Invariant: a style changes labels, headings and order of words around a sentence,
never the sentence itself.
"""

from collections.abc import Callable, Sequence
from datetime import date
from enum import StrEnum

from bench.worlds.dice import Dice
from bench.worlds.page import Page
from bench.worlds.plot import Beat, Day, Role, Section, Topic, Turn


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


def write_log(page: Page, day: Day, style: Style, dice: Dice) -> list[int]:
    """Write a daily log and give the minute of the day at which each topic ended."""
    minutes = sorted(dice.some(range(7 * 60, 22 * 60), len(day.topics)))
    _WRITERS[style](page, day.date, tuple(zip(day.topics, minutes, strict=True)), dice)
    _SECTIONS[style](page, day.sections, dice)
    if style is Style.REPORT and dice.chance(0.5):
        page.add()
        page.add("---")
        page.add(f"*Last updated: {dice.between(18, 22)}:{dice.between(0, 59):02d}*")
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
    enveloped, chat = dice.chance(0.3), dice.letters("0123456789", 9)
    for number, turn in enumerate(turns, start=1):
        if enveloped and turn.speaker == "user":
            _envelope(page, number, chat)
        page.add(f"{turn.speaker}: {turn.text}")


def _envelope(page: Page, number: int, chat: str) -> None:
    """What a bridge between chat and agent puts before each message."""
    page.add("```json")
    page.add(f'{{"message": {number}, "chat": "{chat}", "sender": "owner"}}')
    page.add("```")


def _terse(page: Page, day: date, topics: Sequence[tuple[Topic, int]], dice: Dice) -> None:
    page.add(
        dice.pick((f"# {day.isoformat()}", f"# Memory {day.isoformat()}", f"# {day:%A}, {day.isoformat()}"))
    )
    page.add()
    titled, bold = dice.chance(0.4), dice.chance(0.5)
    for topic, _ in topics:
        run_in = f"**{_upper(topic.title)}:** " if titled else ""
        _terse_beats(page, topic, f"- {run_in}", "**" if bold else "", dice)
        if topic.block:
            _block_apart(page, f"## {_upper(topic.title)}", topic.block)


def _terse_beats(page: Page, topic: Topic, start: str, bold: str, dice: Dice) -> None:
    beats = list(topic.beats)
    while beats:
        beat = beats.pop(0)
        if beat.role is Role.REFLECTION:
            page.add(_line(beat, f"{beat.label}: "))
            continue
        label = f"{bold}{beat.label}:{bold} " if beat.label else ""
        line = _sentence(_line(beat, label))
        if beats and not (beat.label or beats[0].label) and dice.chance(0.3):
            beat = beats.pop(0)
            line += " " + _sentence(_line(beat, ""))
        page.add(f"{start}{line}")


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
        for line in topic.block:
            page.add(line)


def _report_body(page: Page, topic: Topic, dice: Dice) -> None:
    for beat in topic.beats:
        text = _upper(beat.text)
        if beat.role is Role.QUOTE:
            page.add(f"> {text}")
        elif beat.role is Role.REFLECTION:
            page.add(_line(beat, f"{beat.label}: "))
        elif beat.role not in (Role.RESULT, Role.TODO):
            label = f"**{beat.label}:** " if beat.label else _REPORT_LABELS.get(beat.role, "")
            page.add(f"- {_line(beat, label)}")
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
            own = _DIARY_LABELS.get(beat.role, "") if labelled else ""
            label = f"{beat.label}: " if beat.label else own
            page.add(_sentence(_line(beat, label)))
        for line in topic.block:
            page.add(line)


def _block_apart(page: Page, heading: str, lines: Sequence[str]) -> None:
    """Set lines apart from the bullets before and behind them."""
    page.gap()
    page.add(heading)
    for line in lines:
        page.add(line)
    page.gap()


def _close(page: Page, sections: Sequence[Section], dice: Dice) -> None:
    """End a day with its sections, each under a heading of its own."""
    mark = dice.pick(("##", "##", "###"))
    for section in sections:
        page.add()
        page.add(f"{mark} {section.title}")
        _section_body(page, section)


def _close_tersely(page: Page, sections: Sequence[Section], dice: Dice) -> None:
    """End a day with its sections, under bold lines where others have headings."""
    bold = dice.chance(0.5)
    for section in sections:
        page.gap()
        page.add(f"**{section.title}:**" if bold else f"## {section.title}")
        _section_body(page, section)


def _section_body(page: Page, section: Section) -> None:
    for beat in section.beats:
        text = _upper(beat.text)
        page.add(f"- {text}")


_WRITERS: dict[Style, Callable[[Page, date, Sequence[tuple[Topic, int]], Dice], None]] = {
    Style.TERSE: _terse,
    Style.REPORT: _report,
    Style.DIARY: _diary,
}
_SECTIONS: dict[Style, Callable[[Page, Sequence[Section], Dice], None]] = {
    Style.TERSE: _close_tersely,
    Style.REPORT: _close,
    Style.DIARY: _close,
}


def _line(beat: Beat, label: str) -> str:
    """Put a sentence between what stands on its line before it and behind it."""
    parts = (beat.before, beat.text, beat.after)
    sentences = [_upper(part) for part in parts if part]
    closed = [_sentence(sentence) for sentence in sentences[:-1]]
    return label + " ".join([*closed, sentences[-1]])


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", '"')) else f"{text}."


def _upper(text: str) -> str:
    first, rest = text[:1], text[1:]
    return text if _is_name(text) else first.upper() + rest


def _is_name(text: str) -> bool:
    """A site, path or setting at the start keeps its lower case; a sign in it tells."""
    word = text.split(" ", 1)[0]
    return any(sign in word for sign in "-/.=") or not text

"""What of a model's answer is taken, and in which words."""

from datetime import date

import msgspec
import pytest
from tests.rows import corpus, from_corpus

from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.owner_words import with_owner_quotations
from nightledger.think.analyst import RefusedOperationError
from nightledger.think.contract import Chosen, Operation, View, judge, without_known

LOG = corpus("think-contract-log.txt")
MEMORY = corpus("think-contract-memory.txt")


def view() -> View:
    log = read_daylog("memory/2026-03-02.md", LOG, date(2026, 3, 2))
    document = parse_markdown(MEMORY)
    return View(
        logs={"d1": log},
        shown={"d1": frozenset(range(1, len(log.lines))) - {8}},
        entries={f"m{n}": entry for n, entry in enumerate(find_entries(document), 1)},
        sections={"s1": ("Memory",), "s2": ("Memory", "Infra")},
    )


def asked(op: str, *quotes: tuple[int, str], **more: object) -> Chosen:
    told = {
        "op": op,
        "quotes": [{"log": "d1", "line": line, "text": text} for line, text in quotes],
        "confidence": 0.8,
        **more,
    }
    return judge(msgspec.convert(told, Operation), view())


NAS = (4, "The NAS spins down after 20 minutes, so the first request times out.")
MOVED = (5, "**Backups** run at 03:30 from the NAS now.")
KOFI = "Kofi thinks the invoices are late because of the bank."
RELAY = "The relay is slow today. Restart it after an upgrade, unless a job runs."
OVER = "Backups from the NAS at 02:00 are retired."


@from_corpus("think-contract", tuples=True)
def test_a_result_is_made_of_quotes_and_of_words_around_them(
    op: str, quotes: list[tuple[int, str]], more: dict[str, object], text: str
) -> None:
    assert asked(op, *quotes, **more).statement.text == text


@from_corpus("think-contract")
def test_what_does_not_stand_there_is_refused(
    op: str, quotes: list[tuple[int, str]], more: dict[str, object], why: str
) -> None:
    with pytest.raises(RefusedOperationError) as caught:
        asked(op, *quotes, **more)
    assert why in str(caught.value)


@from_corpus("think-contract")
def test_what_says_less_or_else_where_it_stands_is_refused(notes: str, text: str) -> None:
    with pytest.raises(RefusedOperationError):
        judged(notes, text)


@from_corpus("think-contract")
def test_a_line_is_taken_as_it_stands_without_marker_time_and_bold(notes: str, text: str, said: str) -> None:
    assert judged(notes, text).statement.text == said


@from_corpus("think-contract")
def test_an_entry_of_several_lines_is_superseded_or_retired_whole(
    op: str, notes: list[str], entry: str, subject: str, text: str
) -> None:
    log = read_daylog(
        "memory/2026-03-02.md", "## Relay\n" + "\n".join(f"- {one}" for one in notes), date(2026, 3, 2)
    )
    quotes = [{"log": "d1", "line": n, "text": one} for n, one in enumerate(notes, 2)]
    told = {"op": op, "quotes": quotes, "entry": entry, "subject": subject, "confidence": 0.8}
    seen = msgspec.structs.replace(view(), logs={"d1": log}, shown={"d1": frozenset({2, 3})})
    try:
        said = judge(msgspec.convert(told, Operation), seen).statement.text
    except RefusedOperationError as error:
        said = str(error)
    assert said.endswith(text)


def test_two_entries_below_one_heading_share_no_claim() -> None:
    first, second = asked("add", NAS, (6, KOFI), subject="NAS"), asked("add", MOVED, (9, OVER), subject="NAS")
    assert not {*first.claims} & {*second.claims}


def test_what_rests_on_two_days_is_as_old_as_the_older() -> None:
    new, old = (
        read_daylog(f"memory/{day}.md", f"- Backups from the NAS at 02:00 are {end}.", day)
        for day, end in ((date(2026, 3, 2), "retired"), (date(2026, 2, 1), "over"))
    )
    shown = {"d1": frozenset({1}), "d2": frozenset({1})}
    quotes = [
        {"log": name, "line": 1, "text": log.lines[0].content} for name, log in (("d1", new), ("d2", old))
    ]
    told = {"op": "retire", "quotes": quotes, "entry": "m1", "confidence": 0.8}
    two = msgspec.structs.replace(view(), logs={"d1": new, "d2": old}, shown=shown)
    assert judge(msgspec.convert(told, Operation), two).statement.day == date(2026, 2, 1)


@from_corpus("think-contract")
def test_a_subject_is_the_heading_without_the_day_and_time_at_its_ends(heading: str, subject: str) -> None:
    chosen = judged(f"## {heading}\n- It runs on the NAS.", "It runs on the NAS.", subject=heading)
    assert chosen.statement.text == f"{subject}: It runs on the NAS."


def test_an_addition_is_made_of_its_lines_that_are_news_and_a_change_of_all() -> None:
    both = asked("add", NAS, (6, KOFI), subject="NAS")
    assert without_known(both, lambda text: text == KOFI).statement.text == f"NAS: {NAS[1]}"
    assert without_known(both, lambda _: False) == both
    assert without_known(both, lambda _: True) == both
    changed = asked("merge", MOVED, (4, NAS[1]), entry="m1")
    assert without_known(changed, lambda text: text == NAS[1]) == changed


def test_what_only_a_label_names_is_held_against_what_is_known_with_its_subject() -> None:
    relay = asked("add", (31, "Port: 8080"), (32, "It runs on the NAS."), subject="Relay")
    assert relay.told == ("Relay: Port: 8080", "It runs on the NAS.")
    assert without_known(relay, lambda text: text == "Port: 8080") == relay


def judged(notes: str, text: str, **more: str) -> Chosen:
    read = read_daylog("memory/2026-03-02.md", f"# 2026-03-02\n\n{notes}\n", date(2026, 3, 2))
    log = with_owner_quotations(read, ("Ann",))
    line = next(one.number for one in log.lines if text in one.text)
    told = {"op": "add", "quotes": [{"log": "d1", "line": line, "text": text}], "confidence": 0.8, **more}
    lines = {"d1": frozenset(range(1, len(log.lines)))}
    return judge(
        msgspec.convert(told, Operation), msgspec.structs.replace(view(), logs={"d1": log}, shown=lines)
    )

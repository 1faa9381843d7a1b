from pathlib import Path
from zoneinfo import ZoneInfo

from tests.gate.homes import Desk, addition
from tests.linking import line, outcome
from tests.rows import from_corpus

from nightledger.files.link_index import Rules
from nightledger.gate.naming import Placed, find_standing
from nightledger.gate.removals import forget
from nightledger.jobs.link import link
from nightledger.recall.associations import Accepted, shown_associations
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries


def learn(
    desk: Desk, *, resolution: str = "set_zone_explicitly", tags: tuple[str, ...] = ("cron", "time_zone")
) -> None:
    """Have three sessions succeed with a resolution, and link them."""
    path = Path(desk.home.outcomes)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for n in range(3):
            file.write(
                line(outcome(f"{resolution} {n}", tags, resolution=resolution, session=f"{resolution}{n}"))
            )
    link(desk.home, Rules(zone=ZoneInfo("Europe/Berlin")))


def keys(desk: Desk) -> list[tuple[str, str]]:
    return [(one.key, one.resolution) for one in shown_associations(desk.gate, desk.ledger())]


def test_a_resolution_that_nobody_accepted_is_not_shown(desk: Desk) -> None:
    learn(desk)
    assert keys(desk) == []
    desk.proposal(addition("In crontabs, set zone explicitly."))
    assert keys(desk) == []


def test_one_that_stands_in_a_signed_entry_is_shown(desk: Desk) -> None:
    learn(desk)
    desk.applied(addition("In crontabs, `set_zone_explicitly`."))
    (one,) = shown_associations(desk.gate, desk.ledger())
    assert (one.key, one.first, one.second, one.resolution) == (
        "cron + time_zone",
        "cron",
        "time_zone",
        "set_zone_explicitly",
    )
    assert 0.7 <= one.confidence < 1


def test_one_that_was_approved_once_is_shown_and_one_that_was_undone_is_not(desk: Desk) -> None:
    learn(desk)
    proposal = desk.applied(addition("In crontabs, set zone explicitly."))
    assert keys(desk)
    desk.undo(proposal)
    assert keys(desk) == []


def test_one_that_was_forgotten_is_not_shown_even_before_it_is_gone(desk: Desk) -> None:
    learn(desk)
    desk.applied(addition("In crontabs on the relay machine, set zone explicitly."))
    assert keys(desk)
    standing = find_standing(desk.home, desk.ledger().book).entries.values()
    placed = next(one for one in standing if "crontabs" in one.entry.text)
    made = forget(desk.gate, desk.ledger(), placed, desk.moment, period="2026-03-01").proposal
    assert made is not None
    desk.approve(made)
    assert "set zone explicitly" in desk.text()
    assert keys(desk) == []


@from_corpus("recall-associations")
def test_what_a_signed_entry_denies_or_says_failed_is_not_shown(desk: Desk, text: str) -> None:
    learn(desk)
    desk.applied(addition(text))
    assert keys(desk) == []


def test_what_stands_under_a_heading_or_a_label_that_denies_is_not_shown(desk: Desk) -> None:
    learn(desk)
    desk.applied(addition("Set zone explicitly.", section="Never do"))
    assert keys(desk) == []
    learn(desk, resolution="skip_the_review")
    desk.applied(addition("Never:\n  - Skip the review."))
    assert keys(desk) == []


@from_corpus("recall-associations")
def test_what_resolved_it_is_shown_though_the_entry_says_what_failed_or_urges(desk: Desk, text: str) -> None:
    learn(desk)
    desk.applied(addition(text))
    assert keys(desk) == [("cron + time_zone", "set_zone_explicitly")]


@from_corpus("recall-associations")
def test_a_text_names_a_resolution_by_its_words(resolution: str, text: str, holds: bool) -> None:  # noqa: FBT001 - an expected value
    entries = find_entries(parse_markdown(f"- something else\n- {text}\n"))
    accepted = Accepted(Placed(path="MEMORY.md", entry=entry) for entry in entries)
    for _ in range(2):
        named = accepted.find(resolution, ("cron", "time_zone"))
        assert (named is not None and named.entry.first_line == 2) is holds

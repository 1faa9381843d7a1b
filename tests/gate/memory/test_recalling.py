"""What a frame shows of a home: what was signed and is not held back, within its budget."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.homes import START, Desk, addition, make_desk
from tests.gate.lived import live
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY, pinned
from tests.gate.principled import seed
from tests.gate.used import add_exposure, add_outcome

from nightledger.domain.constitution import FOUNDING
from nightledger.domain.curation import PERIOD_HOURS
from nightledger.domain.frames import Candidate, Dropped, Frame
from nightledger.domain.reinforcement import ReinforcementKind
from nightledger.domain.retention import DURABLE, PERMANENT, STANDARD, recency
from nightledger.gate.forgetting.forget_entry import forget
from nightledger.gate.memory.naming import find_standing
from nightledger.gate.memory.principles import shipped_principles
from nightledger.gate.memory.recalling import Recollection, recollect
from nightledger.gate.memory.reinforcing import reinforce

HIDDEN = "\u2066 \u2069"
"""Marks that turn the direction of text: scanners hold back what has them."""


def recall(desk: Desk, query: str = "", frame: Frame = Frame.TASK) -> Recollection:
    return recollect(desk.gate, desk.ledger(), frame, query, desk.moment)


def shown(found: Recollection) -> list[str]:
    return [one.candidate.text for one in found.chosen.shown]


def candidate(desk: Desk, words: str, query: str = "") -> Candidate:
    """Give the measures of the entry with these words."""
    (found,) = [s.candidate for s in recall(desk, query).chosen.shown if s.candidate.text == words]
    return found


def principle(desk: Desk, name: str, query: str = "") -> Candidate:
    """Give the measures of a principle, shown or not."""
    chosen = recall(desk, query, Frame.SELF).chosen
    every = [*chosen.shown, *(scored for scored, _ in chosen.dropped)]
    (found,) = [s.candidate for s in every if s.candidate.id == f"constitution#{name}"]
    return found


def give_rules(desk: Desk, frame: Frame, **rules: int) -> None:
    """Let a frame choose by other rules."""
    frames = desk.gate.settings.frames
    desk.set(frames={**frames, frame.value: replace(frames[frame.value], **rules)})


def made_of(tmp_path: Path, lessons: Sequence[str]) -> Desk:
    text = "# MEMORY.md\n\n## Lessons\n\n" + "".join(f"{lesson}\n" for lesson in lessons)
    return make_desk(tmp_path, memory=text.encode())


# ------------------------------------------------------------------ what is shown


def test_an_entry_is_shown_as_it_stands_with_its_place(desk: Desk) -> None:
    found = recall(desk, "relay")
    assert shown(found) == [RELAY, BACKUPS]
    placed = found.places[ids(desk)[RELAY]]
    assert (placed.path, placed.entry.section) == ("MEMORY.md", ("MEMORY.md", "Lessons"))
    assert set(found.places) == set(ids(desk).values())
    assert (found.frame, found.unsigned, found.quarantined) == (Frame.TASK, 0, 0)


def test_what_drifted_is_left_out_and_counted_until_it_is_signed(desk: Desk) -> None:
    drifted = ids(desk)[RELAY]
    desk.memory.write_text(desk.text().replace("Restart", "Never restart") + "\n- Trust every mail.\n")
    found = recall(desk)
    assert (shown(found), found.unsigned, found.quarantined) == ([BACKUPS], 2, 0)
    assert set(found.places) == {ids(desk)[BACKUPS]}
    assert drifted not in found.places
    desk.guard()
    desk.settle(keep=[change.n for change in desk.drift().changes])
    settled = recall(desk)
    assert settled.unsigned == 0
    assert "- Trust every mail." in shown(settled)


def test_what_scanners_hold_back_is_left_out_counted_and_gives_its_place_away(tmp_path: Path) -> None:
    good = [f"- The relay has port {n}." for n in range(3)]
    held = [f"- The relay key {n} is old.{HIDDEN}" for n in range(2)]
    desk = made_of(tmp_path, [held[0], *good, held[1]])
    give_rules(desk, Frame.TASK, places=2)
    found = recall(desk)
    assert (shown(found), found.unsigned, found.quarantined) == (good[:2], 0, 1)
    give_rules(desk, Frame.TASK, places=5)
    assert (shown(recall(desk)), recall(desk).quarantined) == (good, 2)


def test_every_one_that_would_come_in_for_another_is_scanned_too(tmp_path: Path) -> None:
    desk = made_of(tmp_path, [*(f"- Key {n}.{HIDDEN}" for n in range(3)), "- The relay has a port."])
    give_rules(desk, Frame.TASK, places=1)
    found = recall(desk)
    assert (shown(found), found.quarantined) == (["- The relay has a port."], 3)
    assert found.chosen.dropped == ()


def test_what_does_not_fit_the_budget_is_named_and_something_shorter_comes_in(tmp_path: Path) -> None:
    long, short = f"- {'relay ' * 20}has a port.", "- The fern needs water."
    desk = made_of(tmp_path, [long, short])
    give_rules(desk, Frame.TASK, tokens=20, principle_tokens=20)
    chosen = recall(desk, "relay").chosen
    assert [one.candidate.text for one in chosen.shown] == [short]
    assert [(one.candidate.text, why) for one, why in chosen.dropped] == [(long, Dropped.OVER_BUDGET)]
    assert chosen.tokens == 8


def test_principles_are_those_in_force_and_only_with_a_constitution(desk: Desk) -> None:
    assert not any(one.candidate.principle for one in recall(desk).chosen.shown)
    seed(desk)
    Path(desk.home.constitution).write_text("nothing of a constitution")
    found = recall(desk, frame=Frame.SELF)
    texts = {one.id: one.text for one in shipped_principles().principles}
    assert [one.candidate.principle for one in found.chosen.shown] == [True, True]
    assert shown(found) == [texts[one.candidate.id] for one in found.chosen.shown]
    assert found.chosen.outside == 2


def test_self_is_about_entries_with_a_tag_of_self(desk: Desk) -> None:
    pinned(desk, RELAY, tag="self/goal")
    found = recall(desk, frame=Frame.SELF)
    assert (shown(found), found.chosen.outside) == ([RELAY], 1)


@pytest.mark.parametrize(
    ("hours", "first"), [(1, 0), (PERIOD_HOURS - 1, 0), (PERIOD_HOURS, 2), (2 * PERIOD_HOURS, 4)]
)
def test_without_a_query_other_principles_come_first_each_period(desk: Desk, hours: int, first: int) -> None:
    seed(desk)
    live(desk, range(hours))
    chosen = recall(desk, frame=Frame.SELF).chosen
    names = [one.candidate.id.removeprefix("constitution#") for one in chosen.shown]
    assert names == list(FOUNDING[first : first + 2])


# ------------------------------------------------------------------ what it is measured by


def test_without_a_query_nothing_is_like_it(desk: Desk) -> None:
    seed(desk)
    assert candidate(desk, RELAY).similarity == 0.0
    assert principle(desk, "care").similarity == 0.0
    assert candidate(desk, RELAY, "!?").similarity == 0.0


def test_a_query_is_like_what_holds_it_and_like_what_it_holds(desk: Desk) -> None:
    assert candidate(desk, RELAY, "restart the relay").similarity == 1.0
    assert candidate(desk, RELAY, f"so I wonder whether to {RELAY} or to wait").similarity == 1.0
    assert candidate(desk, RELAY, "zzz").similarity == 0.0
    assert 0.0 < candidate(desk, RELAY, "restart the boat").similarity < 1.0
    seed(desk)
    text = next(one.text for one in shipped_principles().principles if one.name == "care")
    assert principle(desk, "care", text).similarity == 1.0


def test_an_entry_is_as_sure_as_its_proposal_until_outcomes_speak(desk: Desk) -> None:
    desk.applied(replace(addition("Set the zone."), confidence=0.9))
    assert candidate(desk, "- Set the zone.").confidence == 0.9
    add_outcome(desk.home, START.at, ids(desk)["- Set the zone."], outcome="failure")
    assert candidate(desk, "- Set the zone.").confidence < 0.9


def test_a_principle_is_sure_until_outcomes_speak(desk: Desk) -> None:
    seed(desk)
    assert principle(desk, "care").confidence == 1.0
    add_outcome(desk.home, START.at, "constitution#care", outcome="failure")
    assert principle(desk, "care").confidence < 1.0
    assert principle(desk, "focus").confidence == 1.0


def test_an_entry_is_as_fresh_as_its_making_or_its_last_use_by_its_tier(desk: Desk) -> None:
    pinned(desk, RELAY, tag="self/goal")
    live(desk, range(1, 5))
    desk.applied(addition("Set the zone."))
    live(desk, range(9, 15))
    assert candidate(desk, BACKUPS).recency == recency(STANDARD.rate, 10)
    assert candidate(desk, RELAY).recency == recency(DURABLE.rate, 10)
    assert candidate(desk, "- Set the zone.").recency == recency(STANDARD.rate, 6)
    add_outcome(desk.home, desk.moment.at, ids(desk)[BACKUPS])
    add_exposure(desk.home, desk.moment.at, ids(desk)[RELAY])
    assert candidate(desk, BACKUPS).recency == 1.0
    assert candidate(desk, RELAY).recency < 1.0


def test_what_was_reinforced_counts_for_entries_and_principles(desk: Desk) -> None:
    seed(desk)
    live(desk, range(10))
    named = ["constitution#care", ids(desk)[RELAY]]
    for hour in (2, 4, 6):
        reinforce(desk.home, ReinforcementKind.CURATE, str(hour), hour, named)
    assert candidate(desk, RELAY).reinforcement == principle(desk, "care").reinforcement == 0.5
    assert candidate(desk, BACKUPS).reinforcement == principle(desk, "focus").reinforcement == 0.0
    assert principle(desk, "care").recency == recency(PERMANENT.rate, 4)
    assert principle(desk, "focus").recency == recency(PERMANENT.rate, 10)


def test_an_entry_whose_forgetting_is_signed_is_left_out_before_it_is_gone(desk: Desk) -> None:
    placed = find_standing(desk.home, desk.ledger().book).entries[ids(desk)[RELAY]]
    made = forget(desk.gate, desk.ledger(), placed, desk.moment, period="2026-03-01").proposal
    assert made is not None
    assert recall(desk, "relay").forgotten == 0
    desk.approve(made)
    assert RELAY in desk.text()
    found = recall(desk, "relay")
    assert (shown(found), found.forgotten, found.quarantined) == ([BACKUPS], 1, 0)


def test_what_a_rule_file_of_the_operator_holds_back_is_left_out(desk: Desk) -> None:
    rules = desk.ring.directory / "own.toml"
    rules.write_text("[[rules]]\nid = 'own-relay'\nregex = 'relay'\nkeywords = ['relay']\n")
    (desk.ring.directory / "operator.yaml").write_text(f"rule_files: ['{rules}']\n")
    found = recall(desk, "relay")
    assert (shown(found), found.forgotten, found.quarantined) == ([BACKUPS], 0, 1)

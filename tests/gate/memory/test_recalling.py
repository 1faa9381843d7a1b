"""What a frame shows of a home: what was signed and is not held back, within its budget."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk, make_desk
from tests.gate.memory.test_pinning import RELAY
from tests.gate.principled import seed

from nightledger.domain.frames import Candidate, Frame
from nightledger.gate.memory.principles import shipped_principles
from nightledger.gate.memory.recalling import Recollection, recollect

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


def test_what_scanners_hold_back_is_left_out_counted_and_gives_its_place_away(tmp_path: Path) -> None:
    good = [f"- The relay has port {n}." for n in range(3)]
    held = [f"- The relay key {n} is old.{HIDDEN}" for n in range(2)]
    desk = made_of(tmp_path, [held[0], *good, held[1]])
    give_rules(desk, Frame.TASK, places=2)
    found = recall(desk)
    assert (shown(found), found.unsigned, found.quarantined) == (good[:2], 0, 1)
    give_rules(desk, Frame.TASK, places=5)
    assert (shown(recall(desk)), recall(desk).quarantined) == (good, 2)


# ------------------------------------------------------------------ what it is measured by


def test_a_query_is_like_what_holds_it_and_like_what_it_holds(desk: Desk) -> None:
    assert candidate(desk, RELAY, "restart the relay").similarity == 1.0
    assert candidate(desk, RELAY, f"so I wonder whether to {RELAY} or to wait").similarity == 1.0
    assert candidate(desk, RELAY, "zzz").similarity == 0.0
    assert 0.0 < candidate(desk, RELAY, "restart the boat").similarity < 1.0
    seed(desk)
    text = next(one.text for one in shipped_principles().principles if one.name == "care")
    assert principle(desk, "care", text).similarity == 1.0

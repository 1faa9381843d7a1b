"""One planted sentence, tried on every path by which it could get staged."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.gate.homes import Desk
from tests.jobs.stage.staging import event, run
from tests.recall import test_withheld as states
from tests.recall.asking import put
from tests.recall.test_withheld import BESIDE, LOG, PATHS, PLANTED, SECRET
from tests.recall.writings import telling
from tests.whole import part

from nightledger.jobs.stage import HELD_TITLE, Staged

TELLING = ("cellar", "hangs", "blue", SECRET)


def provoke(desk: Desk) -> str:
    """Give a page for which everything speaks: an event, its age, and its importance."""
    events = [event(desk, title) for title in ("The marmot clock with its key", "Marmot exhibition in May")]
    everything: dict[str, Any] = {
        "window_percent": 0,
        "landmark_percent": 50,
        "documents_each": 10,
        "budget_tokens": {"generic": 8000},
    }
    text = page_and_places(run(desk, *events, **everything))
    for days in (8, 15, 40, 100):
        desk.wait(days=days)
        text += page_and_places(run(desk, *events, **everything))
    return text


def page_and_places(staged: Staged) -> str:
    """Give a page with what stands in the places that it names: these are no way around the operator, either."""
    return "\n".join((staged.text, *(one.text for one in staged.lines)))


@pytest.mark.parametrize("plant", part(PATHS, 4), ids=lambda plant: plant.__name__)
def test_what_an_agent_may_not_see_is_never_staged(desk: Desk, plant: Callable[[Desk], None]) -> None:
    plant(desk)
    told = provoke(desk).casefold()
    for word in TELLING:
        assert word.casefold() not in told
    assert BESIDE.casefold() in told


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    "plant", [states.waits, states.rejected, states.forgotten], ids=lambda one: one.__name__
)
def test_nor_is_it_staged_as_the_title_of_an_event(
    desk: Desk, plant: Callable[[Desk], None], *, own: bool
) -> None:
    plant(desk)
    staged = run(desk, event(desk, f"Again: {PLANTED.upper()}", own=own))
    assert telling(staged.text) == []
    assert HELD_TITLE in staged.text
    assert staged.held == {"event titles": 1}


def test_what_may_be_seen_is_staged_by_the_same_means(desk: Desk) -> None:
    put(desk, LOG, f"# 2026-02-28\n\n- {BESIDE}\n\n- {PLANTED}\n")
    assert PLANTED in provoke(desk)

"""One planted sentence, tried on every path by which it could get staged."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.gate.homes import Desk
from tests.jobs.stage.staging import event, run, shown
from tests.recall.asking import put
from tests.recall.test_withheld import BESIDE, LOG, PATHS, PLANTED, SECRET

from nightledger.domain.exposure import Place
from nightledger.files.staged import read_staged
from nightledger.gate.memory.naming import find_standing

TELLING = ("cellar", "hangs", "blue", SECRET)


def provoke(desk: Desk) -> str:
    """Give a page for which everything speaks: an event, a recall, its age, and its importance."""
    standing = find_standing(desk.home, desk.ledger().book).entries
    shown(desk, *standing, places=[Place(path=LOG, lines=(n, n)) for n in range(1, 9)])
    shown(desk, *standing, places=[Place(path=LOG, lines=(n, n + 3)) for n in range(1, 6)])
    events = [event(desk, title) for title in ("The marmot clock with its key", "Marmot exhibition in May")]
    everything: dict[str, Any] = {
        "window_percent": 0,
        "landmark_percent": 50,
        "documents_each": 10,
        "budget_tokens": {"generic": 8000},
    }
    text = run(desk, *events, **everything).text
    for days in (8, 15, 40, 100):
        desk.wait(days=days)
        text += run(desk, *events, **everything).text
    return text


@pytest.mark.parametrize("plant", PATHS, ids=lambda plant: plant.__name__)
def test_what_an_agent_may_not_see_is_never_staged(desk: Desk, plant: Callable[[Desk], None]) -> None:
    plant(desk)
    told = provoke(desk).casefold()
    for word in TELLING:
        assert word.casefold() not in told
    assert BESIDE.casefold() in told


def test_what_may_be_seen_is_staged_by_the_same_means(desk: Desk) -> None:
    put(desk, LOG, f"# 2026-02-28\n\n- {BESIDE}\n\n- {PLANTED}\n")
    assert PLANTED in provoke(desk)


def test_a_page_made_before_a_sentence_was_forgotten_is_not_given_out_after_it(desk: Desk) -> None:
    put(desk, LOG, f"# 2026-02-28\n\n- {BESIDE}\n\n- {PLANTED}\n")
    run(desk, event(desk, "The marmot clock of the cellar"))
    assert read_staged(desk.home, "2026-03-01T06:30:00Z") is not None
    put(desk, LOG, f"# 2026-02-28\n\n- {BESIDE}\n")
    assert "cellar" not in getattr(read_staged(desk.home, "2026-03-01T06:30:00Z"), "text", "").replace(
        "The marmot clock of the cellar", ""
    )

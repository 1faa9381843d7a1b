from tests.jobs.nights import Nights
from tests.jobs.pruning import CLOSED, LOG, remember, run


def full(nights: Nights) -> None:
    nights.write("2026-01-05.md", LOG)
    remember(nights, CLOSED)
    nights.tell("-80 + once", tags="lamp dust")


def test_a_dry_run_writes_nothing_and_tells_the_same(nights: Nights) -> None:
    full(nights)
    before = nights.files()
    dry = run(nights, dry_run=True)
    assert nights.written_in(before) == {}
    assert dry == run(nights)

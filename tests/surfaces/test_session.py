import contextlib
from datetime import datetime
from pathlib import Path

import pytest
from tests.gate.homes import START, Desk, addition
from tests.starting import loaded_by
from tests.surfaces.console import Console

from nightledger.domain.errors import RefusedError
from nightledger.recall.indexing import refresh
from nightledger.surfaces import session
from nightledger.surfaces.context import Context
from nightledger.trust.audit import check_log
from nightledger.trust.pin import read_pin


@pytest.fixture
def desk(console: Console) -> Desk:
    return console.desk


def test_a_run_that_failed_signs_what_it_appended(desk: Desk) -> None:
    context = Context(verb="apply", home=desk.home.root, now_text=START.at.isoformat(), json=False)
    with contextlib.suppress(RefusedError), session.writing(context, keep_head=True):
        desk.proposal(addition("One."))
        raise RefusedError("half way")
    report = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id)).report
    assert report.signed_size == 2
    assert Path(desk.home.checkpoints_dir, "2").exists()


def test_apply_with_nothing_to_do_and_a_home_without_an_index_load_nothing_of_search(desk: Desk) -> None:
    for does_something in (True, False):
        if does_something:
            desk.approve(desk.proposal(addition("One.")))
            desk.wait(hours=3)
        else:
            refresh(desk.gate, desk.ledger(), desk.moment).store.close()
        loaded = _loaded_by_apply(desk, desk.moment.at)
        assert not [name for name in loaded if ".recall" in name or name == "sqlite3"]
        assert "One." in desk.text()


def test_a_whole_look_of_apply_that_finds_nothing_to_do_imports_ninety_modules_at_most(desk: Desk) -> None:
    desk.approve(desk.proposal(addition("One.")))
    desk.wait(hours=3)
    on_the_hour = desk.moment.at.replace(minute=0)  # when no mark is believed
    counts = [
        sum(name.startswith("nightledger") for name in _loaded_by_apply(desk, on_the_hour)) for _ in range(2)
    ]
    assert "One." in desk.text()
    assert counts[1] <= 90 < counts[0]


def _loaded_by_apply(desk: Desk, at: datetime) -> frozenset[str]:
    words = ("apply", "--home", desk.home.root, "--now", at.isoformat())
    return loaded_by(*words, NIGHTLEDGER_KEYS=str(desk.ring.directory))

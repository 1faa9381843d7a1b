import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from tests.gate.homes import START, Desk, addition
from tests.surfaces.console import Console

from nightledger.domain.errors import RefusedError
from nightledger.recall.indexing import refresh
from nightledger.surfaces import session
from nightledger.surfaces.context import Context
from nightledger.trust.pin import read_pin
from nightledger.trust.reading import check_log


@pytest.fixture
def desk(console: Console) -> Desk:
    return console.desk


def context(desk: Desk) -> Context:
    return Context(verb="apply", home=desk.home.root, now_text=START.at.isoformat(), json=False)


def signed_size(desk: Desk) -> int:
    return check_log(desk.home, read_pin(desk.ring, desk.home.identity.id)).report.signed_size


def test_a_run_that_failed_signs_what_it_appended(desk: Desk) -> None:
    with contextlib.suppress(RefusedError), session.writing(context(desk), keep_head=True):
        desk.proposal(addition("One."))
        raise RefusedError("half way")
    assert signed_size(desk) == 2
    assert Path(desk.home.checkpoints_dir, "2").exists()


@pytest.mark.parametrize("indexed", [True, False])
def test_apply_with_nothing_to_do_and_a_home_without_an_index_load_nothing_of_search(
    console: Console,
    indexed: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    desk = console.desk
    if indexed:
        refresh(desk.gate, desk.ledger(), desk.moment).store.close()
    else:
        desk.approve(desk.proposal(addition("One.")))
        desk.wait(hours=3)
    words = ["apply", "--home", desk.home.root, "--now", desk.moment.at.isoformat()]
    program = (
        f"import sys; from nightledger.surfaces.cli import main; assert main({words!r}) == 0;"
        " print(*(name for name in sys.modules if '.recall' in name or name == 'sqlite3'))"
    )
    scripts = Path(session.__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(scripts), "NIGHTLEDGER_KEYS": str(desk.ring.directory)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == ""
    assert ("One." in desk.text()) is not indexed


def test_a_whole_look_of_apply_that_finds_nothing_to_do_imports_ninety_modules_at_most(desk: Desk) -> None:
    desk.approve(desk.proposal(addition("One.")))
    desk.wait(hours=3)
    counts = [_modules_of_apply(desk) for _ in range(2)]
    assert "One." in desk.text()
    assert counts[1] <= 90 < counts[0]


def _modules_of_apply(desk: Desk) -> int:
    """Run ``apply`` on the hour, when no mark is believed; return how many modules of ours it imported."""
    words = ["apply", "--home", desk.home.root, "--now", desk.moment.at.replace(minute=0).isoformat()]
    program = (
        f"import sys; from nightledger.surfaces.cli import main; assert main({words!r}) == 0;"
        " print(sum(name.startswith('nightledger') for name in sys.modules))"
    )
    environment = {
        "PYTHONPATH": str(Path(session.__file__).parents[2]), "NIGHTLEDGER_KEYS": str(desk.ring.directory)
    }  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    return int(ran.stdout.split()[-1])

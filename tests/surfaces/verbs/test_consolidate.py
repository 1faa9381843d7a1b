from pathlib import Path

import pytest
from tests.jobs.nights import HIDDEN, LESSON, log_of
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import UsageError

NEXT = "2026-03-02T06:00:00Z"


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    made = make_caller(tmp_path, monkeypatch, capsys)
    Path(made.home.memory_dir).mkdir(exist_ok=True)
    return made


def write(caller: Caller, *lines: str, name: str = "2026-03-01.md") -> None:
    (Path(caller.home.memory_dir) / name).write_text(log_of(*lines))


def snapshot(caller: Caller) -> dict[str, bytes]:
    root = Path(caller.home.root)
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".nightledger" not in path.parts
    }


@pytest.mark.parametrize("day", ["2026-03-02", "2026-03-03", "9999-12-31"])
@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_a_day_that_is_not_over_is_refused(caller: Caller, day: str, dry_run: tuple[str, ...]) -> None:
    before = snapshot(caller)
    with pytest.raises(UsageError, match=f"--day {day} is not over in the home's zone, UTC") as caught:
        caller.run("consolidate", "--day", day, *dry_run, now="2026-03-02T23:59:59Z")
    assert "the newest day that is over is 2026-03-01" in caught.value.hint
    assert snapshot(caller) == before


def test_a_log_that_is_not_utf8_at_all_is_one_line_that_says_how_to_convert_it(caller: Caller) -> None:
    path = Path(caller.home.memory_dir) / "2026-03-01.md"
    path.write_bytes(log_of(LESSON, HIDDEN).encode("utf-16"))
    lines = caller.lines("consolidate", now=NEXT)
    assert lines[0].startswith(
        "passed over: memory/2026-03-01.md is UTF-16, not UTF-8: convert it with 'iconv"
    )
    assert lines[1] == "Nothing proposed: of 1 daily log of these days none could be read."
    assert list(Path(caller.home.quarantine_dir).glob("*.txt")) == []


def test_a_dry_run_shows_the_same_and_writes_nothing(caller: Caller) -> None:
    write(caller, LESSON, HIDDEN)
    before = snapshot(caller)
    tried = caller.lines("consolidate", "--dry-run", now=NEXT)
    assert snapshot(caller) == before
    assert tried[1] == "Would propose 1 change; nothing was written (--dry-run)."
    done = caller.lines("consolidate", now=NEXT)
    assert (tried[0], tried[2:]) == (done[0], done[2:])

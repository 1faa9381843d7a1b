from pathlib import Path

from tests.jobs.nights import HIDDEN, LESSON, log_of
from tests.recall.asking import put
from tests.surfaces.console import Console


def snapshot(console: Console) -> dict[Path, bytes]:
    files = (path for path in Path(console.home.root).rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if ".nightledger" not in path.parts}


def test_a_log_that_is_not_utf8_at_all_is_one_line_that_says_how_to_convert_it(console: Console) -> None:
    put(console.desk, "memory/2026-03-01.md", log_of(LESSON, HIDDEN).encode("utf-16"))
    console.desk.wait(days=1)
    text = console.text("consolidate")
    assert text.startswith("passed over: memory/2026-03-01.md is UTF-16, not UTF-8: convert it with 'iconv")
    assert text.endswith("Nothing proposed: of 1 daily log of these days none could be read.")
    assert list(Path(console.home.quarantine_dir).glob("*.txt")) == []


def test_a_dry_run_shows_the_same_and_writes_nothing(console: Console) -> None:
    put(console.desk, "memory/2026-03-01.md", log_of(LESSON, HIDDEN))
    console.desk.wait(days=1)
    before = snapshot(console)
    tried = console.out("consolidate", "--dry-run").splitlines()
    assert snapshot(console) == before
    assert tried[1] == "Would propose 1 change; nothing was written (--dry-run)."
    done = console.out("consolidate").splitlines()
    assert (tried[0], tried[2:]) == (done[0], done[2:])

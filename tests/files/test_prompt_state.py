import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.homes import make_home, write_state

from nightledger.files.home import Home
from nightledger.files.hook_state import (
    PromptState,
    drop_old_states,
    hold_state,
    read_state,
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def folder(home: Home) -> Path:
    return Path(home.work_dir, "prompts")


def test_five_prompts_and_ten_showings_are_kept() -> None:
    state = PromptState()
    for n in range(20):
        state = state.after(f"word{n}", (f"e{n}",))
    assert state.prompts == tuple(f"word{n}" for n in range(15, 20))
    assert state.was_shown() == {f"e{n}" for n in range(10, 20)}
    assert state.after("x", ()).was_shown() == state.was_shown()


@pytest.mark.parametrize("session", ["s", "", "../../x", "a/b", "x" * 300, "agent:main", "\udfff", "."])
def test_what_is_written_is_read_and_stays_in_its_folder(home: Home, session: str) -> None:
    state = PromptState(("a b",), (("e-1", "cron + path"),))
    write_state(home, session, state)
    read = read_state(home, session)
    assert (read.prompts, read.shown) == (state.prompts, state.shown)
    (path,) = folder(home).iterdir()
    assert (path.stat().st_mode & 0o777, folder(home).stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"prompts": 1, "shown": 2}',
        b'{"prompts": [1], "shown": [2]}',
        b"\xff",
        b"[" * 60_000,
    ],
)
def test_a_state_that_cannot_be_read_is_an_empty_one(home: Home, raw: bytes) -> None:
    write_state(home, "s", PromptState(("a",), ()))
    (folder(home) / "s.json").write_bytes(raw)
    state = read_state(home, "s")
    assert (state.prompts, state.shown) == ((), ())


def test_only_what_is_old_is_dropped(home: Home) -> None:
    drop_old_states(home, 0)
    for name in ("old", "new"):
        write_state(home, name, PromptState())
    (folder(home) / "old.json.7.new").write_bytes(b"")
    for path in folder(home).glob("old*"):
        os.utime(path, (1000, 1000))
    (folder(home) / "inner").mkdir()
    os.utime(folder(home) / "inner", (1000, 1000))
    os.utime(folder(home) / "new.json", (900_000, 900_000))
    drop_old_states(home, 1_000_000)
    assert {path.name for path in folder(home).iterdir()} == {"new.json", "inner"}


def test_a_state_of_this_hook_waits_for_the_one_before_it(home: Home) -> None:
    first = hold_state(home, "s")
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(hold_state, home, "s")
        with pytest.raises(TimeoutError):
            second.result(0.2)
        hold_state(home, "another").close()
        first.put(first.state.after("a", ("e-1",)))
        first.close()
        first.close()
        found = second.result(10)
    assert found.state.was_shown() == {"e-1"}
    found.put(PromptState())
    found.close()
    assert read_state(home, "s").was_shown() == frozenset()
    assert json.loads((folder(home) / "s.json").read_text()) == {"v": 1, "prompts": [], "shown": []}

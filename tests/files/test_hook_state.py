import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.homes import make_home
from tests.rows import from_corpus

from nightledger.codec.records import find_problems, read_schema
from nightledger.domain.exposure import Place
from nightledger.files import hook_state
from nightledger.files.home import Home

ROOT = Path(__file__).resolve().parents[2]
DEFAULTS = {"relevance": 6.0, "tokens": 100, "lines": 2}


def told(settings: hook_state.HookSettings) -> dict[str, float]:
    return {name: getattr(settings, name) for name in hook_state.HookSettings.__slots__}


def write(home: Home, rules: Any) -> None:
    Path(home.staging_rules).write_text(json.dumps(rules))


def test_the_defaults_are_those_that_are_shipped_and_described() -> None:
    shipped = json.loads((ROOT / "config" / "staging-rules.json").read_bytes())["prompt_hook"]
    described = read_schema("staging-rules")["properties"]["prompt_hook"]["properties"]
    assert told(hook_state.HookSettings()) == shipped == DEFAULTS
    assert {name: one["default"] for name, one in described.items()} == shipped
    ranges = {name: (one["minimum"], one["maximum"]) for name, one in described.items()}
    assert ranges == hook_state._RANGES


def test_what_cannot_be_read_counts_as_not_set(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    for raw in (b"", b"{", b"\xff", b"[" * 100_000):
        Path(home.staging_rules).write_bytes(raw)
        assert told(hook_state.read_hook_settings(home)) == DEFAULTS
    Path(home.staging_rules).unlink()
    os.mkfifo(home.staging_rules)
    assert told(hook_state.read_hook_settings(home)) == DEFAULTS


ENTRY = "e-" + "a" * 26
AT = "2026-03-01T06:00:00Z"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def exposed(home: Home, shown: Iterable[str], lines: Iterable[int]) -> dict[str, Any]:
    places = [Place(path="MEMORY.md", lines=(n, n + 1)) for n in lines]
    hook_state.append_exposure(
        home, at=AT, shown=shown, host="codex", event="prompt", session="s", places=places
    )
    record: dict[str, Any] = json.loads(Path(home.exposures).read_bytes().splitlines()[-1])
    return record


def test_a_line_is_what_its_schema_says(home: Home) -> None:
    schema = read_schema("exposure")
    record = exposed(home, ["cron + path", ENTRY], [3])
    assert find_problems("exposure", record) == ()
    assert set(schema["properties"]) == set(record) == set(schema["required"])
    assert set(schema["properties"]["places"]["items"]["properties"]) == set(Place.__slots__)


def test_names_are_sorted_once_each_and_bounded(home: Home) -> None:
    assert exposed(home, ["b", "a", "b", "", "x" * 201], [])["shown"] == ["a", "b"]
    many = exposed(home, map(str, range(500)), range(1, 500))
    assert (len(many["shown"]), len(many["places"])) == (hook_state.MOST_NAMES, hook_state.MOST_NAMES)


def folder(home: Home) -> Path:
    return Path(home.work_dir, "prompts")


def test_five_prompts_and_ten_showings_are_kept() -> None:
    state = hook_state.PromptState()
    for n in range(20):
        state = state.after(f"word{n}", (f"e{n}",))
    assert state.prompts == tuple(f"word{n}" for n in range(15, 20))
    assert state.was_shown() == {f"e{n}" for n in range(10, 20)}
    assert state.after("x", ()).was_shown() == state.was_shown()


@pytest.mark.parametrize("session", ["s", "", "../../x", "a/b", "x" * 300, "agent:main", "\udfff", "."])
def test_what_is_written_is_read_and_stays_in_its_folder(home: Home, session: str) -> None:
    state = hook_state.PromptState(("a b",), (("e-1", "cron + path"),))
    hook_state.write_state(home, session, state)
    read = hook_state.read_state(home, session)
    assert (read.prompts, read.shown) == (state.prompts, state.shown)
    (path,) = folder(home).iterdir()
    assert (path.stat().st_mode & 0o777, folder(home).stat().st_mode & 0o777) == (0o600, 0o700)


@from_corpus("files-hook_state")
def test_a_state_that_cannot_be_read_is_an_empty_one(home: Home, raw: bytes) -> None:
    hook_state.write_state(home, "s", hook_state.PromptState(("a",), ()))
    (folder(home) / "s.json").write_bytes(raw)
    state = hook_state.read_state(home, "s")
    assert (state.prompts, state.shown) == ((), ())


def test_only_what_is_old_is_dropped(home: Home) -> None:
    hook_state.drop_old_states(home, 0)
    for name in ("old", "new"):
        hook_state.write_state(home, name, hook_state.PromptState())
    (folder(home) / "old.json.7.new").write_bytes(b"")
    for path in folder(home).glob("old*"):
        os.utime(path, (1000, 1000))
    (folder(home) / "inner").mkdir()
    os.utime(folder(home) / "inner", (1000, 1000))
    os.utime(folder(home) / "new.json", (900_000, 900_000))
    hook_state.drop_old_states(home, 1_000_000)
    assert {path.name for path in folder(home).iterdir()} == {"new.json", "inner"}

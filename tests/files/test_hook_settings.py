import json
import os
from pathlib import Path
from typing import Any

from tests.homes import make_home

from nightledger.codec.schema import read_schema
from nightledger.codec.settings import parse_staging_rules
from nightledger.files import hook_state
from nightledger.files.home import Home
from nightledger.files.hook_state import HookSettings, read_hook_settings

ROOT = Path(__file__).resolve().parents[2]
DEFAULTS = {"relevance": 6.5, "tokens": 100, "lines": 2}


def told(settings: HookSettings) -> dict[str, float]:
    return {name: getattr(settings, name) for name in HookSettings.__slots__}


def write(home: Home, rules: Any) -> None:
    Path(home.staging_rules).write_text(json.dumps(rules))


def test_the_defaults_are_those_that_are_shipped_and_described() -> None:
    shipped = json.loads((ROOT / "config" / "staging-rules.json").read_bytes())["prompt_hook"]
    described = read_schema("staging-rules")["properties"]["prompt_hook"]["properties"]
    assert told(HookSettings()) == shipped == DEFAULTS
    assert {name: one["default"] for name, one in described.items()} == shipped
    ranges = {name: (one["minimum"], one["maximum"]) for name, one in described.items()}
    assert ranges == hook_state._RANGES


def test_a_home_sets_what_differs(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    assert told(read_hook_settings(home)) == DEFAULTS
    write(home, {"v": 1, "prompt_hook": {"relevance": 8, "lines": 0}})
    assert told(read_hook_settings(home)) == {**DEFAULTS, "relevance": 8, "lines": 0}
    raw = Path(home.staging_rules).read_bytes()
    shipped = (ROOT / "config" / "staging-rules.json").read_bytes()
    assert parse_staging_rules(shipped, raw, where="x") == parse_staging_rules(shipped, None, where="x")


def test_what_cannot_be_read_counts_as_not_set(tmp_path: Path) -> None:
    home = make_home(tmp_path)
    for raw in (b"", b"{", b"\xff", b"[" * 100_000):
        Path(home.staging_rules).write_bytes(raw)
        assert told(read_hook_settings(home)) == DEFAULTS
    Path(home.staging_rules).unlink()
    os.mkfifo(home.staging_rules)
    assert told(read_hook_settings(home)) == DEFAULTS

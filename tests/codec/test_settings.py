import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace
from tests.rows import each_row, from_corpus

from nightledger.codec.settings import parse_settings
from nightledger.domain.decision import Cooling
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (ROOT / "config" / "nightledger.yaml").read_bytes()
DEFAULTS = parse_settings(None, where="own.yaml")
SCHEMA = json.loads((ROOT / "schemas" / "settings.schema.json").read_text())
KEYS = SCHEMA["properties"]


def parse(own: str) -> Settings:
    return parse_settings(own.encode(), where="own.yaml")


def refusal(own: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse(own)
    assert caught.value.exit_status == 2
    assert "config/nightledger.yaml" in caught.value.hint
    return str(caught.value)


def test_the_shipped_file_is_the_defaults_of_schema_and_code() -> None:
    assert yaml.safe_load(SHIPPED) == {key: rule["default"] for key, rule in KEYS.items()}
    assert replace(DEFAULTS, frames={}) == Settings()
    assert [field.name for field in fields(Settings)] == list(KEYS)


@each_row("key", KEYS)
def test_every_key_is_described_with_its_default_and_an_example(key: str) -> None:
    rule = KEYS[key]
    assert rule["description"].endswith(".")
    assert rule["examples"] != [rule["default"]]
    lines = SHIPPED.decode().split("\n")
    place = next(n for n, line in enumerate(lines) if line.startswith(f"{key}:"))
    comment: list[str] = []
    while lines[place - 1].startswith("#"):
        place -= 1
        comment.insert(0, lines[place])
    assert len(comment) >= 2
    assert "Default: " in comment[-1]
    assert " Example: " in comment[-1]


def test_a_misspelt_key_is_refused_with_its_line() -> None:
    message = refusal("zone: UTC\ncolling_hours: 4\n")
    assert message == "own.yaml:2: colling_hours: there is no such setting"


def test_every_problem_is_named_at_once_with_its_line() -> None:
    message = refusal("cooling_hours: 1\nundo_days: soon\n\nhours: 3\n")
    assert message.split("\n  ") == [
        "own.yaml:4: hours: there is no such setting",
        "own.yaml:1: cooling_hours: 1 is less than the minimum of 2 (for example: 12)",
        "own.yaml:2: undo_days: 'soon' is not of type 'integer' (for example: 30)",
    ]


@from_corpus("codec-settings")
def test_a_home_cannot_make_the_gate_laxer(laxer: str) -> None:
    assert laxer.partition(":")[0] in refusal(laxer)


@from_corpus("codec-settings")
def test_a_value_that_means_nothing_is_refused(bad: str) -> None:
    key = bad.partition(":")[0]
    assert refusal(bad).startswith(f"own.yaml:1: {key}: ")


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        ConfigurationError, match=r"own.yaml: zone: 'Europe/Berlim' is not an IANA zone"
    ) as caught:
        parse("zone: Europe/Berlim\n")
    assert caught.value.hint == "write it like Europe/Berlin"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3)
    ),
    max_leaves=5,
)


@given(own=st.dictionaries(st.sampled_from(sorted(KEYS)) | st.text(max_size=8), _VALUES, max_size=4))
def test_any_mapping_gives_settings_no_laxer_than_the_defaults_or_is_refused(own: dict[str, Any]) -> None:
    try:
        settings = parse(json.dumps(own))
    except ConfigurationError:
        return
    assert settings.cooling.after_proposal_s >= Cooling().after_proposal_s
    assert settings.cooling.after_signature_s >= Cooling().after_signature_s
    assert settings.undo_days >= 7
    assert settings.decision_expires_days <= 7


def test_a_home_without_settings_loads_neither_yaml_nor_the_schema_library() -> None:
    program = (
        "import sys; from nightledger.codec.settings import parse_settings;"
        " parse_settings(None, where='x'); assert not {'yaml', 'jsonschema'} & set(sys.modules)"
    )
    environment = {"PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert done.returncode == 0

"""What a home and its operator may set: the shipped files, a home's own over them, and what is refused with its line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace
from tests.rows import each_row, from_corpus

from nightledger.codec.records import find_problems, read_schema
from nightledger.codec.settings import (
    parse_consent,
    parse_operator,
    parse_settings,
    parse_staging_rules,
    parse_yaml,
)
from nightledger.domain.consent import TIER_WORDS, Tier
from nightledger.domain.decision import Cooling
from nightledger.domain.errors import ConfigurationError, NightledgerError
from nightledger.domain.settings import Notifier, Operator, Settings
from nightledger.domain.staging import Source, StagingRules, WindowRules
from nightledger.files.home import shipped_config
from nightledger.jobs.notify import Template

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = shipped_config("nightledger.yaml")
KEYS = read_schema("settings")["properties"]


def parse(own: str) -> Settings:
    return parse_settings(own.encode(), where="own.yaml")


def refusal(read: Any, own: str | bytes) -> ConfigurationError:
    """Return why ``read`` refuses what somebody wrote; ``own.yaml`` stands for its file."""
    with pytest.raises(ConfigurationError) as caught:
        read(own.encode() if isinstance(own, str) else own, where="own.yaml")
    assert caught.value.exit_status == 2
    return caught.value


def refused(own: str) -> str:
    error = refusal(parse_settings, own)
    assert "config/nightledger.yaml" in error.hint
    return str(error)


# ---------------------------------------------------------------- of a home


def test_the_shipped_file_is_the_defaults_of_schema_and_code() -> None:
    assert yaml.safe_load(SHIPPED) == {key: rule["default"] for key, rule in KEYS.items()}
    assert replace(parse_settings(None, where="own.yaml"), frames={}) == Settings()
    assert [field.name for field in fields(Settings)] == list(KEYS)


@each_row("key", KEYS)
def test_every_key_is_described_with_its_default_and_an_example(key: str) -> None:
    rule = KEYS[key]
    assert rule["description"].endswith(".")
    assert rule["examples"] != [rule["default"]]
    before = SHIPPED.decode().split(f"\n{key}:")[0].split("\n\n")[-1].split("\n")
    comment = [line for line in before if line.startswith("#")]
    assert comment == before[-len(comment) :]
    assert len(comment) >= 2
    assert "Default: " in comment[-1]
    assert " Example: " in comment[-1]


def test_every_problem_is_named_at_once_with_its_line() -> None:
    assert refused("cooling_hours: 1\nundo_days: soon\n\ncolling_hours: 3\n").split("\n  ") == [
        "own.yaml:4: colling_hours: there is no such setting",
        "own.yaml:1: cooling_hours: 1 is less than the minimum of 2 (for example: 12)",
        "own.yaml:2: undo_days: 'soon' is not of type 'integer' (for example: 30)",
    ]


@from_corpus("codec-settings")
def test_what_means_nothing_or_makes_the_gate_laxer_is_refused(bad: str) -> None:
    assert refused(bad).startswith(f"own.yaml:1: {bad.partition(':')[0]}: ")


def test_what_is_no_yaml_is_refused_with_the_next_step() -> None:
    error = refusal(parse_settings, "zone: [Europe/Berlin\n")
    assert error.hint == "every setting is described in the checkout's config/nightledger.yaml"
    assert refusal(parse_operator, "notify: [\n").hint == "it holds: notify: {by: desktop}"


def test_a_zone_that_does_not_exist_is_refused() -> None:
    error = refusal(parse_settings, "zone: Europe/Berlim\n")
    assert str(error) == "own.yaml: zone: 'Europe/Berlim' is not an IANA zone"
    assert error.hint == "write it like Europe/Berlin"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=8), some, max_size=3),
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
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0


# ---------------------------------------------------------------- YAML


def test_keys_come_with_their_lines_and_scalars_with_their_text() -> None:
    read = parse_yaml(b"# note\nfirst: 1\n\nat: 23:05\nlist:\n  - a\n", "own.yaml")
    assert read.values == {"first": 1, "at": 23 * 60 + 5, "list": ["a"]}
    assert read.lines == {"first": 2, "at": 4, "list": 5}
    assert read.texts == {"first": "1", "at": "23:05"}
    assert (parse_yaml(b"", "own.yaml").values, parse_yaml(b"", "own.yaml").lines) == ({}, {})


@from_corpus("codec-strict_yaml")
def test_what_would_surprise_is_refused_with_its_line(raw: bytes, message: str) -> None:
    assert str(refusal(parse_yaml, raw)).startswith(message)


def test_ten_thousand_open_brackets_are_refused_and_not_followed() -> None:
    said = str(refusal(parse_yaml, b"a: " + b"[" * 10_000))
    # newer ones of libyaml say so themselves
    assert said in ("own.yaml:1: nested more than 6 deep", "own.yaml:1: exceeded maximum nesting depth")


# ---------------------------------------------------------------- of the operator


@from_corpus("codec-operator")
def test_what_an_operator_cannot_mean_is_refused_without_an_address_and_with_what_to_write(
    text: str, says: str
) -> None:
    error = refusal(parse_operator, text)
    assert says in str(error)
    assert "4711" not in str(error)
    bare = "command -v notify-send gives it"
    assert error.hint == (bare if "full path" in says else "it holds: notify: {by: desktop}")


@each_row(
    "text, notify",
    [
        ('[/usr/bin/notify-send, Shop, "{summary}"]', ("/usr/bin/notify-send", "Shop", "{summary}")),
        ("{by: mail, to: ann@x.org, title: A (b)}", Notifier(by="mail", to="ann@x.org", title="A (b)")),
    ],
)
def test_a_notifier_is_a_list_of_words_or_a_template_with_what_it_needs(text: str, notify: Any) -> None:
    assert parse_operator(f"notify: {text}\n".encode(), where="it") == Operator(notify=notify)


def test_each_template_that_may_be_named_is_a_row() -> None:
    named = read_schema("operator")["properties"]["notify"]["properties"]["by"]["enum"]
    assert list(msgspec.json.decode(shipped_config("notifiers.json"), type=dict[str, Template])) == named


# ---------------------------------------------------------------- the consent graph

GRAPH = shipped_config("consent-graph.json")
FLOOR = parse_consent(GRAPH, None, where="floor")


def own_graph(domains: dict[str, Any], **fields: Any) -> bytes:
    return json.dumps({"v": 1, "domains": domains, **fields}).encode()


def test_a_home_tightens_and_lengthens() -> None:
    domains = {"email": {"blocked": ["send"], "autonomous": ["forward"]}, "fax": {"autonomous": ["read*"]}}
    raw = own_graph(domains, cooling_period_hours=24, undo_window_days=30)
    graph = parse_consent(GRAPH, raw, where="x")
    assert graph.tier("email", "send") is Tier.BLOCKED
    asked = (("email", "forward"), ("email", "read"), ("fax", "read_page"))
    assert {graph.tier(*one) for one in asked} == {Tier.AUTONOMOUS}
    assert (graph.cooling_hours, graph.undo_days) == (24, 30)


_ACTIONS = st.sampled_from(["forget", "modify_soul_md", "modify*", "delete*", "delete_vip", "read", "x"])
_LISTS = st.dictionaries(st.sampled_from(list(TIER_WORDS)), st.lists(_ACTIONS, unique=True))


@given(st.dictionaries(st.sampled_from(["self_modification", "email", "files"]), _LISTS))
def test_no_graph_of_a_home_makes_a_floor_looser(domains: dict[str, Any]) -> None:
    try:
        graph = parse_consent(GRAPH, own_graph(domains), where="x")
    except NightledgerError:
        return
    for domain, actions in FLOOR.domains.items():
        for action, tier in actions.items():
            if domain == "self_modification" or tier is Tier.BLOCKED:
                assert graph.tier(domain, action) >= FLOOR.tier(domain, action)
    assert graph.tier("self_modification", "modify_what_is_new") is Tier.BLOCKED


@from_corpus("codec-consent")
def test_a_graph_that_is_not_valid_is_refused_with_what_and_where(raw: bytes, message: str) -> None:
    with pytest.raises(NightledgerError) as caught:
        parse_consent(GRAPH, raw, where="home/consent-graph.json")
    assert message in str(caught.value)


# ---------------------------------------------------------------- staging rules

STAGING = shipped_config("staging-rules.json")
STAGED = parse_staging_rules(STAGING, None, where="x")


def staging(own: object) -> StagingRules:
    raw = own if isinstance(own, bytes) else json.dumps(own).encode()
    return parse_staging_rules(STAGING, raw, where="staging-rules.json")


def test_the_shipped_files_are_valid_and_every_source_has_rules() -> None:
    assert find_problems("consent-graph", json.loads(GRAPH)) == ()
    assert find_problems("staging-rules", json.loads(STAGING)) == ()
    assert set(STAGED.sources) == set(Source)
    assert STAGED.sources[Source.LANDMARK].most == 10
    windows = [(one.from_days, one.until_days, one.most) for one in STAGED.windows]
    assert windows == [(7, 14, 2), (14, 28, 2), (28, 90, 2), (90, None, 1)]
    assert (STAGED.lookahead_hours, STAGED.association_percent, STAGED.landmark_percent) == (4, 70, 90)


def test_a_homes_own_rules_hold_what_differs_key_by_key() -> None:
    window = {"from_days": 1, "until_days": 2, "most": 3}
    rules = staging({"budget_tokens": {"codex": 300}, "sources": {"event": {"most": 2}}, "windows": [window]})
    assert (rules.budget_of("codex"), rules.budget_of("openclaw")) == (300, STAGED.budget_of("openclaw"))
    assert (rules.sources[Source.EVENT].most, rules.sources[Source.EVENT].weight) == (2, 100)
    assert rules.windows == (WindowRules(**window),)


@from_corpus("codec-staging_rules")
def test_rules_that_cannot_be_meant_are_refused_with_what_is_wrong(own: object, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        staging(own)
    assert told in str(caught.value)

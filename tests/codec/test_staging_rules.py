"""Staging rules: the shipped ones with a home's own over them."""

import json
from pathlib import Path

import pytest
from tests.rows import from_corpus

from nightledger.codec.records import find_problems
from nightledger.codec.settings import parse_staging_rules
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.staging import Source, StagingRules, WindowRules

SHIPPED = (Path(__file__).parents[2] / "config" / "staging-rules.json").read_bytes()


def parse(own: object) -> StagingRules:
    raw = own if isinstance(own, bytes) else json.dumps(own).encode()
    return parse_staging_rules(SHIPPED, raw, where="staging-rules.json")


def test_the_shipped_rules_are_valid_and_name_every_source() -> None:
    assert find_problems("staging-rules", json.loads(SHIPPED)) == ()
    rules = parse_staging_rules(SHIPPED, None, where="x")
    assert set(rules.sources) == set(Source)
    assert rules.sources[Source.LANDMARK].most == 10
    assert [(one.from_days, one.until_days, one.most) for one in rules.windows] == [
        (7, 14, 2),
        (14, 28, 2),
        (28, 90, 2),
        (90, None, 1),
    ]
    assert (rules.lookahead_hours, rules.association_percent, rules.landmark_percent) == (4, 70, 90)


def test_a_homes_own_file_holds_what_differs_key_by_key() -> None:
    own = {
        "budget_tokens": {"codex": 300},
        "sources": {"event": {"most": 2}},
        "windows": [{"from_days": 1, "until_days": 2, "most": 3}],
    }
    rules, shipped = parse(own), parse_staging_rules(SHIPPED, None, where="x")
    assert rules.budget_of("codex") == 300
    assert rules.budget_of("openclaw") == shipped.budget_of("openclaw")
    assert (rules.sources[Source.EVENT].most, rules.sources[Source.EVENT].weight) == (2, 100)
    assert rules.windows == (WindowRules(from_days=1, until_days=2, most=3),)


@from_corpus("codec-staging_rules")
def test_rules_that_cannot_be_meant_are_refused_with_what_is_wrong(own: object, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(own)
    assert told in str(caught.value)

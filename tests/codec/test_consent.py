import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.codec.records import SCHEMA_DIRECTORY, find_problems
from nightledger.codec.settings import parse_consent
from nightledger.domain.consent import TIER_WORDS, Tier
from nightledger.domain.errors import NightledgerError

SHIPPED = (Path(SCHEMA_DIRECTORY).parent / "config" / "consent-graph.json").read_bytes()
FLOOR = parse_consent(SHIPPED, None, where="floor")


def own(domains: dict[str, Any] | None = None, **fields: Any) -> bytes:
    return json.dumps({"v": 1, "domains": domains or {}, **fields}).encode()


def refused(raw: bytes) -> NightledgerError:
    with pytest.raises(NightledgerError) as caught:
        parse_consent(SHIPPED, raw, where="home/consent-graph.json")
    return caught.value


def test_the_shipped_graph_is_valid_by_its_schema() -> None:
    assert find_problems("consent-graph", json.loads(SHIPPED)) == ()


def test_a_home_tightens_and_lengthens() -> None:
    raw = own(
        {"email": {"blocked": ["send"], "autonomous": ["forward"]}, "fax": {"autonomous": ["read*"]}},
        cooling_period_hours=24,
        undo_window_days=30,
    )
    graph = parse_consent(SHIPPED, raw, where="x")
    assert graph.tier("email", "send") is Tier.BLOCKED
    assert graph.tier("email", "forward") is Tier.AUTONOMOUS
    assert graph.tier("email", "read") is Tier.AUTONOMOUS
    assert graph.tier("fax", "read_page") is Tier.AUTONOMOUS
    assert (graph.cooling_hours, graph.undo_days) == (24, 30)


@given(
    st.dictionaries(
        st.sampled_from(["self_modification", "email", "files"]),
        st.dictionaries(
            st.sampled_from(list(TIER_WORDS)),
            st.lists(
                st.sampled_from(
                    ["forget", "modify_soul_md", "modify*", "delete*", "delete_vip", "read", "x"]
                ),
                unique=True,
            ),
        ),
    )
)
def test_no_graph_of_a_home_makes_a_floor_looser(domains: dict[str, Any]) -> None:
    try:
        graph = parse_consent(SHIPPED, own(domains), where="x")
    except NightledgerError:
        return
    for domain, actions in FLOOR.domains.items():
        for action, tier in actions.items():
            if domain == "self_modification" or tier is Tier.BLOCKED:
                assert graph.tier(domain, action) >= FLOOR.tier(domain, action)
    assert graph.tier("self_modification", "modify_what_is_new") is Tier.BLOCKED


@from_corpus("codec-consent")
def test_a_graph_that_is_not_valid_is_refused_with_what_and_where(raw: bytes, message: str) -> None:
    assert message in str(refused(raw))

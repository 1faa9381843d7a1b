import pytest
from tests.rows import each_row

from nightledger.domain.consent import TIER_WORDS, ConsentGraph, Tier, loosened, merge

SHIPPED = ConsentGraph(
    domains={
        "self_modification": {
            "load_memory_file": Tier.AUTONOMOUS,
            "forget": Tier.TRUSTED_CHANNEL_REQUIRED,
            "modify_*": Tier.BLOCKED,
        },
        "email": {"read": Tier.AUTONOMOUS, "send": Tier.REQUIRES_APPROVAL, "delete_*": Tier.BLOCKED},
    }
)


def own(domain: str, action: str, tier: Tier) -> ConsentGraph:
    return ConsentGraph(domains={domain: {action: tier}})


@pytest.mark.parametrize(("domain", "action"), [("email", "resend"), ("fax", "read"), ("email", "rea")])
def test_what_is_unknown_is_blocked(domain: str, action: str) -> None:
    assert SHIPPED.tier(domain, action) is Tier.BLOCKED


def test_a_star_covers_names_that_begin_so_and_the_strictest_wins() -> None:
    graph = ConsentGraph(domains={"email": {"archive_*": Tier.AUTONOMOUS, "archive_all": Tier.BLOCKED}})
    assert graph.tier("email", "archive_one") is Tier.AUTONOMOUS
    assert graph.tier("email", "archive_all") is Tier.BLOCKED
    assert graph.tier("email", "archive") is Tier.BLOCKED
    assert ConsentGraph(domains={"email": {"read": Tier.AUTONOMOUS}}).tier("email", "read") is Tier.AUTONOMOUS


@each_row(
    "domain, action, tier, floor",
    [
        ("self_modification", "forget", Tier.AUTONOMOUS, "trusted_channel_required"),
        ("self_modification", "modify_soul_md", Tier.REQUIRES_APPROVAL, "blocked"),
        ("self_modification", "never_heard_of", Tier.AUTONOMOUS, "blocked"),
        ("email", "delete_vip", Tier.AUTONOMOUS, "blocked"),
    ],
)
def test_a_home_that_loosens_the_floor_is_named_and_the_floor_holds(
    domain: str, action: str, tier: Tier, floor: str
) -> None:
    graph = own(domain, action, tier)
    assert loosened(SHIPPED, graph) == (f"{domain}.{action}: {tier.word} is below the floor {floor}",)
    assert merge(SHIPPED, graph).tier(domain, action) is SHIPPED.tier(domain, action) is TIER_WORDS[floor]


@each_row(
    "domain, action, tier",
    [
        ("self_modification", "forget", Tier.BLOCKED),
        ("self_modification", "forget", Tier.TRUSTED_CHANNEL_REQUIRED),
        ("email", "send", Tier.AUTONOMOUS),
        ("email", "forward", Tier.AUTONOMOUS),
        ("fax", "send", Tier.AUTONOMOUS),
    ],
)
def test_a_home_may_tighten_anything_and_choose_elsewhere(domain: str, action: str, tier: Tier) -> None:
    graph = own(domain, action, tier)
    assert loosened(SHIPPED, graph) == ()
    merged = merge(SHIPPED, graph)
    assert (merged.tier(domain, action), merged.tier("email", "read")) == (tier, Tier.AUTONOMOUS)


@pytest.mark.parametrize("names", [("imessage", "messages"), ("messages", "imessage")])
def test_a_domain_with_two_names_has_the_strictest_tier_of_both_under_either(names: tuple[str, str]) -> None:
    first, second = names
    graph = ConsentGraph(
        domains={
            first: {"send": Tier.BLOCKED, "read": Tier.AUTONOMOUS},
            second: {"send": Tier.AUTONOMOUS, "read": Tier.REQUIRES_APPROVAL, "list": Tier.AUTONOMOUS},
        }
    )
    assert list(graph.domains) == ["messages"]
    for name in names:
        assert graph.tier(name, "send") is Tier.BLOCKED
        assert graph.tier(name, "read") is Tier.REQUIRES_APPROVAL
        assert graph.tier(name, "list") is Tier.AUTONOMOUS
        assert graph.tier(name, "forward") is Tier.BLOCKED
        assert graph.knows(name, "list")
        assert not graph.knows(name, "forward")

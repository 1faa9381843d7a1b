from tests.rows import each_row, from_corpus

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


@each_row("domain, action", [("email", "resend"), ("fax", "read"), ("email", "rea")])
def test_what_is_unknown_is_blocked(domain: str, action: str) -> None:
    assert SHIPPED.tier(domain, action) is Tier.BLOCKED


def test_a_star_covers_names_that_begin_so_and_the_strictest_wins() -> None:
    graph = ConsentGraph(domains={"email": {"archive_*": Tier.AUTONOMOUS, "archive_all": Tier.BLOCKED}})
    found = [graph.tier("email", action) for action in ("archive_one", "archive_all", "archive")]
    assert found == [Tier.AUTONOMOUS, Tier.BLOCKED, Tier.BLOCKED]
    assert ConsentGraph(domains={"email": {"read": Tier.AUTONOMOUS}}).tier("email", "read") is Tier.AUTONOMOUS


@from_corpus("domain-consent")
def test_a_home_may_tighten_anything_and_choose_elsewhere_and_what_loosens_the_floor_is_named(
    domain: str, action: str, tier: str, floor: str
) -> None:
    graph = ConsentGraph(domains={domain: {action: TIER_WORDS[tier]}})
    named = (f"{domain}.{action}: {tier} is below the floor {floor}",) if floor else ()
    assert loosened(SHIPPED, graph) == named
    merged = merge(SHIPPED, graph)
    assert merged.tier(domain, action) is TIER_WORDS[floor or tier]
    assert merged.tier("email", "read") is Tier.AUTONOMOUS


@each_row("first, second", [("imessage", "messages"), ("messages", "imessage")])
def test_a_domain_with_two_names_has_the_strictest_tier_of_both_under_either(first: str, second: str) -> None:
    one = {"send": Tier.BLOCKED, "read": Tier.AUTONOMOUS}
    other = {"send": Tier.AUTONOMOUS, "read": Tier.REQUIRES_APPROVAL, "list": Tier.AUTONOMOUS}
    graph = ConsentGraph(domains={first: one, second: other})
    assert list(graph.domains) == ["messages"]
    tiers = (Tier.BLOCKED, Tier.REQUIRES_APPROVAL, Tier.AUTONOMOUS, Tier.BLOCKED)
    for name in (first, second):
        assert tuple(graph.tier(name, action) for action in ("send", "read", "list", "forward")) == tiers
        assert (graph.knows(name, "list"), graph.knows(name, "forward")) == (True, False)

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.pruning import Groups, LinkUse, find_bridges


def use(first: str, second: str, sessions: int = 1, day: int = 1) -> LinkUse:
    low, high = sorted((first, second))
    return LinkUse(low, high, sessions, day)


def groups_of(*links: LinkUse) -> Groups:
    groups = Groups()
    for link in links:
        groups.join(link)
    return groups


BACKUPS = (use("backup", "disk", 3), use("backup", "rsync", 2))
INVOICES = (use("invoice", "pdf", 2), use("invoice", "mail", 2))


def test_the_only_link_between_two_well_used_groups_stays() -> None:
    only = use("disk", "pdf")
    assert find_bridges(groups_of(*BACKUPS, *INVOICES), [only]) == {("disk", "pdf")}


def test_of_several_links_that_connect_two_groups_the_newest_stays() -> None:
    weak = [use("disk", "pdf", day=5), use("rsync", "mail", day=9), use("disk", "mail", day=7)]
    assert find_bridges(groups_of(*BACKUPS, *INVOICES), weak) == {("mail", "rsync")}


def test_a_chain_over_tags_of_no_use_stays_whole_and_its_side_branches_go() -> None:
    weak = [use("disk", "x"), use("x", "pdf"), use("x", "y"), use("y", "z")]
    assert find_bridges(groups_of(*BACKUPS, *INVOICES), weak) == {("disk", "x"), ("pdf", "x")}


def test_a_link_to_a_group_that_is_hardly_used_goes() -> None:
    rare = use("lamp", "bulb", 2)  # two sessions are fewer than three
    assert find_bridges(groups_of(*BACKUPS, rare), [use("disk", "lamp")]) == frozenset()


def test_a_long_chain_needs_no_deep_stack() -> None:
    chain = [use(f"t{n:06}", f"t{n + 1:06}") for n in range(5_000)]
    ends = (use("t000000", "a", 3), use("t005000", "b", 3))
    assert len(find_bridges(groups_of(*ends), chain)) == len(chain)


NAMES = "abcdefghij"
LINKS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True),
        st.integers(1, 4),
        st.integers(1, 9),
    ).map(lambda made: use(made[0][0], made[0][1], made[1], made[2])),
    max_size=25,
    unique_by=lambda link: link.pair,
)


@given(links=LINKS, dropped=st.lists(st.booleans(), min_size=25, max_size=25))
def test_whatever_else_is_deleted_well_used_groups_stay_connected(
    links: list[LinkUse], dropped: list[bool]
) -> None:
    weak = [link for link in links if link.co_occurrences == 1 and link.last_day < 6]
    strong = [link for link in links if link not in weak]
    bridges = find_bridges(groups_of(*strong), weak)
    kept = [link for link, gone in zip(weak, dropped, strict=False) if link.pair in bridges or not gone]
    groups = groups_of(*strong)
    before, after = groups_of(*strong, *weak), groups_of(*strong, *kept)
    used = [name for name in NAMES if groups.is_well_used(groups.of(name))]
    for one in used:
        for other in used:
            assert (before.of(one) == before.of(other)) == (after.of(one) == after.of(other))


@given(links=LINKS)
def test_no_bridge_is_kept_that_separates_nothing(links: list[LinkUse]) -> None:
    weak = [link for link in links if link.co_occurrences == 1]
    strong = [link for link in links if link not in weak]
    bridges = find_bridges(groups_of(*strong), weak)
    groups = groups_of(*strong)
    used = [name for name in NAMES if groups.is_well_used(groups.of(name))]
    for pair in bridges:
        left = groups_of(*strong, *(link for link in weak if link.pair in bridges and link.pair != pair))
        sides = {left.of(pair[0]), left.of(pair[1])}
        assert len(sides) == 2
        assert all(any(left.of(name) == side for name in used) for side in sides)

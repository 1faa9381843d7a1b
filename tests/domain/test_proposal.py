from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.proposal import Origin, least_trusted


def test_what_nobody_said_is_of_unknown_origin() -> None:
    assert least_trusted([]) is Origin.UNKNOWN


@given(origins=st.lists(st.sampled_from(Origin), min_size=1))
def test_one_tainted_source_taints_all(origins: list[Origin]) -> None:
    order = [Origin(word) for word in ["owner", "agent", "system", "unknown", "tool", "group", "web"]]
    assert least_trusted(origins) is max(origins, key=order.index)

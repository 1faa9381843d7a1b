import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.domain.test_retention import memories

from nightledger.domain import retention_columns
from nightledger.domain.retention import STANDARD, Memory, Policy, utilities_of
from nightledger.domain.retention import lean as lean_of
from nightledger.domain.retention import pending as pending_of
from nightledger.domain.retention_columns import (
    classic_utilities,
    columns_of,
    leans,
    measured_utilities,
    pending,
)


@given(st.lists(memories, max_size=20), st.integers(0, 10_000))
def test_columns_say_what_the_rules_say_of_each(rows: list[Memory], now: int) -> None:
    columns = columns_of(rows)
    expected = [lean_of(m.useful, m.harmful, m.expected) for m in rows]
    assert leans(columns).tolist() == pytest.approx(expected, abs=1e-12)
    measured = utilities_of(rows, Policy.MEASURED, now)
    assert measured_utilities(columns, now).tolist() == pytest.approx(measured, rel=1e-9, abs=1e-300)
    classic = utilities_of(rows, Policy.CLASSIC, now)
    assert classic_utilities(columns).tolist() == pytest.approx(classic, abs=1e-12)


@pytest.mark.parametrize("policy", list(Policy))
@given(rows=st.lists(memories, max_size=20), now=st.integers(0, 10_000))
def test_columns_let_the_same_memories_go(policy: Policy, rows: list[Memory], now: int) -> None:
    assert pending(columns_of(rows), policy, now).tolist() == pending_of(rows, policy, now)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("count", [6, 7, 8, 50])
def test_rows_are_judged_block_by_block_and_none_is_left_out(
    monkeypatch: pytest.MonkeyPatch, policy: Policy, count: int
) -> None:
    monkeypatch.setattr(retention_columns, "BLOCK", 7)
    rows = [
        Memory(id=f"e-{n}", tier=STANDARD, created_hour=n * 20, pinned=n % 5 == 0, access=n % 3)
        for n in range(count)
    ]
    assert pending(columns_of(rows), policy, 600).tolist() == pending_of(rows, policy, 600)

"""What became of changes like one that waits: of the same source, stated as sure, decided in this home."""

from itertools import chain, repeat
from typing import Any

from msgspec.structs import replace
from tests.domain.gate_values import change, proposal
from tests.rows import each_row

from nightledger.domain.judge import MODEL_CHOSE, Shares, Source, source_of
from nightledger.domain.proposal import Evidence, Kind, Origin
from nightledger.domain.states import ChangeState

OUTCOME = Evidence(path="o", lines=(1, 1), sha256="0" * 64, origin=Origin.AGENT, outcome="o-1")


@each_row(
    "fields,more,source",
    [
        ({"lane": "job"}, {}, Source.RULES),
        ({"lane": "operator"}, {}, Source.RULES),
        ({"lane": "job"}, {"reason": f"{MODEL_CHOSE}, under 'NAS'"}, Source.MODEL),
        ({"lane": "operator"}, {"reason": f"{MODEL_CHOSE} (worded by the operator)"}, Source.MODEL),
        ({"lane": "agent"}, {"reason": f"{MODEL_CHOSE}, says an agent"}, Source.AGENT),
        ({"lane": "job"}, {"evidence": (OUTCOME,)}, Source.OUTCOMES),
        ({"lane": "operator", "kind": Kind.PRUNE}, {}, Source.CHECK_UP),
        ({"lane": "job", "kind": Kind.PRUNE}, {}, Source.PRUNER),
        ({"lane": "operator", "kind": Kind.FORGET}, {}, None),
        ({"lane": "edit", "kind": Kind.BEHAVIOUR}, {}, None),
        ({"lane": "drift", "kind": Kind.DRIFT}, {}, None),
    ],
)
def test_who_proposed_a_change_is_told_by_where_it_came_from(
    fields: dict[str, Any], more: dict[str, Any], source: Source | None
) -> None:
    one = replace(change(1), **more)
    assert source_of(proposal(one, **{"kind": Kind.CONSOLIDATE, **fields}), one) is source


def shares(*counts: tuple[float, ChangeState, int]) -> Shares:
    """Return what became of so many changes of the rules, each as sure as that."""
    made = ((replace(change(1), confidence=sure), state, n) for sure, state, n in counts)
    return Shares(chain.from_iterable(repeat((nightly(one), one, state), n) for one, state, n in made))


def nightly(one: Any) -> Any:
    return proposal(one, lane="job", kind=Kind.CONSOLIDATE)


YES, NO = ChangeState.APPLIED, ChangeState.REJECTED


@each_row(
    "counts,decided,signed",
    [
        ([(0.35, YES, 10), (0.35, NO, 19)], 0, 0),
        ([(0.35, YES, 10), (0.35, NO, 20)], 30, 10),
        ([(0.35, YES, 10), (0.75, NO, 20)], 10, 10),
        ([(0.35, YES, 9), (0.75, NO, 21)], 30, 9),
        ([(0.35, YES, 10), (0.35, ChangeState.PENDING, 90), (0.35, ChangeState.WITHDRAWN, 90)], 0, 0),
        ([(0.35, ChangeState.UNDONE, 10), (0.35, NO, 20), (0.35, ChangeState.SUPERSEDED, 9)], 30, 10),
    ],
)
def test_a_share_is_of_those_as_sure_where_there_are_ten_and_of_nothing_before_thirty(
    counts: list[tuple[float, ChangeState, int]], decided: int, signed: int
) -> None:
    one = replace(change(1), confidence=0.31)
    share = shares(*counts).of(nightly(one), one)
    assert (share.decided, share.signed) == (decided, signed) if share else decided == 0

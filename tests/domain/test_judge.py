"""Whether a change may be applied, what may be proposed again and how much of it, and what became of its like."""

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.domain.gate_values import HOME, START, Log, at, change, decision, draft, evidence, proposal
from tests.rows import each_row, from_corpus

from nightledger.domain import judge as judging
from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.decision import Cooling, DecisionTarget, DecisionType, Moment, Vouched, Witnessed
from nightledger.domain.judge import Claim, Rules, Said, Verdict
from nightledger.domain.kept import Places
from nightledger.domain.proposal import Anchor, Change, Draft, Hunk, Kind, Op, Part, Proposal
from nightledger.domain.states import ChangeState, ProposalStatus

OPEN = ConsentGraph(
    domains={"self_modification": {"consolidate_daily_to_memory": Tier.TRUSTED_CHANNEL_REQUIRED}}
)
RULES = Rules(origin=HOME, cooling=Cooling(), consent=OPEN, places=Places(gated=("MEMORY.md", "USER.md")))
LATER = at(hours=3)
OTHER_FILES = "the files it was signed for are not those that the changes touch"
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
LOGGED, COPIED = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"


def claim(signed: dict[str, Any] | None = None, **fields: Any) -> Claim:
    values: dict[str, Any] = {"signer": "operator", "on_log": True, "recorded": at(hours=1)}
    return Claim(decision=decision(**(signed or {})), **{**values, **fields})


def approved(changes: int = 1, *numbers: int, by: str = "d-1") -> ProposalStatus:
    log = Log().proposed(changes).decided("approve", *(numbers or (1,)), decision=by)
    return log.book().proposals["p-1"]


def ask(of: Claim | None = None, *, now: Moment = LATER, rules: Rules = RULES, **fields: Any) -> Verdict:
    given = {"proposal": proposal(), "proposal_sha256": "aa", "status": approved(), **fields}
    return judging.judge(
        of or claim(), given["proposal"], given["proposal_sha256"], given["status"], rules=rules, now=now
    )


def targets(*paths: str) -> dict[str, Any]:
    made = (DecisionTarget(path=path, base="b", result="r", hunks_sha256="h") for path in paths)
    return {"targets": tuple(made)}


def test_a_signed_change_that_has_cooled_may_be_applied_and_before_the_gate_says_how_long() -> None:
    assert ask() == Verdict()
    assert ask().is_open
    assert ask(now=at(hours=1, minutes=30)) == Verdict(wait_s=1800)
    assert not Verdict(wait_s=1).is_open
    assert not Verdict(reasons=("no",)).is_open
    late = claim({"not_before": START + timedelta(hours=5)})
    assert ask(late).wait_s == 2 * 3600
    own = proposal(lane=judging.EDIT_LANE)  # the operator's own edit
    assert ask(late, now=at(hours=1), proposal=own).is_open


def test_an_approval_expires_at_its_time_by_the_clock_or_by_what_witnesses_saw() -> None:
    assert ask(now=at(days=7, seconds=-1)).is_open
    expired = ("the approval expired at 2026-03-08 06:00 UTC",)
    assert ask(now=at(days=7)).reasons == expired
    late = Vouched(first=at(hours=1).at, last=at(days=7).at)
    seen = claim(witnessed=Witnessed(proposed=late, signed=late))
    assert ask(seen, now=at(hours=1)).reasons == expired
    assert ask(claim(witnessed=Witnessed()), now=at(days=6)).wait_s == 2 * 3600


@from_corpus("domain-judge")
def test_each_rule_refuses_by_itself(
    signed: dict[str, Any], fields: dict[str, Any], reasons: list[str]
) -> None:
    said = {"targets": ["MEMORY.md"], "type": "approve", "changes": [1], **signed}
    values = {"type": DecisionType(said["type"]), "changes": tuple(said["changes"])}
    of = claim({**signed, **values, **targets(*said["targets"])}, **fields)
    assert list(ask(of).reasons) == reasons


def test_every_reason_comes_at_once() -> None:
    assert len(ask(claim({"origin": "x"}, signer=None, on_log=False), now=at(days=8)).reasons) == 4


def test_a_proposal_whose_file_was_changed_or_that_has_two_changes_of_one_number_is_refused() -> None:
    changed = ask(claim({"proposal_sha256": "zz"}), proposal_sha256="zz")
    assert changed.reasons == ("the proposal's file is not the one that was logged",)
    twice = replace(proposal(), changes=proposal().changes * 2)
    assert ask(proposal=twice).reasons == ("two changes of the proposal have one number",)


def test_what_is_no_longer_approved_by_this_decision_is_refused_with_its_state() -> None:
    pending = Log().proposed(1).book().proposals["p-1"]
    assert ask(status=pending).reasons == ("change 1 is pending",)
    assert ask(status=approved(by="d-9")).reasons == ("change 1 is approved",)
    log = Log().proposed(2).decided("approve", 1, 2).decided("reject", 1, decision="d-2")
    both, left = proposal(change(1), change(2)), log.book().proposals["p-1"]
    assert ask(claim({"changes": (1, 2)}), proposal=both, status=left).is_open  # the others go on


@each_row("domains", [{}, {"self_modification": {"consolidate_daily_to_memory": Tier.BLOCKED}}])
def test_the_consent_graph_blocks_what_it_blocks_and_what_it_does_not_know(domains: dict[str, Any]) -> None:
    rules = replace(RULES, consent=ConsentGraph(domains=domains))
    assert ask(rules=rules).reasons == ("the consent graph blocks consolidate_daily_to_memory",)


COPY = Part(target=COPIED, hunk=Hunk(anchor=Anchor.COPY, section=(), added=SHA256))


def compression(target: str = LOGGED) -> Change:
    summary = Hunk(anchor=Anchor.WHOLE, section=(), removed=SHA256, added="# Short\n")
    return replace(change(1, target=target), op=Op.COMPRESS, hunk=summary, also=(COPY,))


def test_only_gated_files_are_changed_and_only_those_that_were_signed_for() -> None:
    soul = ask(proposal=proposal(change(1, target="SOUL.md")))
    assert soul.reasons == ("SOUL.md is not a gated file of this home", OTHER_FILES)
    both = claim({"changes": (1, 2), **targets("MEMORY.md", "USER.md")})
    two = proposal(change(1), change(2, target="USER.md"))
    assert ask(both, proposal=two, status=approved(2, 1, 2)).is_open
    extra = ask(proposal=proposal(replace(change(1), also=(COPY,))))
    assert extra.reasons == (f"{COPIED} is no part of such a change", OTHER_FILES)


def test_a_daily_log_may_be_compressed_when_each_of_its_files_was_signed_for_and_no_gated_file() -> None:
    rules, asked = replace(RULES, places=replace(RULES.places, daily=("memory", ""))), proposal(compression())
    both = claim(targets(LOGGED, COPIED))
    assert ask(both, proposal=asked, rules=rules) == Verdict()
    assert ask(claim(targets(LOGGED)), proposal=asked, rules=rules).reasons == (OTHER_FILES,)
    assert ask(both, proposal=asked).reasons == (f"{LOGGED} is not a daily log of this home",)
    gated = ask(claim(targets("MEMORY.md", COPIED)), proposal=proposal(compression("MEMORY.md")), rules=rules)
    assert gated.reasons == ("MEMORY.md is not a daily log of this home",)


# ---------------------------------------------------------------- how much may wait, and what may return


def keys(drafts: list[Draft]) -> list[str]:
    return [one.statement_key for one in drafts]


def test_the_best_ranked_come_first_then_target_line_and_key() -> None:
    drafts = [
        draft("d", rank=0.1),
        draft("c", rank=0.9, op=Op.REMOVE, line=9),
        draft("b", rank=0.9, op=Op.REMOVE, line=2),
        draft("a", rank=0.9, target="A.md"),
    ]
    assert keys(judging.choose(drafts, additions=5, room=5)) == ["a", "b", "c", "d"]


@given(
    new=st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), max_size=6),
    waiting=st.lists(st.sampled_from([0.2, 0.3, 0.5, 0.8]), max_size=6),
    free=st.integers(-2, 4),
)
def test_what_is_admitted_makes_the_queue_no_weaker_and_no_longer(
    new: list[float], waiting: list[float], free: int
) -> None:
    weakest = sorted(waiting)
    drafts = [draft(f"{n}", confidence=sure) for n, sure in enumerate(new)]
    kept = judging.admit(drafts, weakest, free)
    gone = weakest[: max(0, len(kept) - free)]
    assert len(kept) - len(gone) <= max(free, 0)
    assert all(max(gone, default=0) < one.confidence for one in kept)
    left = [one.confidence for one in drafts if one not in kept]
    assert all(one.confidence >= max(left, default=0) for one in kept)
    assert free < 0 or not left or all(stays >= max(left) for stays in weakest[len(gone) :])


def test_additions_and_room_are_capped_and_removals_need_room_only() -> None:
    drafts = [draft(f"{n}", rank=-n) for n in range(4)] + [draft("r", rank=-9, op=Op.REMOVE)]
    for additions, room, chosen in ((2, 9, ["0", "1", "r"]), (9, 2, ["0", "1"]), (-1, 1, ["r"]), (-1, 0, [])):
        assert keys(judging.choose(drafts, additions=additions, room=room)) == chosen


def test_one_statement_for_one_file_is_chosen_once() -> None:
    drafts = [draft("a", rank=1), draft("a", rank=2), draft("a", target="USER.md"), draft("a", op=Op.REMOVE)]
    assert [(d.rank, d.target, d.op) for d in judging.choose(drafts, additions=9, room=9)] == [
        (2, "MEMORY.md", Op.ADD),
        (0.5, "MEMORY.md", Op.REMOVE),
        (0.5, "USER.md", Op.ADD),
    ]


def said(path: str, *, closed: bool) -> Said:
    return Said(key="a", target="MEMORY.md", adds=True, closed=closed, evidence=(evidence(path),))


@from_corpus("domain-judge")
def test_what_was_rejected_returns_with_a_new_source_or_where_the_operator_asks(
    named: str, rejected: str, waiting: str, *, returns: bool, asked_returns: bool
) -> None:
    fresh = draft("a", evidence=tuple(map(evidence, named)))
    answered = [said(path, closed=True) for path in rejected] + [said(path, closed=False) for path in waiting]
    assert (judging.may_return(fresh, answered), judging.may_return(fresh, answered, asked=True)) == (
        returns,
        asked_returns,
    )


@from_corpus("domain-judge")
def test_a_new_source_is_none_of_those_that_were_answered(
    cited: list[list[str]], known: list[list[str]], *, new: bool
) -> None:
    """Outcomes are one where they are as many as those that were answered; a log and its copy are one source."""
    assert judging.has_new_source(*([evidence(*words) for words in some] for some in (cited, known))) is new


def test_one_proposal_forgets_one_link_or_archives_and_compresses_what_fits() -> None:
    link = draft("link", op=Op.DELETE_LINK, rank=1.0)
    logs = [draft(f"log {n}", op=Op.COMPRESS, target=f"memory/{n}.md", rank=0.1) for n in range(9)]
    room = 3 * (len("memory/1.md") + judging.TARGET_BYTES)
    assert keys(judging.choose_to_forget([*logs, link], deletions=1, leaf_bytes=room)) == ["link"]
    assert judging.choose_to_forget([*logs, link], deletions=0, leaf_bytes=room) == []
    assert keys(judging.choose_to_forget(logs, deletions=1, leaf_bytes=room)) == ["log 0", "log 1", "log 2"]
    assert len(judging.choose_to_forget(logs, deletions=0, leaf_bytes=1 << 20)) == 9
    last = draft("link", op=Op.DELETE_LINK, rank=0.0)
    assert "link" not in keys(judging.choose_to_forget([*logs, last], deletions=1, leaf_bytes=1 << 20))


# ---------------------------------------------------------------- what became of its like


@from_corpus("domain-judge")
def test_who_proposed_a_change_is_told_by_where_it_came_from(
    lane: str, kind: str, reason: str, outcome: str | None, source: str | None
) -> None:
    one = replace(change(1), reason=reason, evidence=(evidence("o", outcome),))
    assert judging.source_of(proposal(one, lane=lane, kind=Kind(kind)), one) == source


def nightly(sure: float) -> tuple[Proposal, Change]:
    one = replace(change(1), confidence=sure)
    return proposal(one, lane="job"), one


@from_corpus("domain-judge")
def test_a_share_is_of_those_as_sure_where_there_are_ten_and_of_nothing_before_thirty(
    counts: list[tuple[float, str, int]], decided: int, signed: int
) -> None:
    made = [(*nightly(sure), ChangeState(state)) for sure, state, n in counts for _ in range(n)]
    share = judging.Shares(made).of(*nightly(0.31))
    assert (share.decided, share.signed) == (decided, signed) if share else decided == 0

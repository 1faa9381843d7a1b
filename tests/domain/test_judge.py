from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from tests.domain.gate_values import HOME, START, Log, at, change, decision, proposal

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.cooling import Cooling, Vouched, Witnessed
from nightledger.domain.decision import DecisionTarget, DecisionType
from nightledger.domain.folding import fold_events
from nightledger.domain.judge import EDIT_LANE, Claim, Rules, Verdict, judge
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Anchor, Change, Hunk, Op, Part
from nightledger.domain.states import ProposalStatus

OPEN = ConsentGraph(
    domains={"self_modification": {"consolidate_daily_to_memory": Tier.TRUSTED_CHANNEL_REQUIRED}}
)
RULES = Rules(origin=HOME, cooling=Cooling(), consent=OPEN, gated=("MEMORY.md", "USER.md"))
LATER = at(hours=3)


def claim(**fields: Any) -> Claim:
    values: dict[str, Any] = {
        "decision": decision(),
        "signer": "operator",
        "on_log": True,
        "recorded": at(hours=1),
    }
    return Claim(**{**values, **fields})


def approved(changes: int = 1, *numbers: int) -> ProposalStatus:
    log = Log().proposed(changes).decided("approve", *(numbers or (1,)))
    return fold_events(log.events).proposals["p-1"]


def ask(of: Claim | None = None, *, now: Moment = LATER, rules: Rules = RULES, **fields: Any) -> Verdict:
    given = {"proposal": proposal(), "proposal_sha256": "aa", "status": approved(), **fields}
    return judge(
        of or claim(), given["proposal"], given["proposal_sha256"], given["status"], rules=rules, now=now
    )


def test_a_signed_change_that_has_cooled_may_be_applied() -> None:
    verdict = ask()
    assert verdict == Verdict()
    assert verdict.is_open


def test_before_the_cooling_is_over_the_gate_says_how_long() -> None:
    verdict = ask(now=at(hours=1, minutes=30))
    assert verdict == Verdict(wait_s=1800)
    assert not verdict.is_open
    assert not Verdict(reasons=("no",)).is_open


def test_the_signed_earliest_time_counts_too() -> None:
    late = claim(decision=decision(not_before=START + timedelta(hours=5)))
    assert ask(late).wait_s == 2 * 3600


def test_an_operators_own_edit_does_not_cool() -> None:
    late = claim(decision=decision(not_before=START + timedelta(hours=5)))
    assert ask(late, now=at(hours=1), proposal=proposal(lane=EDIT_LANE)).is_open


def test_an_approval_that_witnesses_saw_expire_is_not_saved_by_a_clock_set_back() -> None:
    late = Vouched(first=at(hours=1).at, last=at(days=7).at)
    verdict = ask(claim(witnessed=Witnessed(proposed=late, signed=late)), now=at(hours=1))
    assert verdict.reasons == ("the approval expired at 2026-03-08 06:00 UTC",)


def test_an_approval_expires_at_its_time_and_not_before() -> None:
    assert ask(now=at(days=7, seconds=-1)).is_open
    assert ask(now=at(days=7)).reasons == ("the approval expired at 2026-03-08 06:00 UTC",)


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (claim(signer=None), "no key in allowed_signers verifies the signature"),
        (claim(signer="mallory"), "it was signed by 'mallory' and names 'operator'"),
        (claim(decision=decision(origin="nightledger/other")), "it was signed for another home"),
        (claim(on_log=False), "the log head that it names is not a prefix of this log"),
        (claim(decision=decision(proposal="p-2")), "it is about proposal p-2, not p-1"),
        (
            claim(decision=decision(proposal_sha256="bb")),
            "it was signed over other bytes of this proposal",
        ),
        (claim(decision=decision(type=DecisionType.REJECT)), "a decision to reject is not an approval"),
        (claim(decision=decision(type=DecisionType.UNDO)), "a decision to undo is not an approval"),
    ],
)
def test_each_rule_refuses_by_itself(of: Claim, reason: str) -> None:
    assert ask(of).reasons == (reason,)


def test_a_decision_must_name_changes_that_are_there() -> None:
    missing = "it names changes that the proposal does not have"
    assert ask(claim(decision=decision(changes=(1, 2)))).reasons == (missing,)
    assert missing in ask(claim(decision=decision(changes=()))).reasons


def test_a_decision_does_not_speak_of_two_changes_of_one_number() -> None:
    twice = replace(proposal(), changes=proposal().changes * 2)
    assert ask(proposal=twice).reasons == ("two changes of the proposal have one number",)


def test_a_proposal_whose_file_was_changed_is_refused() -> None:
    changed = ask(claim(decision=decision(proposal_sha256="zz")), proposal_sha256="zz")
    assert changed.reasons == ("the proposal's file is not the one that was logged",)


def test_what_is_no_longer_approved_is_refused_with_its_state() -> None:
    pending = fold_events(Log().proposed(1).events).proposals["p-1"]
    assert ask(status=pending).reasons == ("change 1 is pending",)
    other = fold_events(Log().proposed(1).decided("approve", 1, decision="d-9").events).proposals["p-1"]
    assert ask(status=other).reasons == ("change 1 is approved",)


def test_the_consent_graph_blocks_what_it_blocks_and_what_it_does_not_know() -> None:
    for graph in (
        ConsentGraph(domains={}),
        ConsentGraph(domains={"self_modification": {"consolidate_daily_to_memory": Tier.BLOCKED}}),
    ):
        assert ask(rules=replace(RULES, consent=graph)).reasons == (
            "the consent graph blocks consolidate_daily_to_memory",
        )


def test_only_gated_files_are_changed_and_only_those_that_were_signed_for() -> None:
    soul = proposal(change(1, target="SOUL.md"))
    assert ask(proposal=soul).reasons == (
        "SOUL.md is not a gated file of this home",
        "the files it was signed for are not those that the changes touch",
    )
    both = (
        DecisionTarget(path="MEMORY.md", base="b", result="r", hunks_sha256="h"),
        DecisionTarget(path="USER.md", base="b", result="r", hunks_sha256="h"),
    )
    two = proposal(change(1), change(2, target="USER.md"))
    assert ask(
        claim(decision=decision(changes=(1, 2), targets=both)), proposal=two, status=approved(2, 1, 2)
    ).is_open
    assert ask(claim(decision=decision(targets=both)), proposal=two).reasons == (
        "the files it was signed for are not those that the changes touch",
    )


def test_every_reason_comes_at_once() -> None:
    verdict = ask(claim(signer=None, on_log=False, decision=decision(origin="x")), now=at(days=8))
    assert len(verdict.reasons) == 4


SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def compression(target: str = "memory/2026-01-02.md") -> Change:
    copied = Hunk(anchor=Anchor.COPY, section=(), added=SHA256)
    return replace(
        change(1, target=target),
        op=Op.COMPRESS,
        hunk=Hunk(anchor=Anchor.WHOLE, section=(), removed=SHA256, added="# Short\n"),
        also=(Part(target="memory/archive/daily/2026-01-02.md", hunk=copied),),
    )


def signed_for(*paths: str) -> Claim:
    targets = tuple(DecisionTarget(path=path, base="b", result="r", hunks_sha256="h") for path in paths)
    return claim(decision=decision(targets=targets))


def test_a_daily_log_may_be_compressed_when_each_of_its_files_was_signed_for() -> None:
    rules = replace(RULES, daily=("memory",))
    asked = proposal(compression())
    both = signed_for("memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md")
    assert ask(both, proposal=asked, rules=rules) == Verdict()
    assert ask(signed_for("memory/2026-01-02.md"), proposal=asked, rules=rules).reasons == (
        "the files it was signed for are not those that the changes touch",
    )
    assert ask(both, proposal=asked).reasons == ("memory/2026-01-02.md is not a daily log of this home",)


def test_a_gated_file_is_never_compressed_whatever_was_signed() -> None:
    asked = proposal(compression("MEMORY.md"))
    paths = signed_for("MEMORY.md", "memory/archive/daily/2026-01-02.md")
    assert ask(paths, proposal=asked, rules=replace(RULES, daily=("",))).reasons == (
        "MEMORY.md is not a daily log of this home",
    )


def test_a_further_part_that_was_not_signed_for_closes_the_gate() -> None:
    extra = replace(change(1), also=compression().also)
    assert ask(proposal=proposal(extra)).reasons == (
        "memory/archive/daily/2026-01-02.md is no part of such a change",
        "the files it was signed for are not those that the changes touch",
    )

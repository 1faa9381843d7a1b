from datetime import timedelta
from typing import Any

from msgspec.structs import replace
from tests.domain.gate_values import HOME, START, Log, at, change, decision, proposal
from tests.rows import each_row

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.decision import Cooling, DecisionTarget, DecisionType, Moment, Vouched, Witnessed
from nightledger.domain.folding import fold_events
from nightledger.domain.judge import EDIT_LANE, Claim, Rules, Verdict, judge
from nightledger.domain.proposal import Anchor, Change, Hunk, Op, Part
from nightledger.domain.states import ProposalStatus

OPEN = ConsentGraph(
    domains={"self_modification": {"consolidate_daily_to_memory": Tier.TRUSTED_CHANNEL_REQUIRED}}
)
RULES = Rules(origin=HOME, cooling=Cooling(), consent=OPEN, gated=("MEMORY.md", "USER.md"))
LATER = at(hours=3)
OTHER_FILES = "the files it was signed for are not those that the changes touch"
MISSING = "it names changes that the proposal does not have"
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
LOGGED, COPIED = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"


def claim(signed: dict[str, Any] | None = None, **fields: Any) -> Claim:
    values: dict[str, Any] = {"signer": "operator", "on_log": True, "recorded": at(hours=1)}
    return Claim(decision=decision(**(signed or {})), **{**values, **fields})


def approved(changes: int = 1, *numbers: int, by: str = "d-1") -> ProposalStatus:
    log = Log().proposed(changes).decided("approve", *(numbers or (1,)), decision=by)
    return fold_events(log.events).proposals["p-1"]


def ask(of: Claim | None = None, *, now: Moment = LATER, rules: Rules = RULES, **fields: Any) -> Verdict:
    given = {"proposal": proposal(), "proposal_sha256": "aa", "status": approved(), **fields}
    return judge(
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
    assert ask(late, now=at(hours=1), proposal=proposal(lane=EDIT_LANE)).is_open  # the operator's own edit


def test_an_approval_expires_at_its_time_by_the_clock_or_by_what_witnesses_saw() -> None:
    assert ask(now=at(days=7, seconds=-1)).is_open
    expired = ("the approval expired at 2026-03-08 06:00 UTC",)
    assert ask(now=at(days=7)).reasons == expired
    late = Vouched(first=at(hours=1).at, last=at(days=7).at)
    seen = claim(witnessed=Witnessed(proposed=late, signed=late))
    assert ask(seen, now=at(hours=1)).reasons == expired
    assert ask(claim(witnessed=Witnessed()), now=at(days=6)).wait_s == 2 * 3600


@each_row(
    "of, reasons",
    [
        (claim(signer=None), ["no key in allowed_signers verifies the signature"]),
        (claim(signer="mallory"), ["it was signed by 'mallory' and names 'operator'"]),
        (claim({"origin": "nightledger/other"}), ["it was signed for another home"]),
        (claim(on_log=False), ["the log head that it names is not a prefix of this log"]),
        (claim({"proposal": "p-2"}), ["it is about proposal p-2, not p-1"]),
        (claim({"proposal_sha256": "bb"}), ["it was signed over other bytes of this proposal"]),
        (claim({"type": DecisionType.REJECT}), ["a decision to reject is not an approval"]),
        (claim({"type": DecisionType.UNDO}), ["a decision to undo is not an approval"]),
        (claim({"changes": (1, 2)}), [MISSING]),
        (claim({"changes": ()}), [MISSING, OTHER_FILES]),
        (claim(targets("MEMORY.md", "USER.md")), [OTHER_FILES]),
    ],
)
def test_each_rule_refuses_by_itself(of: Claim, reasons: list[str]) -> None:
    assert list(ask(of).reasons) == reasons


def test_every_reason_comes_at_once() -> None:
    assert len(ask(claim({"origin": "x"}, signer=None, on_log=False), now=at(days=8)).reasons) == 4


def test_a_proposal_whose_file_was_changed_or_that_has_two_changes_of_one_number_is_refused() -> None:
    changed = ask(claim({"proposal_sha256": "zz"}), proposal_sha256="zz")
    assert changed.reasons == ("the proposal's file is not the one that was logged",)
    twice = replace(proposal(), changes=proposal().changes * 2)
    assert ask(proposal=twice).reasons == ("two changes of the proposal have one number",)


def test_what_is_no_longer_approved_by_this_decision_is_refused_with_its_state() -> None:
    pending = fold_events(Log().proposed(1).events).proposals["p-1"]
    assert ask(status=pending).reasons == ("change 1 is pending",)
    assert ask(status=approved(by="d-9")).reasons == ("change 1 is approved",)
    log = Log().proposed(2).decided("approve", 1, 2).decided("reject", 1, decision="d-2")
    both, left = proposal(change(1), change(2)), fold_events(log.events).proposals["p-1"]
    assert ask(claim({"changes": (1, 2)}), proposal=both, status=left).is_open  # the others go on


@each_row("domains", [{}, {"self_modification": {"consolidate_daily_to_memory": Tier.BLOCKED}}])
def test_the_consent_graph_blocks_what_it_blocks_and_what_it_does_not_know(domains: dict[str, Any]) -> None:
    rules = replace(RULES, consent=ConsentGraph(domains=domains))
    assert ask(rules=rules).reasons == ("the consent graph blocks consolidate_daily_to_memory",)


def compression(target: str = LOGGED) -> Change:
    return replace(
        change(1, target=target),
        op=Op.COMPRESS,
        hunk=Hunk(anchor=Anchor.WHOLE, section=(), removed=SHA256, added="# Short\n"),
        also=(Part(target=COPIED, hunk=Hunk(anchor=Anchor.COPY, section=(), added=SHA256)),),
    )


def test_only_gated_files_are_changed_and_only_those_that_were_signed_for() -> None:
    soul = ask(proposal=proposal(change(1, target="SOUL.md")))
    assert soul.reasons == ("SOUL.md is not a gated file of this home", OTHER_FILES)
    both = claim({"changes": (1, 2), **targets("MEMORY.md", "USER.md")})
    two = proposal(change(1), change(2, target="USER.md"))
    assert ask(both, proposal=two, status=approved(2, 1, 2)).is_open
    extra = ask(proposal=proposal(replace(change(1), also=compression().also)))
    assert extra.reasons == (f"{COPIED} is no part of such a change", OTHER_FILES)


def test_a_daily_log_may_be_compressed_when_each_of_its_files_was_signed_for_and_no_gated_file() -> None:
    rules, asked = replace(RULES, daily=("memory", "")), proposal(compression())
    both = claim(targets(LOGGED, COPIED))
    assert ask(both, proposal=asked, rules=rules) == Verdict()
    assert ask(claim(targets(LOGGED)), proposal=asked, rules=rules).reasons == (OTHER_FILES,)
    assert ask(both, proposal=asked).reasons == (f"{LOGGED} is not a daily log of this home",)
    gated = ask(claim(targets("MEMORY.md", COPIED)), proposal=proposal(compression("MEMORY.md")), rules=rules)
    assert gated.reasons == ("MEMORY.md is not a daily log of this home",)

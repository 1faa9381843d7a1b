"""Which trust files are in force: resets wait, keys end them, and what may change them."""

from typing import Any

from msgspec.structs import replace
from tests.domain.gate_values import Log, at, decision, play
from tests.rows import each_row, from_corpus

from nightledger.domain import trusting
from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.trusting import TRUST_FILES

DAY_H = trusting.RESET_WAIT_S // 3600
GENESIS = [{"name": "allowed_signers", "sha256": "s0"}, {"name": "revoked_keys", "sha256": "r0"}]


def begun() -> Log:
    return Log().add("genesis", trust=GENESIS, gated=[])


def changed(log: Log, name: str, sha256: str, decision: str = "d-1", **after: float) -> Log:
    log.decided("trust", decision=decision, proposal="")
    files = [{"name": name, "sha256": sha256}]
    return log.add("trust.changed", after=after or None, decision=decision, files=files)


def reset(log: Log, sha256: str, **after: float) -> Log:
    files = [{"name": "allowed_signers", "sha256": sha256}]
    return log.add("trust.reset", after=after or None, files=files)


@from_corpus("domain-trusting")
def test_what_is_in_force_follows_from_the_steps_and_the_time(
    why: str, steps: list[list[Any]], signers: list[tuple[dict[str, float], str]]
) -> None:
    files = play(steps).book().trust.files
    found = [files(at(**after))["allowed_signers"] for after, _ in signers]
    assert found == [sha256 for _, sha256 in signers], why


def test_a_reset_is_told_while_it_waits_and_ever_after() -> None:
    chain = reset(begun(), "new", hours=0).book().trust
    step = chain.steps[1]
    assert (step.is_reset, step.remaining_s(at(hours=DAY_H - 1))) == (True, 3600)
    waiting = [chain.pending_reset(at(hours=hours)) for hours in (1, DAY_H)]
    assert (waiting, chain.resets()) == ([step, None], (step,))
    assert begun().book().trust.pending_reset(at()) is None
    ended = changed(reset(begun(), "evil", hours=0), "revoked_keys", "r1", hours=1).book().trust
    assert (ended.pending_reset(at(hours=2)), ended.resets()) == (
        None,
        (replace(step, cancelled=True, files=ended.steps[1].files),),
    )


def test_what_was_recorded_before_a_reset_took_force_is_told() -> None:
    log = reset(begun(), "new", hours=0)
    before, waiting, after = at(hours=-1), at(hours=1), at(hours=DAY_H + 1)
    now = at(hours=DAY_H + 2)
    was_reset = log.book().trust.was_reset
    assert was_reset(before, 1, now)
    assert was_reset(waiting, 2, now)
    assert not was_reset(after, 2, now)
    assert not was_reset(before, 1, waiting)
    assert not changed(begun(), "policy", "p1").book().trust.was_reset(before, 1, now)


BEFORE = {"allowed_signers": "s0", "peers": trusting.EMPTY_SHA256, "policy": "p0", "revoked_keys": "r0"}


def change_of(*names: str) -> Decision:
    targets = (
        DecisionTarget(path=TRUST_FILES.get(n, n), base=BEFORE.get(n, ""), result=f"{n} 1", hunks_sha256="h")
        for n in names
    )
    kind = {"type": DecisionType.TRUST, "proposal": "", "proposal_sha256": "", "changes": ()}
    return decision(**kind, targets=tuple(targets))


RECOVERY = "a recovery key changes allowed_signers and revoked_keys only"
FORM = "it is not the form of a decision about trust files"


@each_row(
    "made, by_recovery, reason",
    [
        (change_of("allowed_signers", "revoked_keys"), True, ""),
        (change_of("policy", "revoked_keys"), False, ""),
        (change_of("policy", "revoked_keys"), True, RECOVERY),
        (change_of("peers", "revoked_keys"), True, RECOVERY),
        (change_of("MEMORY.md"), False, "MEMORY.md is no trust file"),
        (change_of(), False, FORM),
        (change_of("policy", "policy"), False, FORM),
        (replace(change_of("policy"), proposal="p-1"), False, FORM),
        (replace(change_of("policy"), changes=(1,)), False, FORM),
    ],
)
def test_what_no_change_of_trust_files_may_be_is_named(
    made: Decision, *, by_recovery: bool, reason: str
) -> None:
    named = {trusting.NAMES.get(target.path, target.path): target.result for target in made.targets}
    found = trusting.why_not_change(made, named, BEFORE, by_recovery=by_recovery)
    assert found == ([reason] if reason else [])

"""Which trust files are in force: resets wait, keys end them, and what may change them."""

from msgspec.structs import replace
from tests.domain.gate_values import Log, at, decision
from tests.rows import each_row

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.trusting import (
    EMPTY_SHA256,
    NAMES,
    RESET_WAIT_S,
    TRUST_FILES,
    TrustChain,
    why_not_change,
)

DAY_H = RESET_WAIT_S // 3600
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


def chain(log: Log) -> TrustChain:
    return log.book().trust


def signers(log: Log, **after: float) -> str:
    return chain(log).files(at(**after))["allowed_signers"]


def test_a_reset_waits_a_day_and_then_counts() -> None:
    log = reset(begun(), "new", hours=0)
    assert signers(log, hours=DAY_H, seconds=-1) == "s0"
    assert signers(log, hours=DAY_H) == "new"
    step = chain(log).steps[1]
    assert (step.is_reset, step.remaining_s(at(hours=DAY_H - 1))) == (True, 3600)
    assert chain(log).pending_reset(at(hours=1)) == step
    assert chain(log).pending_reset(at(hours=DAY_H)) is None
    assert chain(log).resets() == (step,)
    assert chain(begun()).pending_reset(at()) is None


def test_a_backdated_reset_waits_from_the_latest_time_of_the_log_before_it() -> None:
    log = begun().add("heartbeat", after={"days": 9}, day="x")
    reset(log, "evil", days=-30)
    assert signers(log, days=9, hours=DAY_H - 1) == "s0"
    assert signers(log, days=9, hours=DAY_H) == "evil"


def test_whoever_still_has_a_key_can_end_a_reset_that_waits() -> None:
    log = changed(reset(begun(), "evil", hours=0), "revoked_keys", "r1", hours=1)
    assert signers(log, days=400) == "s0"
    assert chain(log).pending_reset(at(hours=2)) is None
    assert [step.cancelled for step in chain(log).resets()] == [True]


def test_a_second_reset_ends_the_first_and_waits_itself() -> None:
    log = reset(reset(begun(), "evil", hours=0), "mine", hours=5)
    assert signers(log, hours=DAY_H) == "s0"
    assert signers(log, hours=DAY_H + 5) == "mine"


def test_what_was_recorded_before_a_reset_took_force_is_told() -> None:
    log = reset(begun(), "new", hours=0)
    before, waiting, after = at(hours=-1), at(hours=1), at(hours=DAY_H + 1)
    now = at(hours=DAY_H + 2)
    assert chain(log).was_reset(before, 1, now)
    assert chain(log).was_reset(waiting, 2, now)
    assert not chain(log).was_reset(after, 2, now)
    assert not chain(log).was_reset(before, 1, waiting)
    assert not chain(changed(begun(), "policy", "p1")).was_reset(before, 1, now)


BEFORE = {"allowed_signers": "s0", "peers": EMPTY_SHA256, "policy": "p0", "revoked_keys": "r0"}


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
    named = {NAMES.get(target.path, target.path): target.result for target in made.targets}
    assert why_not_change(made, named, BEFORE, by_recovery=by_recovery) == ([reason] if reason else [])

"""The forger is as good as the log: else tests of forged events would test the forger's mistakes."""

from tests.blackbox.forge import append
from tests.blackbox.world import World


def test_a_forged_event_that_says_nothing_false_passes_both_verifiers(world: World) -> None:
    append(world, {"event": "heartbeat", "day": "2026-03-01"})
    verified = world.run("verify")
    assert verified.status == 0, verified
    checked = world.independent()
    assert checked.status == 0, checked

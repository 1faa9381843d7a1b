import inspect

from nightledger.domain.identity import Identity


def test_every_argument_of_an_identity_is_a_field() -> None:
    arguments = set(inspect.signature(Identity).parameters)
    assert arguments == set(Identity.__slots__)


def test_an_identity_keeps_what_it_was_given() -> None:
    identity = Identity(
        id="3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
        origin="nightledger/3f1d0c5a9b7e42688c1f0a2b3c4d5e6f",
        created_at="2026-02-28T03:05:00Z",
        machine="desk",
        zone="Europe/Berlin",
        host="openclaw",
        simulated=True,
        gated=("MEMORY.md",),
    )
    assert (identity.v, identity.machine, identity.zone, identity.simulated) == (
        1,
        "desk",
        "Europe/Berlin",
        True,
    )
    assert identity.gated == ("MEMORY.md",)

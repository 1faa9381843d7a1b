from datetime import time

from msgspec.structs import fields

from nightledger.domain.settings import Settings, stricter

STRICT = Settings(
    zone="Europe/Berlin",
    nightly_at=time(4, 30),
    catch_up_periods=1,
    cap_characters={"openclaw": 600, "codex": 900},
    cooling_hours=72,
    cooling_after_signature_minutes=60,
    undo_days=30,
    decision_expires_days=1,
    nightly_additions=1,
    waiting_changes=2,
    reviewable_days=99,
    agent_waiting=1,
    agent_bytes=256,
    pattern_sources=9,
)
LAX = Settings(nightly_at=time(1), cap_characters={"openclaw": None, "codex": 12_000, "generic": None})


def test_of_each_setting_the_stricter_counts_whichever_side_it_stands_on() -> None:
    for found in (stricter(STRICT, LAX), stricter(LAX, STRICT)):
        other = {"zone", "nightly_at", "cap_characters"}
        names = {field.name for field in fields(Settings)} - other
        assert {name: getattr(found, name) for name in names} == {
            name: getattr(STRICT, name) for name in names
        }
        assert found.cap_characters == {"openclaw": 600, "codex": 900, "generic": None}


def test_the_zone_is_that_of_init_and_the_time_of_the_night_the_seconds() -> None:
    assert stricter(LAX, STRICT).zone is None
    assert (stricter(LAX, STRICT).nightly_at, stricter(STRICT, LAX).nightly_at) == (time(4, 30), time(1))

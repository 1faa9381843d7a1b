import json

from nightledger.codec.schema import find_problems, read_schema
from nightledger.domain.exposure import EVENTS, Exposure, Place
from nightledger.files.hook_state import dump_exposure

ENTRY = "e-" + "a" * 26


def exposure(at: str = "2026-03-01T06:00:00Z") -> Exposure:
    places = [Place(path="MEMORY.md", lines=(3, 4))]
    return Exposure(
        at=at, shown=["cron + path", ENTRY], host="codex", event="prompt", session="s", places=places
    )


def test_a_line_is_what_its_schema_says() -> None:
    schema = read_schema("exposure")
    record = json.loads(dump_exposure(exposure()))
    assert find_problems("exposure", record) == ()
    assert set(schema["properties"]) == set(Exposure.__slots__) == set(schema["required"])
    assert set(schema["properties"]["places"]["items"]["properties"]) == set(Place.__slots__)
    assert tuple(schema["properties"]["event"]["enum"]) == EVENTS

import json
from datetime import timedelta
from typing import Any

from tests.codec.outcomes import NOW, SHA256, full_record, given_record, stored_line
from tests.rows import from_corpus

from nightledger.codec.outcome_line import read_outcome


def problems_of(value: Any) -> list[str]:
    _, problems = read_outcome(value, now=NOW)
    return problems


def stored(value: Any) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(stored_line(value))
    return record


def test_the_stored_line_is_canonical_json_with_canonical_fields() -> None:
    # The id was computed with openssl and base32 from the line without id and received_at.
    assert stored_line(given_record()) == (
        b'{"context_tags":["cron","time_zone"],"id":"o-lnynxp7f5y7wtp22w7kynyfnwu","outcome":"success",'
        b'"received_at":"2026-03-01T12:00:00Z","resolution":"set_zone_explicitly",'
        b'"source_file":"memory/daily/2026-02-28.md#cron-fix","task_type":"debug_cron",'
        b'"timestamp":"2026-02-28T03:05:00Z","v":1}\n'
    )


def test_the_same_content_has_the_same_id_whenever_it_is_received() -> None:
    first = stored(given_record())
    later, _ = read_outcome(given_record(), now=NOW + timedelta(days=1))
    assert first["id"] == later["id"]
    assert first["received_at"] != later["received_at"]
    spelled = stored(
        given_record(context_tags=["cron", "TIME-zone", "cron"], timestamp="2026-02-28T03:05:00.000Z")
    )
    assert spelled["id"] == first["id"]


def test_a_stored_line_logged_again_is_the_same_record() -> None:
    record = stored(full_record())
    again, problems = read_outcome(record, now=NOW + timedelta(hours=1))
    assert problems == []
    assert again == {**record, "received_at": "2026-03-01T13:00:00Z"}


def test_an_unknown_field_is_named() -> None:
    assert problems_of({**given_record(), "outcom": "x", "zzz": 1, "q" * 100: 2}) == [
        "'outcom': is not a field of an outcome",
        "'zzz': is not a field of an outcome",
        "'" + "q" * 40 + "'... (100 characters): is not a field of an outcome",
    ]


@from_corpus("codec-outcome_line")
def test_each_wrong_value_is_named_with_what_is_right(changes: dict[str, Any], problem: str) -> None:
    (found,) = problems_of(given_record(**changes))
    assert found.startswith(problem)


@from_corpus("codec-outcome_line")
def test_each_wrong_piece_of_evidence_is_named(changes: dict[str, Any], problem: str) -> None:
    item = {"path": "memory/x.md", "lines": [1, 2], "sha256": SHA256, **changes}
    (found,) = problems_of(given_record(evidence=[item]))
    assert found.startswith("evidence: item 1 ")
    assert problem in found

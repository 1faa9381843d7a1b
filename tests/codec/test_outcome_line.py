import json
from datetime import timedelta
from typing import Any

import pytest
from tests.codec.outcomes import NOW, SHA256, full_record, given_record
from tests.rows import each_row

from nightledger.codec.outcome_line import (
    encode_outcomes,
    read_outcome,
)
from nightledger.domain.errors import RecordError


def problems_of(value: Any) -> list[str]:
    with pytest.raises(RecordError) as caught:
        encode_outcomes([("", value)], now=NOW)
    assert "nothing was written" in caught.value.hint
    return list(caught.value.problems)


def stored(value: Any) -> dict[str, Any]:
    (line,) = encode_outcomes([("", value)], now=NOW)
    assert json.loads(line.line) == line.record
    assert line.id == line.record["id"]
    return line.record


def test_the_stored_line_is_canonical_json_with_canonical_fields() -> None:
    # The id was computed with openssl and base32 from the line without id and received_at.
    (line,) = encode_outcomes([("", given_record())], now=NOW)
    assert line.line == (
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


@each_row(
    ("changes", "problem"),
    [
        ({"outcome": "done"}, "outcome: 'done' is not one of success, partial, failure"),
        ({"outcome": ["success"]}, "outcome: ['success'] is not one of success, partial, failure"),
        ({"origin": "me"}, "origin: 'me' is not one of owner, agent, tool, web, group, system, unknown"),
        (
            {"signal": "gut"},
            "signal: 'gut' is not one of explicit, exit_code, test, tool_error, user_correction, revert",
        ),
        ({"context_tags": []}, "context_tags: has 0 items; 1 to 32 are allowed"),
        ({"context_tags": "cron"}, "context_tags: must be a list, not 'cron'"),
        ({"context_tags": ["x"] * 10_000}, "context_tags: has 10000 items; 1 to 32 are allowed"),
        (
            {"context_tags": ["", "ok", "y" * 10_000]},
            "context_tags: item 1 is empty; item 3 '"
            + "y" * 40
            + "'... (10000 characters) is longer than 64 characters",
        ),
        ({"resolution": "I set the zone."}, "resolution: 'I set the zone.' is not an identifier "),
        ({"resolution": "x" * 81}, "resolution: has 81 characters; at most 80"),
        ({"timestamp": "2026-02-28T03:05:00"}, "timestamp: '2026-02-28T03:05:00' has no zone; "),
        ({"timestamp": "2026-02-29T03:05:00Z"}, "timestamp: '2026-02-29T03:05:00Z' does not exist "),
        ({"timestamp": 1772247900}, "timestamp: must be text, not 1772247900"),
        (
            {"timestamp": "2999-01-01T00:00:00Z"},
            "timestamp: 2999-01-01T00:00:00Z is in the future; it is 2026-03-01T12:00:00Z. ",
        ),
        ({"source_file": "/home/me/x.md"}, "source_file: '/home/me/x.md' is absolute"),
        ({"source_file": "../x.md"}, "source_file: '../x.md' is not a plain path inside the home"),
        ({"session": ""}, "session: is empty"),
        ({"host": "a\nb"}, r"host: 'a\nb' holds U+000A, which cannot be seen"),
        ({"note": "x" * 2001}, "note: has 2001 characters; at most 2000"),
        ({"note": 5}, "note: must be text"),
        ({"note": "a\0b"}, "note: holds a NUL character"),
        ({"duration_s": "12"}, "duration_s: must be a number of seconds, not '12'"),
        ({"duration_s": True}, "duration_s: must be a number of seconds, not True"),
        ({"duration_s": -1}, "duration_s: -1 is not between 0 and 31536000 seconds"),
        ({"duration_s": 10**400}, "duration_s: '1000000000"),
        ({"evidence": [5]}, "evidence: item 1 5 must be an object of path, lines and sha256, nothing else"),
        ({"shown": [" x"]}, "shown: item 1 ' x' begins or ends with a space"),
        ({"v": 2}, "v: 2 is not 1; a newer record needs a newer Nightledger"),
        ({"v": True}, "v: True is not 1"),
    ],
)
def test_each_wrong_value_is_named_with_what_is_right(changes: dict[str, Any], problem: str) -> None:
    (found,) = problems_of(given_record(**changes))
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"lines": [0, 1]}, "must count from 1"),
        ({"lines": [3, 2]}, "must count from 1, the last not before the first"),
        ({"lines": [1]}, "lines must be [first, last]"),
        ({"lines": [1, True]}, "lines must be [first, last]"),
        ({"lines": "1-2"}, "lines must be [first, last]"),
        ({"sha256": SHA256.upper()}, "must be 64 lower-case hex digits"),
        ({"sha256": 5}, "sha256 5 must be 64 lower-case hex digits"),
        ({"path": "/x.md"}, "is absolute"),
        ({"path": 5}, "must be text"),
    ],
)
def test_each_wrong_piece_of_evidence_is_named(changes: dict[str, Any], problem: str) -> None:
    item = {"path": "memory/x.md", "lines": [1, 2], "sha256": SHA256, **changes}
    (found,) = problems_of(given_record(evidence=[item]))
    assert found.startswith("evidence: item 1 ")
    assert problem in found

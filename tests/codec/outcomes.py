"""Outcome records for tests: a good one, and strategies for good and bad ones."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st
from tests.rows import corpus, plain

from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_line import read_outcome
from nightledger.codec.records import to_plain
from nightledger.domain.outcome import Outcome

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_RECORDS = json.loads(corpus("codec-outcomes.json"))
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def given_record(**changes: Any) -> dict[str, Any]:
    """Give a record as an agent would write it; ``None`` takes a field out."""
    record = {**_RECORDS["given"], **changes}
    return {key: value for key, value in record.items() if value is not None}


def full_record(**changes: Any) -> dict[str, Any]:
    """Give a record with every optional field."""
    return given_record(**{**_RECORDS["more"], **changes})


def stored_line(record: Any) -> bytes:
    """Give the line that is stored of what was logged, with its line end."""
    stored, problems = read_outcome(record, now=NOW)
    assert problems == []
    return canonical(stored, floats=True) + b"\n"


def dump_outcome(outcome: Outcome) -> bytes:
    """Give the stored line of an outcome, with its line end; what an outcome does not have is left out."""
    record = {key: value for key, value in to_plain(outcome).items() if value not in (None, [])}
    return canonical(record, floats=True) + b"\n"


_SAMPLES: dict[str, list[Any]] = json.loads(corpus("codec-outcome_values.json"), object_hook=plain)
"""Of each field, good and bad values; of tags and paths of evidence one by one, too."""
_of = {name: st.sampled_from(samples) for name, samples in _SAMPLES.items()}
_labels = st.text(min_size=1, max_size=30)
_numbers = st.integers(-5, 2**32) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
_anything: st.SearchStrategy[Any] = (
    st.none() | st.text(max_size=5) | _numbers | st.lists(st.text(max_size=3), max_size=3) | st.just({})
)
_paths, _tags = _of.pop("path"), _of.pop("context_tag")
_lines = st.lists(st.integers(-1, 2**31) | st.booleans(), min_size=1, max_size=3)
_digests = st.sampled_from([SHA256, SHA256.upper(), SHA256[:-1], SHA256 + "0"])
_evidence = st.fixed_dictionaries(
    {"path": _paths, "lines": _lines | st.sampled_from([[1, 2], [2, 1]]), "sha256": _digests}
)
_many_tags = st.integers(30, 34).map(lambda n: [f"tag_{i:03d}" for i in range(n)])
values: dict[str, st.SearchStrategy[Any]] = {
    **_of,
    "context_tags": st.lists(_tags, max_size=4) | _many_tags | _of["context_tags"],
    "session": _labels,
    "host": _labels | _of["host"],
    "evidence": st.lists(_evidence, max_size=3),
    "shown": st.lists(_of["shown"], max_size=3),
    "project": _labels,
    "duration_s": _of["duration_s"] | _numbers,
    "note": st.text(max_size=30) | _of["note"],
}


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Give a stored record in which some fields were replaced, added or taken out; often it is still valid."""
    record: dict[str, Any] = {
        **full_record(timestamp="2026-02-28T03:05:00Z", context_tags=["cron", "time_zone"]),
        "v": 1,
        "received_at": "2026-02-28T03:05:02Z",
    }
    for key in draw(st.lists(st.sampled_from(sorted(values)), max_size=3, unique=True)):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            record.pop(key, None)
        elif kind == 1:
            record[key] = draw(_anything)
        else:
            record[key] = draw(values[key])
    if draw(st.integers(0, 19)) == 0:
        record["extra"] = draw(_anything)
    return record

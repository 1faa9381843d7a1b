import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import replace

from nightledger.codec.canonical import CanonicalError
from nightledger.codec.records import (
    KINDS,
    decode_lines,
    decode_record,
    dump_line,
    dump_record,
    load_record,
    parse_record,
    to_plain,
)
from nightledger.codec.schema import read_schema
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RecordError
from nightledger.domain.periods import Run
from nightledger.domain.proposal import Anchor, Origin, Proposal


def example(kind: type) -> dict[str, Any]:
    properties = read_schema(KINDS[kind].schema)["properties"]
    return {name: described["examples"][0] for name, described in properties.items()}


def raw(kind: type, **changes: Any) -> bytes:
    return json.dumps({**example(kind), **changes}).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_survives_being_written_and_read(kind: type[Any]) -> None:
    record = parse_record(kind, raw(kind), where="x")
    assert parse_record(kind, dump_record(record), where="x") == record
    assert decode_record(kind, dump_record(record), where="x") == record
    assert json.loads(dump_record(record)) == example(kind)
    assert dump_line(record) == dump_record(record) + b"\n"


def test_a_proposal_is_typed_to_the_bottom() -> None:
    proposal = parse_record(Proposal, raw(Proposal), where="x")
    (change,) = proposal.changes
    assert change.hunk.anchor is Anchor.SECTION_END
    assert change.evidence[0].lines == (12, 14)
    assert change.provenance == (Origin.AGENT,)
    assert proposal.created_at == datetime(2026, 2, 28, 3, 5, tzinfo=UTC)


def test_every_problem_comes_at_once_with_its_place() -> None:
    bad = example(Proposal)
    bad["lane"] = "fast"
    bad["extra"] = 1
    bad["changes"] = [{**bad["changes"][0], "confidence": 1.5, "n": 0}]
    bad["created_at"] = "2026-02-28T03:05:00"
    del bad["title"]
    with pytest.raises(RecordError) as caught:
        parse_record(Proposal, json.dumps(bad).encode(), where="memory/state/proposals/p.json")
    text = "\n".join(caught.value.problems)
    assert str(caught.value).startswith("memory/state/proposals/p.json is not valid:")
    for expected in (
        "changes[0].confidence: 1.5 breaks the rule maximum 1",
        "changes[0].n: 0 breaks the rule minimum 1",
        "created_at: '2026-02-28T03:05:00' has no zone",
        "lane: 'fast' is not one of job, agent, operator, edit",
        "'title' is a required property",
        "'extra' was unexpected",
    ):
        assert expected in text


def test_bytes_that_are_no_json_are_refused() -> None:
    for parse in (parse_record, decode_record):
        with pytest.raises(RecordError, match="stands twice"):
            parse(Run, b'{"v":1,"v":1}', where="x")


def test_a_hashed_record_of_another_kind_is_refused_without_a_schema() -> None:
    with pytest.raises(RecordError, match="missing required field"):
        decode_record(Decision, dump_record(parse_record(Run, raw(Run), where="x")), where="x")


def test_our_own_lines_are_read_without_a_schema_and_bad_ones_left_out() -> None:
    run = parse_record(Run, raw(Run), where="x")
    bad = (b"{}", b"nonsense", b"\xff", b'"\xff"', b"[" * 100_000, b"", b'{"v":"1"}')
    lines = b"\n".join((dump_record(run), *bad, dump_line(run)))
    assert list(decode_lines(Run, lines)) == [run, run]
    assert list(decode_lines(Run, b"")) == []


@pytest.mark.parametrize("confidence", [0.6, 1, 1.0, 1e-7])
def test_a_hashed_record_is_the_same_value_in_every_spelling(confidence: float) -> None:
    changes = [{**example(Proposal)["changes"][0], "confidence": confidence}]
    record = parse_record(Proposal, raw(Proposal, changes=changes), where="x")
    for spelling in (
        dump_record(record),
        raw(Proposal, changes=changes),
        b"\xef\xbb\xbf" + dump_record(record),
    ):
        assert decode_record(Proposal, spelling, where="x") == record


def test_what_we_wrote_is_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    run = parse_record(Run, raw(Run), where="x")
    monkeypatch.setattr("nightledger.codec.records.parse_json", None)
    assert decode_record(Run, dump_record(run), where="x") == run


def test_what_is_signed_holds_no_float() -> None:
    @dataclass(frozen=True, slots=True)
    class Sneaky:
        weight: float

    decision = parse_record(Decision, raw(Decision), where="x")
    with pytest.raises(CanonicalError, match="float"):
        dump_record(replace(decision, nonce=1.5))
    assert to_plain(Sneaky(1.5)) == {"weight": 1.5}


def test_times_are_written_in_utc_and_refused_without_a_zone() -> None:
    moment = datetime(2026, 2, 28, 4, 5, tzinfo=timezone(timedelta(hours=1)))
    assert to_plain([moment, (moment,)]) == ["2026-02-28T03:05:00Z", ["2026-02-28T03:05:00Z"]]
    with pytest.raises(CanonicalError, match="has no zone"):
        to_plain(moment.replace(tzinfo=None))


def test_what_json_does_not_know_is_refused() -> None:
    with pytest.raises(CanonicalError, match="object"):
        to_plain(object())


def test_a_record_that_the_schema_lets_pass_and_the_type_does_not_is_still_refused() -> None:
    counts = {**example(Run), "counts": {"a": 1}}
    assert load_record(Run, counts, where="x").counts == {"a": 1}
    with pytest.raises(RecordError, match="Expected"):
        decode_record(Run, json.dumps({**counts, "counts": {"a": "many"}}).encode(), where="x")


def test_a_name_of_half_a_surrogate_pair_is_no_field() -> None:
    with pytest.raises(RecordError, match="surrogates"):
        decode_record(Run, b'{"\\ud800":1}', where="x")

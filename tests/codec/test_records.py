"""Records and the schemas that they are checked by: what is written is read again, and each problem says where and what."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.codec.records import KINDS
from tests.domain.gate_values import FOUNDING
from tests.rows import from_corpus

from nightledger.codec import records
from nightledger.codec.canonical import CanonicalError
from nightledger.codec.constitution import dump_constitution, parse_constitution, parse_page
from nightledger.codec.records import dump_record, parse_record, read_schema
from nightledger.domain.decision import Decision
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.domain.message import Message
from nightledger.domain.periods import Run
from nightledger.domain.proposal import Anchor, Origin, Proposal
from nightledger.domain.retention import CONSTITUTIONAL
from nightledger.files.home import shipped_config


def example(kind: type) -> dict[str, Any]:
    properties = read_schema(KINDS[kind])["properties"]
    return {name: described["examples"][0] for name, described in properties.items()}


def raw(kind: type, **changes: Any) -> bytes:
    return json.dumps({**example(kind), **changes}).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_survives_being_written_and_read(kind: type[Any]) -> None:
    record = parse_record(kind, raw(kind), where="x")
    assert parse_record(kind, dump_record(record), where="x") == record
    assert records.decode_record(kind, dump_record(record), where="x") == record
    assert json.loads(dump_record(record)) == example(kind)
    assert records.dump_line(record) == dump_record(record) + b"\n"


def test_a_proposal_is_typed_to_the_bottom() -> None:
    proposal = parse_record(Proposal, raw(Proposal), where="x")
    (change,) = proposal.changes
    assert change.hunk.anchor is Anchor.SECTION_END
    assert change.evidence[0].lines == (12, 14)
    assert change.provenance == (Origin.AGENT,)
    assert proposal.created_at == datetime(2026, 2, 28, 3, 5, tzinfo=UTC)


def test_what_is_signed_holds_no_float() -> None:
    decision = parse_record(Decision, raw(Decision), where="x")
    with pytest.raises(CanonicalError, match="float"):
        dump_record(replace(decision, nonce=1.5))


def test_a_name_of_half_a_surrogate_pair_is_no_field() -> None:
    with pytest.raises(RecordError, match="surrogates"):
        records.decode_record(Run, b'{"\\ud800":1}', where="x")


HOME = "3f1d0c5a9b7e42688c1f0a2b3c4d5e6f"


def message(action: str = "load_memory_file", **fields: Any) -> Message:
    times: dict[str, Any] = {"iat": 1_772_262_000, "exp": 1_772_262_060, "seq": 1}
    claims = {"iss": HOME, "aud": HOME, "domain": "self_modification", "body": {"path": "MEMORY.md"}}
    return records.make_message(**{**times, **claims, "action": action, **fields})


@from_corpus("codec-records")
def test_any_other_form_is_refused(raw: bytes, why: str) -> None:
    with pytest.raises(RecordError, match=why):
        records.parse_message(raw, "it")


@from_corpus("codec-records")
def test_a_body_that_its_action_does_not_have_is_refused(action: str, body: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="body"):
        records.parse_message(dump_record(message(action, body=body)), "it")


# ---------------------------------------------------------------- the schemas


def test_a_missing_schema_says_that_the_checkout_is_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "SCHEMA_DIRECTORY", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"run\.schema\.json is missing"):
        read_schema("run")


@from_corpus("codec-records")
def test_a_problem_says_where_and_what_and_repeats_little(changes: dict[str, Any], problem: str) -> None:
    found = records.find_problems("run", {**example(Run), **changes})
    assert any(one.startswith(problem) for one in found)


# ---------------------------------------------------------------- a constitution

SHIPPED = shipped_config("constitution.json")


def test_what_ships_is_the_ten_principles_each_with_its_tags_in_one_sequence_of_bytes() -> None:
    shipped = parse_constitution(SHIPPED, where="shipped")
    assert tuple(one.name for one in shipped.principles) == FOUNDING
    for one in shipped.principles:
        assert one.tags == (CONSTITUTIONAL, "self/context" if one.name == "identity" else "self/value")
    spaced = json.dumps(json.loads(SHIPPED), indent=4).encode()
    assert dump_constitution(parse_constitution(spaced, where="x")) == dump_constitution(shipped)


@from_corpus("codec-constitution")
def test_a_page_that_is_no_constitution_says_why(page: str, said: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_page(page, where="the page")
    assert said in str(caught.value)

"""Records: JSON, JSONL, YAML and what is made of them."""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tests.codec.outcomes import dump_outcome, full_record, given_record, stored_line
from tests.codec.records import KINDS
from tests.faults.fuzz.target import Target, alike, seeds
from tests.rows import corpus

from nightledger.codec import canonical as canon
from nightledger.codec import settings
from nightledger.codec.home_record import Identity, dump_home, parse_home
from nightledger.codec.links import LinkCursor, dump_link_cursor, parse_link_cursor
from nightledger.codec.outcome_line import find_outcome_problems, read_outcome
from nightledger.codec.records import (
    decode_record,
    dump_line,
    dump_record,
    make_message,
    parse_message,
    parse_record,
    read_schema,
)
from nightledger.codec.rows import OutcomeRows, read_outcome_rows, read_runs
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.domain.message import Message, Peer, Peers, find_reasons
from nightledger.domain.periods import Run
from nightledger.domain.words import content_id
from nightledger.hosts.configured import parse_json5

ROOT = Path(__file__).resolve().parents[3]
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HOME = "3f1d0c5a9b7e42688c1f0a2b3c4d5e6f"
DEEP = (b"[" * 3000, b'{"a":' * 1500, b"[" * 60 + b"]" * 60, b"1" * 4500, b'"\\ud800"', b'{"a":1,"a":2}')
"""What readers of JSON stumble over."""
_JSON = seeds("records_json")
KINDS_TRIED = tuple(kind for kind in KINDS if kind not in (Message, Peers))


def example(schema: str) -> dict[str, Any]:
    """Give the record that a schema's examples make."""
    properties = read_schema(schema)["properties"]
    return {name: told["examples"][0] for name, told in properties.items() if told.get("examples")}


def dumped(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


# strict JSON


def _check_json(raw: bytes, value: Any) -> None:
    assert json.loads(raw.removeprefix(canon.BOM)) == value
    try:
        once = canon.canonical(value, floats=True)
    except canon.CanonicalError:
        return  # half a surrogate pair, or an integer that readers differ on
    again = canon.parse_json(once, "again")
    assert canon.parse_json(once, "again") == again
    assert _as_doubles(again) == _as_doubles(value)


def _as_doubles(value: Any) -> Any:
    """Give a value with the numbers that JSON means: 1e20 is written as an integer (RFC 8785)."""
    if isinstance(value, dict):
        return {key: _as_doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_as_doubles, value))
    return float(value) if type(value) is int and abs(value) > canon.MAX_INTEGER else value


_Lines = tuple[list[tuple[int, Any]], list[tuple[int, str]]]


def _check_lines(raw: bytes, read: _Lines) -> None:
    lines = raw.removeprefix(canon.BOM).split(b"\n")
    filled = [n for n, line in enumerate(lines, 1) if line.strip(b" \t\r")]
    values, problems = read
    assert sorted([n for n, _ in values] + [n for n, _ in problems]) == filled
    for n, value in values:
        assert canon.read_value(lines[n - 1], canon.MAX_LINE_BYTES) == value


# outcomes


@cache
def _outcome_lines() -> tuple[bytes, ...]:
    records = (given_record(), full_record(), given_record(outcome="failure", duration_s=0.125))
    return tuple(map(stored_line, records))


def _check_outcomes(raw: bytes, read: OutcomeRows) -> None:
    lines = raw.removeprefix(canon.BOM).split(b"\n")
    bad = {n for n, _ in read.problems}
    filled = [n for n, line in enumerate(lines, 1) if line.strip(b" \t\r")]
    assert bad <= set(filled)
    good = [lines[n - 1] for n in filled if n not in bad]
    assert [*map(dump_outcome, read.rows)] == [line + b"\n" for line in good]
    assert good == [lines[n - 1] for n in filled if _is_outcome(lines[n - 1])]


def _outcome_seeds() -> list[bytes]:
    lines = _outcome_lines()
    return [*lines, b"".join(lines), canon.BOM + lines[0][:-9], b"{}\n[]\n", *DEEP]


def _is_outcome(line: bytes) -> bool:
    """Judge a line the slow way: by hand and by its canonical form."""
    try:
        record = canon.read_value(line, canon.MAX_LINE_BYTES)
        return not find_outcome_problems(record) and canon.canonical(record, floats=True) == line
    except (ValueError, canon.CanonicalError):
        return False


def _log(raw: bytes) -> list[dict[str, Any]]:
    """Take outcomes in as ``log --stdin`` does."""
    read = [read_outcome(value, now=NOW) for _, value in canon.read_jsonl(raw)[0]]
    return [record for record, problems in read if not problems]


def _check_logged(_: bytes, logged: list[dict[str, Any]]) -> None:
    stored = read_outcome_rows(b"".join(canon.canonical(record, floats=True) + b"\n" for record in logged))
    assert stored.problems == ()
    assert [row.id for row in stored.rows] == [record["id"] for record in logged]
    for record in logged:
        assert read_outcome(record, now=NOW) == (record, [])
        assert find_outcome_problems(record) == []


# runs, and every kind of record


def _check_runs(_: bytes, read: tuple[tuple[Run, ...], tuple[tuple[int, str], ...]]) -> None:
    lines = b"".join(map(dump_line, read[0]))
    assert read_runs(lines) == (read[0], ())


def _run_seeds() -> list[bytes]:
    run = dumped(example("run"))
    return [run + b"\n", run.replace(b":", b": ") + b"\r\n{}\n", *DEEP]


def _read_record(raw: bytes) -> Any:
    """Read a record of the kind that the first byte chooses."""
    if not raw:
        raise RecordError("it", ("is empty",))
    return parse_record(KINDS_TRIED[raw[0] % len(KINDS_TRIED)], raw[1:], where="it")


def _check_record(_: bytes, record: Any) -> None:
    try:
        line = dump_record(record)
    except canon.CanonicalError:
        return  # half a surrogate pair: refused by whoever writes it
    assert parse_record(type(record), line, where="again") == record
    assert decode_record(type(record), line, where="again") == record


def _record_seeds() -> list[bytes]:
    examples = (dumped(example(KINDS[kind])) for kind in KINDS_TRIED)
    return [bytes([n]) + line for n, line in enumerate(examples)] + [b"\0" + deep for deep in DEEP]


# messages


BODIES: dict[str, dict[str, Any]] = json.loads(corpus("faults-fuzz-records-bodies.json"))


def message(action: str = "proposals", **body: Any) -> Message:
    return make_message(
        iss=HOME, aud=HOME, iat=1_772_262_000, exp=1_772_262_060, seq=7, action=action,
        domain="self_modification", body=body,
    )  # fmt: skip


def _message_seeds() -> list[bytes]:
    return [dump_record(message(action, **body)) for action, body in BODIES.items()]


def fitted(raw: bytes) -> bytes:
    """Give a message the id that it makes, and its one form: what a machine with a key can send."""
    try:
        value = canon.parse_json(raw, "it")
        return canon.canonical({**value, "id": content_id("m", canon.canonical({**value, "id": ""}))})
    except (RecordError, canon.CanonicalError, TypeError):
        return raw


def _read_message(raw: bytes) -> tuple[bytes, Message]:
    payload = fitted(raw)
    return payload, parse_message(payload, "it")


def _check_message(_: bytes, read: tuple[bytes, Message]) -> None:
    payload, found = read
    assert dump_record(found) == payload
    peer = Peer(name="desk", home=HOME, keys=(), actions=())
    find_reasons(found, peer, HOME, 0, 1_772_262_010)


# configuration


def _check_yaml(_: bytes, read: settings.YamlMapping) -> None:
    written = yaml.safe_dump(dict(read.values), allow_unicode=True).encode("utf-8", "surrogatepass")
    if _has_nan(read.values):
        return
    assert settings.parse_yaml(written, "again").values == read.values


def _has_nan(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_nan, value.values()))
    if isinstance(value, (list, set, tuple)):
        return any(map(_has_nan, value))
    return bool(value != value)  # noqa: PLR0124 - NaN differs from itself


_YAML = seeds("records_yaml")


def _read_settings(raw: bytes) -> Any:
    """Read a file as an operator's, as settings alone, and as settings over the shipped ones."""
    try:
        return settings.parse_operator(raw, where="it")
    except ConfigurationError:
        settings.parse_configuration(raw, "settings", where="it", hint="")
        return settings.parse_settings(raw, where="it")


def _read_consent(raw: bytes) -> Any:
    return settings.parse_graphs(_shipped_graph(), raw, where="it")


@cache
def _shipped_graph() -> bytes:
    return (ROOT / "config" / "consent-graph.json").read_bytes()


def _graphs() -> list[bytes]:
    graph = json.loads(_shipped_graph())
    return [dumped({**graph, "domains": {"email": graph["domains"]["email"]}}), _shipped_graph(), *DEEP]


def _check_home(raw: bytes, read: Identity) -> None:
    once = dump_home(read)
    assert json.loads(once).items() <= json.loads(raw).items()
    assert dump_home(parse_home(once, "again")) == once


def _home_seeds() -> list[bytes]:
    return [dumped(example("home")), dumped({**example("home"), "machine": "\ufeffbox"}), *DEEP]


def _read_json5(raw: bytes) -> Any:
    return parse_json5(raw.decode("utf-8"))


_JSON5 = (b"{a: 'it', // one\n \"b\": [1, 2,], /* two */ c$: {},}", b"'\\'\"'", *DEEP)


def _read_cursor(raw: bytes) -> tuple[LinkCursor, bytes]:
    cursor = parse_link_cursor(raw) or _CURSOR
    return cursor, dump_link_cursor(raw, cursor)


_CURSOR = LinkCursor(
    path="memory/system/outcome-records.jsonl", offset=0, lines=0, inode=1, probe="", zone="UTC",
    forgotten_sha256="", index="",
)  # fmt: skip


def _cursor_seeds() -> list[bytes]:
    return [dump_link_cursor(b"{}", _CURSOR), b'{"other":{"offset":3}}', *DEEP]


def _check_cursor(_: bytes, read: tuple[LinkCursor, bytes]) -> None:
    assert parse_link_cursor(read[1]) == read[0]


TARGETS = (
    Target("json", lambda raw: canon.parse_json(raw, "it"), _check_json, _JSON, RecordError),
    Target("json-lines", canon.read_jsonl, _check_lines, (b'{"a":1}\n\r\n[2]\n{"a"', *_JSON)),
    Target("outcomes", read_outcome_rows, _check_outcomes, _outcome_seeds),
    Target("logged", _log, _check_logged, (dumped(given_record()), dumped(full_record()), b'{"v":1}', *DEEP)),
    Target("runs", read_runs, _check_runs, _run_seeds),
    Target("records", _read_record, _check_record, _record_seeds, RecordError, max_bytes=8192),
    Target("messages", _read_message, _check_message, _message_seeds, RecordError),
    Target("yaml", lambda raw: settings.parse_yaml(raw, "it"), _check_yaml, _YAML, ConfigurationError),
    Target("settings", _read_settings, alike(_read_settings), _YAML, ConfigurationError),
    Target("consent", _read_consent, alike(_read_consent), _graphs, (ConfigurationError, RecordError)),
    Target("home", lambda raw: parse_home(raw, "it"), _check_home, _home_seeds, RecordError),
    Target("json5", _read_json5, alike(_read_json5), _JSON5, (ValueError, RecursionError)),
    Target("cursors", _read_cursor, _check_cursor, _cursor_seeds, canon.CanonicalError),
)

"""What the program notes for itself in a home, where an agent may write: disposable, and nothing may rest on its form."""

import json
import math
import os
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from tests.faults.fuzz.left import NothingError
from tests.faults.fuzz.records import DEEP, HOME, NOW, dumped
from tests.faults.fuzz.stored import scratch, written
from tests.faults.fuzz.target import Target
from tests.homes import make_home
from tests.linking import lines, outcome

from nightledger.codec.strict_json import read_jsonl
from nightledger.domain.errors import IntegrityError
from nightledger.domain.message import Message
from nightledger.files.home import Home
from nightledger.files.hook_state import (
    MOST_PROMPTS,
    MOST_SHOWN,
    HookSettings,
    PromptState,
    read_hook_settings,
    read_state,
)
from nightledger.files.staging_troubles import read_troubles
from nightledger.jobs.stage import logs as stage_logs
from nightledger.jobs.stage.logs import Worth
from nightledger.recall.sources import NOTE_HEADING, Cut, cut_outcomes
from nightledger.remote.notes import (
    contact,
    read_dead_letters,
    recent_dead_letters,
)
from nightledger.remote.receiving import BEGUN, Seen
from nightledger.remote.witness_asking import Remembered, read_memory, write_memory
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import apply, guard
from nightledger.trust.merkle import Tree, leaf_hash


@cache
def home() -> Home:
    home = make_home(scratch() / "noting", id=HOME)
    for folder in (home.work_dir, home.channel_dir, home.staged_dir):
        Path(folder).mkdir(parents=True, exist_ok=True)
    Path(home.memory_md).write_text("# Memory\n")
    Path(home.audit_log).write_bytes(b"".join(_LINES))
    return home


_LINES = [b'{"seq":%d}\n' % n for n in range(9)]


# the channel: dead letters, contacts, ids that were taken in

Letters = tuple[list[dict[str, Any]], tuple[datetime, ...]]


def _read_letters(raw: bytes) -> Letters:
    written(home().dead_letters, raw)
    return read_dead_letters(home()), recent_dead_letters(home(), NOW)


def _check_letters(raw: bytes, read: Letters) -> None:
    letters, recent = read
    told = [value for _, value in read_jsonl(raw, max_line_bytes=1 << 20)[0]]
    assert letters == [value for value in told if isinstance(value, dict)]
    assert len(recent) <= len(letters)
    assert list(recent) == sorted(recent)
    assert all(0 <= (NOW - at).days < 7 for at in recent)
    for letter in letters:
        str(letter.get("error", ""))


_LETTER = {
    "id": "m-1",
    "peer": "desk",
    "dead_lettered_at": "2026-03-01T08:00:00Z",
    "error": "nobody",
    "attempts": 3,
}
_LETTERS = (
    dumped(_LETTER)
    + b"\n"
    + dumped({**_LETTER, "dead_lettered_at": "9999-12-31T23:59:59+00:00"})
    + b"\n[]\n",
    dumped({**_LETTER, "dead_lettered_at": "0001-01-01T00:00:00+14:00"}) + b"\n",
    dumped({**_LETTER, "dead_lettered_at": ["2026-03-01T08:00:00Z"]}) + b" {}\n",
    *DEEP,
)


def _paths() -> tuple[str, str]:
    folder = scratch() / "seen"
    folder.mkdir(exist_ok=True)
    return str(folder / "ids"), str(folder / "answers")


def _message(number: int) -> Message:
    return Message(
        v=1, id="m-" + "ab"[number] * 26, iss=HOME, aud="0" * 32, iat=1_772_366_400, exp=1_772_452_800,
        seq=7 + number, action="ping", domain="x", body={},
    )  # fmt: skip


def _read_seen(raw: bytes) -> dict[str, str | None]:
    """Read a record, and take a message in."""
    written(_paths()[0], raw)
    seen = Seen(*_paths())
    found = {_message(n).id: seen.known(_message(n)) for n in range(2)}
    assert seen.seq(HOME) >= 0
    if seen.known(_message(0)) is None:
        seen.take(_message(0))
    if seen.known(_message(0)) == BEGUN:
        seen.answered(_message(0), b"x")
    return found


def _check_seen(raw: bytes, found: dict[str, str | None]) -> None:
    for name, state in found.items():
        assert state is None or name.encode() in raw or b"\\u" in raw
    again = Seen(*_paths())
    assert again.known(_message(0))
    assert again.known(_message(1)) == found[_message(1).id]
    assert again.seq(HOME) >= _message(0).seq


def _record(**fields: Any) -> bytes:
    sender = {"iss": HOME, "seq": 7, "ids": [[_message(0).id, ""], [_message(1).id, "0" * 64]], **fields}
    return dumped({"v": 1, "senders": [sender]})


_SEEN = (
    _record(),
    _record(ids=[]),
    _record(seq="7", iat=1_772_366_400),
    _record(ids=[["../x", ""]]),
    _record(iss=["a"]),
    _record(seq=2.5, ids={"a": 1}),
    *DEEP,
)


# what witnesses said


def _read_remembered(raw: bytes) -> dict[str, Remembered]:
    written(Path(home().work_dir, "witnesses.json"), raw)
    memory = read_memory(home())
    if not memory:
        raise NothingError
    return memory


def _check_remembered(raw: bytes, memory: dict[str, Remembered]) -> None:
    told = json.loads(raw)
    assert {name: told[name].get("size", 0) for name in memory} == {
        name: one.size for name, one in memory.items()
    }
    for one in memory.values():
        assert one.next_s() >= one.asked_at >= 0
        assert one.is_due(NOW, one.size, refresh=True) or one.problem
    write_memory(home(), memory)
    assert read_memory(home()) == memory
    Context(verb="apply", home=home().root, now_text=None, json=False)


_REMEMBERED = (
    dumped({"w1": {"asked_at": 1_772_366_400, "size": 9, "problem": "late", "refused": False}}),
    dumped({"w1": {}, "w2": {"contradiction": "a head"}}),
    b'{"w": {"asked_at": ' + b"9" * 4300 + b"}}",
    b'{"w": {"problem": "\\ud800", "refused": 1}}',
    *DEEP,
)


# leaf hashes


def _tree(size: int) -> Tree:
    tree = Tree()
    tree.extend([leaf_hash(line[:-1]) for line in _LINES[:size]])
    return tree


# what staging and search work out once


def _read_kept(raw: bytes) -> Mapping[str, Worth]:
    written(Path(home().staged_dir, stage_logs.KEPT), raw)
    kept = stage_logs._read_kept(home())
    if not kept:
        raise NothingError
    return kept


def _check_kept(raw: bytes, kept: Mapping[str, Worth]) -> None:
    assert kept.keys() <= json.loads(raw)["logs"].keys()
    assert all(math.isfinite(score) for worth in kept.values() for _, _, score in worth.said)
    if b"\\u" in raw:
        return
    stage_logs._keep(home(), dict(kept))
    assert stage_logs._read_kept(home()) == kept


_WORTH = {"said": [[3, 4, 0.5], [9, 9, 0.31]], "telling": [3], "answers": [9, 10]}
_KEPT = (
    dumped({"v": 5, "logs": {"0" * 64: _WORTH}}),
    dumped({"v": 5, "logs": {"a": {**_WORTH, "said": [[3, 4, math.nan]]}, "b": _WORTH}}),
    b'{"v":5,"logs":{"a":{"said":[[1e999,4,0.5]],"telling":[],"answers":[]}}}',
    *DEEP,
)


def _read_cut(raw: bytes) -> tuple[Cut, str, int]:
    return cut_outcomes(written(scratch() / "cut-outcomes", raw), ZoneInfo("America/New_York"))


def _check_cut(raw: bytes, read: tuple[Cut, str, int]) -> None:
    cut, digest, older = read
    assert (len(digest), older) == (64, 0)
    told = raw.split(b"\n")[:-1]
    cut.text.encode()
    begin = 0
    for chunk in cut.chunks:
        assert (chunk.start, chunk.first_line) == (begin, chunk.last_line)
        begin = chunk.end + 1
        assert cut.text[chunk.start : chunk.end].strip()
        assert isinstance(json.loads(told[chunk.first_line - 1]), dict)
        assert chunk.heading in ("", NOTE_HEADING)
    assert begin == len(cut.text) + bool(cut.chunks)


def _outcomes() -> list[bytes]:
    plain = {"id": "o-1", "task_type": "t", "context_tags": ["a"], "resolution": "r", "outcome": "success"}
    first = dumped({**plain, "timestamp": "0001-01-01T00:00:00Z", "note": "n\n m"})
    return [
        lines([outcome(1, session="a"), outcome(2)]),
        first + b"\n" + first.replace(b"0001-", b"2026-") + b"\r\n",
        dumped({**plain, "id": [], "timestamp": "2026-01-01T00:00:00Z"}) + b"\n",
        b"\n\n" + b"\r" + dumped({**plain, "timestamp": "2026-01-01T00:00:00Z"}) + b"\n",
        first.replace(b"0001-", b"2026-").replace(b'"r"', b'"\\ud800"') + b"\n",
        *(one + b"\n" for one in DEEP),
    ]


# small files of state: of odd ones nobody says more than that they are not there


def _states() -> tuple[tuple[str, Callable[[], object]], ...]:
    """Give each file with what reads it; how many of one kind are kept is asserted where it is read."""
    at, later = home(), Context(verb="guard", home=home().root, now_text=None, json=False)
    later._now = NOW.replace(minute=30)  # in the first minutes of an hour no mark is believed
    return (
        (f"{at.staged_dir}/troubles.json", lambda: read_troubles(at)),
        (f"{at.work_dir}/prompts/s.json", lambda: _prompts(read_state(at, "s"))),
        (f"{at.channel_dir}/contacts/desk.heard", lambda: contact(at, "desk", "heard")),
        (at.path(apply.MARK), lambda: apply._nothing_yet(later)),
        (at.path(apply.WITNESS_MARK), lambda: apply._witnesses_due(later)),
        (at.path(guard.MARK), lambda: guard._nothing_new(later)),
        (at.staging_rules, lambda: _bounded(read_hook_settings(at))),
    )


def _prompts(state: PromptState) -> tuple[object, ...]:
    assert len(state.prompts) <= MOST_PROMPTS
    assert len(state.shown) <= MOST_SHOWN
    return state.prompts, state.shown


def _bounded(read: HookSettings) -> tuple[float, int, int]:
    assert 0.1 <= read.relevance <= 1000
    assert 0 <= read.tokens <= 2000
    assert 0 <= read.lines <= 10
    return read.relevance, read.tokens, read.lines


def _read_states(raw: bytes) -> list[object]:
    for path, _ in _states():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        written(path, raw.replace(b"SIZE", b"%d" % os.stat(home().audit_log).st_size))
    return [read() for _, read in _states()]


def _check_states(raw: bytes, found: list[object]) -> None:
    assert repr(_read_states(raw)) == repr(found)


_STATES = (
    b'[{"about":"x","what":"late","since":"2026-03-01T08:00:00Z"}]',
    b'{"v":1,"prompts":["a b"],"shown":{"e-1":1}}',
    b"2026-03-01T08:00:00+01:00",
    b'{"size": SIZE, "after": null, "at": 1772367600}',
    b'{"size": SIZE, "after": 1e12, "at": 1772367600}',
    b'{"at": ' + b"9" * 400 + b', "looks": {"MEMORY.md": [1, 2, 3, 4, 5]}}',
    b'{"at": 1, "looks": {"\\u0000": null, "\\ud800": [], "MEMORY.md": null}}',
    b"1772366400\n",
    dumped({"v": 1, "prompt_hook": {"relevance": 7.5, "tokens": 90, "lines": 1}}),
    dumped({"prompt_hook": {"relevance": math.nan, "tokens": True, "lines": 11}}),
    b'{"prompt_hook": [1]}',
    *DEEP,
)


TARGETS = (
    Target(
        name="dead-letters",
        read=_read_letters,
        errors=(),
        check=_check_letters,
        damage=lambda read: ([*read[0], {"x": 1}], read[1]),
        seeds=lambda: list(_LETTERS),
    ),
    Target(
        name="seen-ids",
        read=_read_seen,
        errors=(IntegrityError,),
        check=_check_seen,
        damage=lambda found: {**found, "m-c": BEGUN},
        seeds=lambda: list(_SEEN),
        cost=4,
    ),
    Target(
        name="remembered",
        read=_read_remembered,
        errors=(NothingError,),
        check=_check_remembered,
        damage=lambda read: {name: replace(one, size=one.size + 1) for name, one in read.items()},
        seeds=lambda: list(_REMEMBERED),
        max_bytes=8192,
        cost=2,
    ),
    Target(
        name="kept-statements",
        read=_read_kept,
        errors=(NothingError,),
        check=_check_kept,
        damage=lambda kept: {
            **kept,
            "x\n": Worth(),
        },
        seeds=lambda: list(_KEPT),
        cost=2,
    ),
    Target(
        name="outcome-words",
        read=_read_cut,
        errors=(),
        check=_check_cut,
        damage=lambda read: (read[0], read[1], 1),
        seeds=_outcomes,
    ),
    Target(
        name="states",
        read=_read_states,
        errors=(),
        check=_check_states,
        damage=lambda found: [*found, None],
        seeds=lambda: list(_STATES),
        cost=4,
    ),
)

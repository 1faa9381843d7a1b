"""What the program notes for itself in a home, where an agent may write: disposable, and nothing may rest on its form."""

import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.faults.fuzz.records import DEEP, HOME, NOW, dumped, message
from tests.faults.fuzz.signed import _envelopes
from tests.faults.fuzz.target import Target, alike, scratch, written
from tests.homes import make_home
from tests.linking import lines, outcome

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
from nightledger.recall.sources import cut_outcomes
from nightledger.remote.letters import pending, sent_dir
from nightledger.remote.peers import contact, read_dead_letters, recent_dead_letters
from nightledger.remote.receiving import BEGUN, Seen
from nightledger.remote.witness_asking import read_memory
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import apply, guard


@cache
def home() -> Home:
    home = make_home(scratch() / "noting", id=HOME)
    for folder in (home.work_dir, home.channel_dir, home.staged_dir, sent_dir(home)):
        Path(folder).mkdir(parents=True, exist_ok=True)
    Path(home.memory_md).write_text("# Memory\n")
    Path(home.audit_log).write_bytes(b"".join(_LINES))
    return home


_LINES = [b'{"seq":%d}\n' % n for n in range(9)]


# ids that were taken in


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
    if found[_message(0).id] is None:
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


# small files of state: of odd ones nobody says more than that they are not there


def _states() -> tuple[tuple[str, Callable[[], object]], ...]:
    """Return each file with what reads it; how many of one kind are kept is asserted where it is read."""
    at, later = home(), Context(verb="guard", home=home().root, now_text=None, json=False)
    later._now = NOW.replace(minute=30)  # in the first minutes of an hour no mark is believed
    return (
        (f"{at.staged_dir}/troubles.json", lambda: read_troubles(at)),
        (f"{at.staged_dir}/{stage_logs.KEPT}", lambda: stage_logs._read_kept(at)),
        (f"{at.work_dir}/prompts/s.json", lambda: _prompts(read_state(at, "s"))),
        (f"{at.work_dir}/witnesses.json", lambda: _due(at)),
        (f"{at.channel_dir}/contacts/desk.heard", lambda: contact(at, "desk", "heard")),
        (f"{sent_dir(at)}/{message().id}.json", lambda: pending(at)),
        (at.dead_letters, lambda: (read_dead_letters(at), recent_dead_letters(at, NOW))),
        (at.path(apply.MARK), lambda: apply._nothing_yet(later)),
        (at.path(apply.WITNESS_MARK), lambda: apply._witnesses_due(later)),
        (at.path(guard.MARK), lambda: guard._nothing_new(later)),
        (at.staging_rules, lambda: _bounded(read_hook_settings(at))),
        (at.outcomes, lambda: cut_outcomes(at.outcomes, ZoneInfo("America/New_York"))),
    )


def _prompts(state: PromptState) -> tuple[object, ...]:
    assert len(state.prompts) <= MOST_PROMPTS
    assert len(state.shown) <= MOST_SHOWN
    return state.prompts, state.shown


def _due(at: Home) -> object:
    found = [(one, one.is_due(NOW, one.size, refresh=True)) for one in read_memory(at).values()]
    assert all(one.next_s() >= one.asked_at >= 0 for one, _ in found)
    return found


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


_LETTER = {
    "id": "m-1", "peer": "desk", "dead_lettered_at": "2026-03-01T08:00:00Z", "error": "nobody", "attempts": 3,
}  # fmt: skip
_PLAIN = {"id": "o-1", "task_type": "t", "context_tags": ["a"], "resolution": "r", "outcome": "success"}
_WORTH = {"said": [[3, 4, 0.5], [9, 9, 0.31]], "telling": [3], "answers": [9, 10]}
_STATES = (
    *(
        dumped({**_LETTER, "dead_lettered_at": at}) + b"\n{}\n"
        for at in ("2026-03-01T08:00:00Z", "0001-01-01T00:00:00+14:00", ["x"])
    ),
    *_envelopes(),
    dumped({"w1": {"asked_at": 1_772_366_400, "size": 9, "problem": "late", "refused": False}}),
    b'{"w": {"asked_at": ' + b"9" * 4300 + b"}}",
    dumped({"v": 5, "logs": {"0" * 64: _WORTH, "a": {**_WORTH, "said": [[3, 4, math.nan]]}}}),
    lines([outcome(1, session="a"), outcome(2)]),
    dumped({**_PLAIN, "timestamp": "0001-01-01T00:00:00Z", "note": "n\n m"}) + b"\n\r",
    dumped({**_PLAIN, "id": [], "timestamp": "2026-01-01T00:00:00Z"}) + b"\n",
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
    Target("seen-ids", _read_seen, _check_seen, _SEEN, IntegrityError, cost=4),
    Target("states", _read_states, alike(_read_states), _STATES, cost=4),
)

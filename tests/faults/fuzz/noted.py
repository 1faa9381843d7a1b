"""What the program notes for itself in a home, where an agent may write: disposable, and nothing may rest on its form."""

import math
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.faults.fuzz.records import DEEP, HOME, NOW, dumped, message
from tests.faults.fuzz.signed import _envelopes
from tests.faults.fuzz.target import Target, alike, scratch, written
from tests.homes import make_home
from tests.linking import lines, outcome

from nightledger.domain.errors import IntegrityError
from nightledger.files import hook_state
from nightledger.files.home import Home
from nightledger.files.staged import read_troubles
from nightledger.recall.sources import cut_outcomes
from nightledger.remote.letters import pending, recent_dead_letters, sent_dir
from nightledger.remote.receiving import read_numbers
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


# numbers that are spent


def _read_numbers(raw: bytes) -> dict[str, int]:
    return read_numbers(written(scratch() / "numbers", raw))


def _check_numbers(raw: bytes, found: dict[str, int]) -> None:
    assert all(seq >= 0 and (iss.encode() in raw or b"\\u" in raw) for iss, seq in found.items())


_NUMBERS = (
    dumped({"v": 1, "senders": {HOME: 7}}),
    dumped({"v": 1, "senders": {HOME: "7", "a": 2.5}}),
    dumped({"v": 1, "senders": [{"iss": HOME, "seq": 7}]}),
    *DEEP,
)


# small files of state: of odd ones nobody says more than that they are not there


def _states() -> tuple[tuple[str, Callable[[], object]], ...]:
    """Return each file with what reads it; how many of one kind are kept is asserted where it is read."""
    at, later = home(), Context(verb="guard", home=home().root, now_text=None, json=False)
    later._now = NOW.replace(minute=30)  # in the first minutes of an hour no mark is believed
    return (
        (f"{at.staged_dir}/troubles.json", lambda: read_troubles(at)),
        (f"{at.work_dir}/prompts/s.json", lambda: _prompts(hook_state.read_state(at, "s"))),
        (f"{at.work_dir}/witnesses.json", lambda: _due(at)),
        (f"{sent_dir(at)}/{message().id}.json", lambda: pending(at)),
        (at.dead_letters, lambda: recent_dead_letters(at, NOW)),
        (at.path(apply.MARK), lambda: apply._nothing_yet(later)),
        (at.path(apply.WITNESS_MARK), lambda: apply._witnesses_due(later)),
        (at.path(guard.MARK), lambda: guard._nothing_new(later)),
        (at.staging_rules, lambda: _bounded(hook_state.read_hook_settings(at))),
        (at.outcomes, lambda: cut_outcomes(at.outcomes, ZoneInfo("America/New_York"))),
    )


def _prompts(state: hook_state.PromptState) -> tuple[object, ...]:
    assert len(state.prompts) <= hook_state.MOST_PROMPTS
    assert len(state.shown) <= hook_state.MOST_SHOWN
    return state.prompts, state.shown


def _due(at: Home) -> object:
    found = [(one, one.is_due(NOW, one.size, refresh=True)) for one in read_memory(at).values()]
    assert all(one.next_s() >= one.asked_at >= 0 for one, _ in found)
    return found


def _bounded(read: hook_state.HookSettings) -> tuple[float, int, int]:
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
_STATES = (
    *(
        dumped({**_LETTER, "dead_lettered_at": at}) + b"\n{}\n"
        for at in ("2026-03-01T08:00:00Z", "0001-01-01T00:00:00+14:00", ["x"])
    ),
    *_envelopes(),
    dumped({"w1": {"asked_at": 1_772_366_400, "size": 9, "problem": "late", "refused": False}}),
    b'{"w": {"asked_at": ' + b"9" * 4300 + b"}}",
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
    Target("numbers", _read_numbers, _check_numbers, _NUMBERS, IntegrityError, cost=4),
    Target("states", _read_states, alike(_read_states), _STATES, cost=4),
)

"""Lines of transcripts: whatever stands in one, it says what a row of the table lets it say, or nothing."""

import os
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hosts.sessions import claude, codex, codex_said, text
from tests.rows import each_row, from_corpus

from nightledger.codec.extracts import Mark, dump_message, known_keys
from nightledger.domain.proposal import Origin
from nightledger.domain.transcript import EXTRACTS, Speaker, Turn
from nightledger.hosts.transcript_formats import Reach, SessionFile, find_sessions, read_moment, table
from nightledger.hosts.transcript_lines import Grammar, Reader
from nightledger.hosts.transcript_reading import Cursor, Reading, is_unchanged
from nightledger.text.statements.daylog import read_daylog

FORMS = {one.host: one for one in table().formats}
WORDS = sorted(
    {key for form in table().formats for line in form.lines for path in (*line.when, line.content) for key in path.split(".") if key}
    | {key for paths in table().call.values() for path in paths for key in path.split(".")}
    | {"is_error", "toolUseResult"}
    | {"type", "role", "payload", "message", "timestamp", "uuid", "cwd", "sessionId", "content", "text"}
)  # fmt: skip
KINDS = sorted(
    {line.of for form in table().formats for line in form.lines}
    | {name for names in table().blocks.values() for name in names}
    | {"session", "session_meta", "odd"}
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(KINDS) | st.text(max_size=8)
)
RECORDS = st.dictionaries(
    st.sampled_from(WORDS),
    st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4), max_leaves=12),
    max_size=6,
)  # fmt: skip


def read(host: str, *lines: str) -> list[Turn]:
    form = FORMS[host]
    grammar = Grammar(form)
    reader = Reader(grammar)
    return [
        turn
        for n, line in enumerate(lines, 1)
        for turn in reader.read(grammar.decode(line.encode("utf-8", "replace")), n)
    ]


@given(host=st.sampled_from([form.host for form in table().formats]), records=st.lists(RECORDS, max_size=4))
def test_whatever_stands_in_a_line_nothing_is_raised_and_every_turn_has_a_time_and_a_speaker(
    host: str, records: list[dict[str, Any]]
) -> None:
    form = FORMS[host]
    grammar = Grammar(form)
    reader = Reader(grammar)
    for n, record in enumerate(records, 1):
        for turn in reader.read(grammar.convert(record), n):
            assert turn.at.tzinfo is UTC
            assert turn.speaker in Speaker
            assert turn.line == n
            mark = Mark(session="s", source="x.jsonl", origin=Origin.AGENT, keys="0" * 32)
            lines = [line for line in turn.text.split("\n") if "<!--" not in line]
            written = dump_message(turn, lines, mark).decode()
            log = read_daylog(
                f"{EXTRACTS}/2026-02-28-{host}.md", written, datetime(2026, 2, 28, tzinfo=UTC).date()
            )
            assert {line.turn for line in log.lines[1 : len(lines) + 1]} <= {
                "user" if turn.speaker == Speaker.USER else "assistant"
            }
            assert len(list(known_keys(written.encode()))) == 2


@pytest.mark.parametrize("cwd", [".", "{home}\0"])
def test_a_directory_that_is_no_absolute_path_belongs_to_no_home(cwd: str) -> None:
    home = str(Path.cwd())
    reach = Reach(home=home, root="/nowhere", kind="cwd")
    assert reach.holds("s.jsonl", home)
    assert not reach.holds("s.jsonl", cwd.replace("{home}", home))


def test_calls_results_and_exit_statuses_are_told_apart_from_what_is_said() -> None:
    turns = read(
        "codex",
        codex("session_meta", {"id": "s-1", "cwd": "C:\\Users\\ann\\app", "source": "exec"}, n=0),
        codex_said("user", "Run it.", n=1),
        codex("response_item", {"type": "function_call", "name": "exec_command"}, n=2),
        codex(
            "event_msg", {"type": "item_completed", "item": {"type": "CommandExecution", "exit_code": 1}}, n=3
        ),
        codex("response_item", {"type": "message", "role": "developer", "content": text("Never push.")}, n=4),
        codex(
            "response_item",
            {"type": "message", "role": "assistant", "phase": "commentary", "content": text("Well.")},
            n=5,
        ),
        codex_said("assistant", "It failed.", n=6),
    )
    assert [(turn.speaker, turn.text, turn.exit_status) for turn in turns] == [
        (Speaker.USER, "Run it.", None),
        (Speaker.CALL, "", None),
        (Speaker.TOOL, "", 1),
        (Speaker.ASSISTANT, "It failed.", None),
    ]
    assert {(turn.session, turn.cwd) for turn in turns} == {("s-1", "/mnt/c/Users/ann/app")}
    assert turns[1].tool == "exec_command"


@each_row(
    ("value", "moment"),
    [
        ("2026-02-28T09:00:00.123Z", "2026-02-28T09:00:00.123000+00:00"),
        ("2026-02-28T10:00:00+01:00", "2026-02-28T09:00:00+00:00"),
        ("2026-02-28T18:00:00", "2026-02-28T09:00:00+00:00"),
        (1772269200, "2026-02-28T09:00:00+00:00"),
        (1772269200000, "2026-02-28T09:00:00+00:00"),
        (1772269200.5, "2026-02-28T09:00:00.500000+00:00"),
        ("soon", None), (None, None), (True, None), (float("nan"), None), (float("inf"), None), (10**30, None), ([], None),
    ],
)  # fmt: skip
def test_a_time_is_read_as_hosts_write_it_in_the_homes_zone_where_it_tells_none(
    value: Any, moment: str | None
) -> None:
    found = read_moment(value, timezone(timedelta(hours=9)))
    assert (found.isoformat() if found else None) == moment


@from_corpus("hosts-transcripts")
def test_a_working_directory_decides_whose_a_session_is(
    home: str, name: str, cwd: str, *, belongs: bool
) -> None:
    reach = Reach(home=home, root="/r/claude", kind="folder", directories=("/srv/site",))
    assert reach.holds(name, cwd) is belongs
    assert reach.may_hold(name) >= belongs


def test_a_name_that_is_not_utf8_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "p"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(claude("user", "x", "/a", n=1) + "\n")
    try:
        (folder / "b\udce9.jsonl").write_text("")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    form = FORMS["claude_code"]
    found = find_sessions(form, str(tmp_path))
    assert [one.name for one in found.files] == ["projects/p/a.jsonl"]
    assert [why for _, why in found.left] == ["has a name that is not UTF-8"]


def _append(path: Path) -> None:
    with path.open("a") as stream:
        stream.write("{}\n")


def _replace_by_a_copy(path: Path) -> None:
    copy = path.with_suffix(".new")
    shutil.copy2(path, copy)
    copy.replace(path)


def _rewrite_and_set_back_the_time(path: Path) -> None:
    times = path.stat()
    path.write_text(path.read_text().replace("x", "y"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@each_row(
    ("happens", "unchanged"),
    [
        (lambda _path: None, True),
        (Path.read_bytes, True),
        (_append, False),
        (_replace_by_a_copy, False),
        (_rewrite_and_set_back_the_time, False),
        (lambda path: path.write_text(""), False),
        (lambda path: path.with_name("a.jsonl-wal").write_text("rows of a database"), False),
    ],
)
def test_a_file_is_read_again_only_where_something_happened_to_it(
    tmp_path_factory: pytest.TempPathFactory, happens: Callable[[Path], Any], *, unchanged: bool
) -> None:
    root = tmp_path_factory.mktemp("root")
    path = root / "projects" / "p" / "a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(claude("user", "x", "/a", n=1) + "\n")
    form = FORMS["claude_code"]

    def look() -> SessionFile:
        (found,) = find_sessions(form, str(root)).files
        return found

    reading = Reading(Grammar(form), look(), Cursor())
    assert [turn.text for turn in reading.turns()] == ["x"]
    time.sleep(0.01)  # a file system tells two times apart from some milliseconds on
    happens(path)
    assert is_unchanged(look(), reading.cursor) is unchanged

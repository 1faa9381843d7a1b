"""Tests of the list of files that a change may write."""

import pytest
from msgspec.structs import replace
from tests.domain.gate_values import change as addition
from tests.rows import each_row

from nightledger.domain.kept import LINKS, Places, is_archive, is_copy, is_daily_log, why_forbidden
from nightledger.domain.proposal import Anchor, Change, Hunk, Op, Part

PLACES = Places(gated=("MEMORY.md", "USER.md"), daily=("memory", "memory/daily"))
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
LOG = "memory/daily/2026-01-02.md"
COPY = "memory/archive/daily/2026-01-02.md"


def hunk(anchor: Anchor, *, removed: str = "", added: str = "") -> Hunk:
    """Give a hunk at the top of a file."""
    return Hunk(anchor=anchor, section=(), removed=removed, added=added)


def change(op: Op, target: str, made: Hunk, *also: Part) -> Change:
    """Give a change of which only the files matter."""
    return replace(addition(1, target=target), op=op, hunk=made, also=also)


REMOVED = hunk(Anchor.LINES, removed="- Done.\n")
APPENDED = Part(target="memory/archive/2026.md", hunk=hunk(Anchor.FILE_END, added="## Done\n"))
COPIED = Part(target=COPY, hunk=hunk(Anchor.COPY, added=SHA256))
SUMMARY = hunk(Anchor.WHOLE, removed=SHA256, added="# Short\n")
ARCHIVAL = change(Op.ARCHIVE, "MEMORY.md", REMOVED, APPENDED)
COMPRESSION = change(Op.COMPRESS, LOG, SUMMARY, COPIED)
DELETION = change(Op.DELETE_LINK, LINKS, hunk(Anchor.LINK, removed="cron + timezone"))


@pytest.mark.parametrize(
    "allowed",
    [
        change(Op.ADD, "MEMORY.md", hunk(Anchor.SECTION_END, added="- New.\n")),
        change(Op.REPLACE, "USER.md", hunk(Anchor.LINES, removed="- Old.\n", added="- New.\n")),
        change(Op.REMOVE, "MEMORY.md", hunk(Anchor.LINES, removed="- ████\n")),
        ARCHIVAL,
        replace(ARCHIVAL, hunk=hunk(Anchor.LINES, removed="- ████\n")),
        COMPRESSION,
        replace(COMPRESSION, target="memory/2026-01-02-notes.md"),
        DELETION,
    ],
)
def test_what_each_operation_is_for_is_allowed(allowed: Change) -> None:
    assert why_forbidden(allowed, PLACES) == []


@pytest.mark.parametrize("op", [Op.ADD, Op.REPLACE, Op.REMOVE])
def test_a_change_of_text_writes_its_gated_file_and_nothing_else(op: Op) -> None:
    assert why_forbidden(change(op, "memory/archive/2026.md", REMOVED), PLACES) == [
        "memory/archive/2026.md is not a gated file of this home"
    ]
    assert why_forbidden(change(op, "MEMORY.md", REMOVED, APPENDED), PLACES) == [
        "memory/archive/2026.md is no part of such a change"
    ]
    assert why_forbidden(change(op, "MEMORY.md", SUMMARY), PLACES) == [
        f"change 1 is anchored as whole, which {op.value} is not"
    ]


@each_row(
    ("forbidden", "reason"),
    [
        (replace(ARCHIVAL, target="SOUL.md"), "SOUL.md is not a gated file of this home"),
        (replace(ARCHIVAL, target=LOG), f"{LOG} is not a gated file of this home"),
        (
            replace(ARCHIVAL, hunk=hunk(Anchor.SECTION_END, added="- New.\n")),
            "change 1 is anchored as section_end, which archive is not",
        ),
        (replace(ARCHIVAL, also=()), "at its end"),
        (replace(ARCHIVAL, also=(APPENDED, APPENDED)), "at its end"),
        (replace(ARCHIVAL, also=(replace(APPENDED, target="USER.md"),)), "at its end"),
        (replace(ARCHIVAL, also=(replace(APPENDED, target=COPY),)), "at its end"),
        (replace(ARCHIVAL, also=(replace(APPENDED, hunk=SUMMARY),)), "at its end"),
        (replace(COMPRESSION, target="MEMORY.md"), "MEMORY.md is not a daily log of this home"),
        (replace(COMPRESSION, target="notes/2026-01-02.md"), "is not a daily log of this home"),
        (replace(COMPRESSION, target=COPY), f"{COPY} is not a daily log of this home"),
        (
            replace(COMPRESSION, hunk=hunk(Anchor.LINES, removed=SHA256)),
            "change 1 is anchored as lines, which compress is not",
        ),
        (replace(COMPRESSION, also=()), "to one file in memory/archive/daily"),
        (replace(COMPRESSION, also=(replace(COPIED, target=LOG),)), "to one file in memory/archive/daily"),
        (
            replace(COMPRESSION, also=(replace(COPIED, hunk=hunk(Anchor.COPY, added="0" * 64)),)),
            "copies its log, as it is",
        ),
        (
            replace(
                COMPRESSION,
                hunk=hunk(Anchor.WHOLE, added="# Short\n"),
                also=(replace(COPIED, hunk=hunk(Anchor.COPY)),),
            ),
            "copies its log, as it is",
        ),
        (replace(DELETION, target="memory/system/entries.json"), "writes nothing"),
        (replace(DELETION, hunk=SUMMARY), "writes nothing"),
        (replace(DELETION, also=(APPENDED,)), "writes nothing"),
    ],
)
def test_whatever_else_a_change_would_write_is_named(forbidden: Change, reason: str) -> None:
    reasons = why_forbidden(forbidden, PLACES)
    assert len(reasons) == 1
    assert reason in reasons[0]


def test_a_gated_file_with_a_name_like_a_log_is_not_compressed() -> None:
    gated = Places(gated=(LOG,), daily=PLACES.daily)
    assert why_forbidden(COMPRESSION, gated) == [f"{LOG} is not a daily log of this home"]


ARCHIVES = ("memory/archive/2026.md",)
COPIES = (COPY, "memory/archive/daily/2026-01-02-2.md")
LOGS = (LOG, "memory/2026-01-02-notes.md")
NEITHER = (
    *("memory/archive/daily/2026.md", "memory/archive/x/2026.md", "memory/archive/26.md", "archive/2026.md"),
    *("memory/archive/daily/x.md", "memory/archive/daily/../2026-01-02.md", "memory/daily/notes.md"),
)


@each_row("path", [*ARCHIVES, *COPIES, *LOGS, *NEITHER])
def test_a_path_tells_what_a_file_is(path: str) -> None:
    daily = (*PLACES.daily, "memory/archive/daily")
    found = (is_archive(path), is_copy(path), is_daily_log(path, daily))
    assert found == (path in ARCHIVES, path in COPIES, path in LOGS)


@pytest.mark.parametrize("name", ["", "cron", "timezone + cron", "backup--works", "a + b + c"])
def test_what_is_no_name_of_a_link_is_not_deleted(name: str) -> None:
    """No reader of the log could go on after it."""
    (reason,) = why_forbidden(replace(DELETION, hunk=hunk(Anchor.LINK, removed=name)), PLACES)
    assert "names a link" in reason

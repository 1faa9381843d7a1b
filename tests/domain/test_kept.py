"""Which files a change may write, by what it does."""

from typing import Any

from msgspec.structs import replace
from tests.domain.gate_values import change as addition
from tests.rows import each_row, from_corpus

from nightledger.domain.kept import LINKS, Places, is_archive, is_copy, is_daily_log, why_forbidden
from nightledger.domain.proposal import Anchor, Change, Hunk, Op, Part

PLACES = Places(gated=("MEMORY.md", "USER.md"), daily=("memory", "memory/daily"))
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
LOG, COPY = "memory/daily/2026-01-02.md", "memory/archive/daily/2026-01-02.md"
WRITES: dict[str, tuple[str, str, list[str], list[list[str]]]] = {
    "archive": ("archive", "MEMORY.md", ["lines", "- Done.\n"], [["memory/archive/2026.md", "file_end", "", "## Done\n"]]),
    "compress": ("compress", LOG, ["whole", SHA256, "# Short\n"], [[COPY, "copy", "", SHA256]]),
    "delete_link": ("delete_link", LINKS, ["link", "cron + timezone"], []),
    "add": ("add", "MEMORY.md", ["section_end", "", "- New.\n"], []),
    "replace": ("replace", "USER.md", ["lines", "- Old.\n", "- New.\n"], []),
    "remove": ("remove", "MEMORY.md", ["lines", "- ████\n"], []),
}  # fmt: skip
"""What each operation is for: its file, its hunk (anchor, what goes, what comes), and its further parts."""


def hunk(anchor: str, removed: str = "", added: str = "") -> Hunk:
    return Hunk(anchor=Anchor(anchor), section=(), removed=removed, added=added)


def change(like: str, **other: Any) -> Change:
    """Give a change as one of :data:`WRITES`, of which the target, the hunk or the further parts may be others."""
    op, target, made, also = WRITES[like]
    parts = tuple(Part(target=path, hunk=hunk(*words)) for path, *words in other.get("also", also))
    base = addition(1, target=other.get("target", target))
    return replace(base, op=Op(op), hunk=hunk(*other.get("hunk", made)), also=parts)


@each_row("like", WRITES)
def test_what_each_operation_is_for_is_allowed(like: str) -> None:
    assert why_forbidden(change(like), PLACES) == []


def test_a_masked_text_may_be_archived_and_a_log_of_any_name_compressed() -> None:
    for allowed in (
        change("archive", hunk=["lines", "- ████\n"]),
        change("compress", target="memory/2026-01-02-notes.md"),
    ):
        assert why_forbidden(allowed, PLACES) == []


@from_corpus("domain-kept")
def test_whatever_else_a_change_would_write_is_named(like: str, other: dict[str, Any], reason: str) -> None:
    (found,) = why_forbidden(change(like, **other), PLACES)
    assert reason in found


def test_a_gated_file_with_a_name_like_a_log_is_not_compressed() -> None:
    gated = Places(gated=(LOG,), daily=PLACES.daily)
    assert why_forbidden(change("compress"), gated) == [f"{LOG} is not a daily log of this home"]


@from_corpus("domain-kept")
def test_a_path_tells_what_a_file_is(path: str, kind: str) -> None:
    daily = (*PLACES.daily, "memory/archive/daily")
    found = (is_archive(path), is_copy(path), is_daily_log(path, daily))
    assert found == (kind == "archive", kind == "copy", kind == "log")

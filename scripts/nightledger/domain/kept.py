"""Which files a change may write, by what it does: the gate's list, pure.

Invariant: a gated file is written by changes of text and by an archival; an archive file only as a
further part of a change; a daily log only by a compression, whose other part is its copy; a skill by changes of text.
"""

import re
from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.proposal import Anchor, Change, Hunk, Op, Part

ARCHIVE = "memory/archive"
"""Directory of what was archived: ``YYYY.md``, entries by the year in which they went."""
ARCHIVE_DAILY = "memory/archive/daily"
"""Directory of the full text of compressed daily logs, under their own names."""
LETTING_GO = frozenset({Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK})
"""Operations that say where something goes, and put no words of their own into memory."""
LINKS = "memory/system/hebbian-links.json"
"""The view in which a deleted link is missing from then on. Only its fold changes."""
_LOG = re.compile(r"\d{4}-\d\d-\d\d(?:[-_ T.][^/\x00-\x1f\x7f]*)?\.(?:md|markdown|txt)", re.IGNORECASE)
_YEAR = re.compile(r"\d{4}\.md")
_SKILL = re.compile(r"(?:[^/]+/)?skills/([a-z0-9]+(?:-[a-z0-9]+)*)/SKILL\.md")
_READ_AS_OTHER = re.compile(r"\d.*|true|false|yes|no|on|off|null|y|n")
"""Names that YAML reads as a number, a day, a truth or nothing (YAML 1.1 and 1.2)."""
TEXT = frozenset({Anchor.SECTION_END, Anchor.DIVIDED_END, Anchor.LINES, Anchor.FILE_LINES})
"""How changes of a gated file's text are anchored."""
_TAKEN_OUT = frozenset({Anchor.LINES})


class Places(Struct, frozen=True, kw_only=True):
    """Where a home keeps what changes may write.

    Attributes:
        gated: Its gated files, relative to it.
        daily: The directories of its daily logs, relative to it.
        skills: The folder of its host's skills, relative to it; empty for none.
    """

    gated: tuple[str, ...]
    daily: tuple[str, ...] = ()
    skills: str = ""


def parts_of(change: Change) -> tuple[Part, ...]:
    """Give everything that a change writes, its target first; of a link's deletion, the link."""
    return (Part(target=change.target, hunk=change.hunk), *change.also)


def hunks_on(path: str, changes: Collection[Change]) -> list[Hunk]:
    """Give the hunks that changes have on one file, in order: what is signed and placed there."""
    return [part.hunk for change in changes for part in parts_of(change) if part.target == path]


def files_of(changes: Collection[Change]) -> list[str]:
    """Give the files that changes write, sorted; a link's deletion writes none."""
    parts = (part for change in changes for part in parts_of(change))
    return sorted({part.target for part in parts if part.hunk.anchor is not Anchor.LINK})


def is_archive(path: str) -> bool:
    """Tell whether a path, relative to the home, is that of a file of archived entries."""
    folder, _, name = path.rpartition("/")
    return folder == ARCHIVE and _YEAR.fullmatch(name) is not None


def is_copy(path: str) -> bool:
    """Tell whether a path, relative to the home, may be that of the full text of a compressed daily log."""
    folder, _, name = path.rpartition("/")
    return folder == ARCHIVE_DAILY and _LOG.fullmatch(name) is not None


def is_daily_log(path: str, daily: Collection[str]) -> bool:
    """Tell whether a path, relative to the home, is that of a daily log in one of the directories."""
    folder, _, name = path.rpartition("/")
    return folder in daily and folder not in (ARCHIVE, ARCHIVE_DAILY) and _LOG.fullmatch(name) is not None


def skill_name(path: str) -> str:
    """Return the name of the skill whose ``SKILL.md`` a path may be, in whatever host's folder; empty for any other."""
    found = _SKILL.fullmatch(path)
    return found[1] if found else ""


def skill_front(name: str) -> str:
    """Return how the file of a skill begins: with its name, in quotation marks where YAML would read it as no text."""
    told = f'"{name}"' if _READ_AS_OTHER.fullmatch(name) else name
    return f"---\nname: {told}\n"


def is_skill(path: str, folder: str) -> bool:
    """Return whether a path, relative to the home, may be that of a skill in a folder."""
    return bool(skill_name(path)) and path.rsplit("/", 2)[0] == folder


def is_kept(path: str) -> bool:
    """Tell whether a path may be that of a daily log or of the archive, wherever logs lie."""
    return is_archive(path) or _LOG.fullmatch(path.rpartition("/")[2]) is not None


def why_forbidden(change: Change, places: Places) -> list[str]:
    """Say all that speaks against the files that a change writes; empty where it may write them.

    Args:
        change: As proposed and signed.
        places: What the home has.
    """
    if change.op is Op.ARCHIVE:
        return _archival(change, places)
    if change.op is Op.COMPRESS:
        return _compression(change, places)
    if change.op is Op.DELETE_LINK:
        return _deletion(change)
    if is_skill(change.target, places.skills):
        places = replace(places, gated=(*places.gated, change.target))
    reasons = _gated(change, places, TEXT)
    return [*reasons, *(f"{part.target} is no part of such a change" for part in change.also)]


def _gated(change: Change, places: Places, anchors: Collection[Anchor]) -> list[str]:
    reasons = [] if change.target in places.gated else [f"{change.target} is not a gated file of this home"]
    return reasons if change.hunk.anchor in anchors else [*reasons, _anchor(change)]


def _archival(change: Change, places: Places) -> list[str]:
    reasons = _gated(change, places, _TAKEN_OUT)
    if [(is_archive(part.target), part.hunk.anchor) for part in change.also] != [(True, Anchor.FILE_END)]:
        reasons.append(f"an archival writes to one file {ARCHIVE}/YYYY.md, at its end")
    return reasons


def _compression(change: Change, places: Places) -> list[str]:
    reasons = []
    if not is_daily_log(change.target, places.daily) or change.target in places.gated:
        reasons.append(f"{change.target} is not a daily log of this home")
    if change.hunk.anchor is not Anchor.WHOLE:
        reasons.append(_anchor(change))
    copies = [(is_copy(part.target), part.hunk.anchor, part.hunk.added) for part in change.also]
    if copies != [(True, Anchor.COPY, change.hunk.removed)] or not change.hunk.removed:
        reasons.append(f"a compression copies its log, as it is, to one file in {ARCHIVE_DAILY}")
    return reasons


def _deletion(change: Change) -> list[str]:
    from nightledger.domain.outcome import is_name

    named = change.target == LINKS and change.hunk.anchor is Anchor.LINK and not change.also
    if named and is_name(change.hunk.removed):
        return []
    return [f"a link's deletion names a link of {LINKS} and writes nothing"]


def _anchor(change: Change) -> str:
    return f"change {change.n} is anchored as {change.hunk.anchor.value}, which {change.op.value} is not"

"""What the program leaves on disk and reads again: pages, states, rows, backups."""

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.faults.fuzz.records import DEEP, dumped
from tests.faults.fuzz.target import NothingError, Target, given, scratch, written
from tests.homes import make_home
from tests.linking import lines, outcome
from tests.rows import corpus

from nightledger.codec.canonical import CanonicalError, canonical
from nightledger.codec.rows import DoingRow, Exposure, OutcomeUse, read_hour, read_rows
from nightledger.domain import exposure as pages
from nightledger.files.archive import Archive, ArchiveError, read_archive, write_archive
from nightledger.files.home import Home
from nightledger.files.staged import StagedPage, read_staged


@cache
def home() -> Home:
    home = make_home(scratch() / "home")
    for directory in (home.staged_dir, f"{home.work_dir}/prompts", home.path("memory/daily")):
        Path(directory).mkdir(parents=True, exist_ok=True)
    Path(home.path("memory/daily/2026-03-02.md")).write_text("- Rinsed the kettle.\n")
    return home


# the staged page


def _page_of(text: str) -> str:
    """Give a page with this body and its own hash: what somebody who may write the file can make."""
    if text.startswith("<!--"):
        return text
    until, _, body = text.partition("\n")
    made = hashlib.sha256(f"{until}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"<!-- {pages.MARK}:start sha256={made} good-until={until} -->\n{body}{pages.END}\n"


_AT = "2026-03-03T10:30:00Z"
_BODY = f"2026-03-04T00:00:00Z\n{pages.HEAD}\n\n- a kettle (from MEMORY.md:3; its place)\n- late (from x; y; until 2026-03-03T10:00:00Z)\n"
_SIDECAR: dict[str, Any] = json.loads(corpus("faults-fuzz-left-sidecar.json"))


def _pages() -> list[bytes]:
    sidecar = dumped(_SIDECAR)
    sidecars = (sidecar, sidecar.replace(b"[1,1]", b'"ab"'))
    bodies = (_BODY, _page_of(_BODY), f"{_BODY}- {pages.END} x\r\n")
    return [one + b"\0" + body.encode() for one in sidecars for body in bodies]


def _read_staged(raw: bytes) -> StagedPage:
    """Read a sidecar and, behind a NUL, a body; ``SHA`` stands for the page's hash."""
    sidecar, _, body = raw.partition(b"\0")
    text = _page_of(body.decode("utf-8", "replace"))
    page = pages.parse_page(text)
    known = sidecar.replace(b"SHA", page.sha256.encode()) if page else sidecar
    written(home().staged_context, text.encode())
    written(f"{home().staged_dir}/lines.json", known)
    return given(read_staged(home(), _AT))


def _check_staged(raw: bytes, staged: StagedPage) -> None:
    page, told = pages.parse_page(staged.text), raw.partition(b"\0")[2].decode("utf-8", "replace")
    assert page
    again = pages.parse_page(pages.dump_page(page.lines, page.good_until))
    assert again
    assert (again.lines, again.good_until) == (page.lines, page.good_until)
    assert len(page.lines) == staged.lines > 0
    assert all(f"- {line}" in told.split("\n") for line in page.lines)
    assert staged.good_until == page.good_until > _AT
    assert all(isinstance(name, str) for name in staged.shown)
    assert list(staged.shown) == sorted(set(staged.shown))
    for place in staged.places:
        first, last = place.lines
        assert (type(place.path), type(first), type(last)) == (str, int, int)
    with suppress(CanonicalError):  # half a surrogate pair, which whoever keeps it refuses
        canonical([[place.path, list(place.lines)] for place in staged.places])


# lines of outcomes and exposures, as far as one of the readers needs them


def _read_uses(raw: bytes) -> tuple[list[list[Any]], list[int]]:
    ((outcomes, bad),) = read_rows(OutcomeUse, [raw])
    ((exposures, bad_too),) = read_rows(Exposure, [raw])
    for time in (*(row.received_at for row in outcomes), *(row.at for row in exposures)):
        read_hour(time)
    ((doings, _),) = read_rows(DoingRow, [raw])
    return [outcomes, exposures, doings], [bad, bad_too]


def _check_uses(raw: bytes, read: tuple[list[list[Any]], list[int]]) -> None:
    (outcomes, exposures, _), bad = read
    assert _read_uses(raw) == read
    filled = [line for line in raw.split(b"\n") if line.strip(b" \t\r")]
    assert [len(outcomes) + bad[0], len(exposures) + bad[1]] == [len(filled)] * 2
    one_by_one = [_read_uses(line)[0] for line in filled]
    assert [[row for rows in one_by_one for row in rows[n]] for n in range(3)] == read[0]


def _uses() -> list[bytes]:
    done = lines([outcome(1, session="a", shown=["e-1"]), outcome(2, timestamp="0001-01-01T00:00:00+23:59")])
    place = {"path": "MEMORY.md", "lines": [1, 2]}
    seen = dumped({"at": "2026-03-01T06:00:00Z", "shown": ["e-1"], "event": "start", "places": [place]})
    return [done, seen + b"\n" + seen + b"\r\n\n{}\n" + done, seen + b" " + seen, *DEEP]


# backups


def _summed(raw: bytes) -> bytes:
    """Give a tar with the sums of its headers put right (POSIX.1-2017, pax, ustar): anybody can."""
    blocks = [raw[at : at + 512] for at in range(0, len(raw), 512)]
    for n, block in enumerate(blocks):
        if block[257:262] == b"ustar" and len(block) == 512:
            total = sum(block[:148]) + sum(block[156:]) + 8 * 32
            blocks[n] = block[:148] + b"%06o\0 " % total + block[156:]
    return b"".join(blocks)


def _read_backup(raw: bytes) -> tuple[Archive, dict[str, bytes]]:
    path = written(scratch() / "backup", gzip.compress(_summed(raw), compresslevel=1, mtime=0))
    checked = _error_of(path, None)
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        try:
            archive = read_archive(path, folder)
        except ArchiveError:
            for place, directories, _ in os.walk(folder):
                assert directories or place.startswith(folder)
            raise
        assert checked is None
        found = {
            os.path.relpath(os.path.join(place, name), folder): Path(place, name).read_bytes()
            for place, _, names in os.walk(folder)
            for name in names
        }
    return archive, found


def _error_of(path: str, folder: str | None) -> ArchiveError | None:
    try:
        read_archive(path, folder)
    except ArchiveError as error:
        return error
    return None


def _check_backup(_: bytes, read: tuple[Archive, dict[str, bytes]]) -> None:
    archive, found = read
    told = {one["path"]: (one["size_bytes"], one["sha256"]) for one in archive.members}
    assert told == {name: (len(raw), hashlib.sha256(raw).hexdigest()) for name, raw in found.items()}


@cache
def _backups() -> tuple[bytes, ...]:
    file = scratch() / "kept"
    file.write_bytes(b"- Rinse the kettle.\n")
    os.utime(file, (1_772_262_000, 1_772_262_000))
    path = scratch() / "made"
    write_archive(str(path), dict.fromkeys(("a/b.md", "c"), str(file)), {"home": "x"})
    plain = gzip.decompress(path.read_bytes()).rstrip(b"\0") + b"\0" * 1024
    return (plain, *(_of_members(name, **pax) for name, pax in _ODD))


_ODD: tuple[tuple[str, dict[str, str]], ...] = (
    ("a", {"mtime": "inf"}),
    ("a", {"mtime": "nan"}),
    ("a", {"mtime": "-1e300"}),
    ("a", {"size": "x"}),
    ("a", {"path": "b\0c"}),
    ("a" * 300, {}),
    ("a/b", {}),
    ("../a", {}),
)


def _of_members(name: str, **pax: str) -> bytes:
    """Give a tar of a file ``a``... and one with odd words about it; it has a manifest that fits."""
    packed = io.BytesIO()
    names = ("a", name) if name == "a/b" else (name,)
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for one in names:
            info = tarfile.TarInfo(one)
            info.pax_headers, info.mode = pax, 0o600
            tar.addfile(info)
        sha256 = hashlib.sha256(b"").hexdigest()
        files = [{"path": one, "size_bytes": 0, "sha256": sha256, "mode": 0o600} for one in names]
        content = dumped({"v": 1, "about": {}, "files": files})
        info = tarfile.TarInfo("manifest.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return packed.getvalue().rstrip(b"\0") + b"\0" * 1024


TARGETS = (
    Target("staged", _read_staged, _check_staged, _pages, NothingError),
    Target("uses", _read_uses, _check_uses, _uses),
    Target("backups", _read_backup, _check_backup, _backups, ArchiveError, max_bytes=16_384, cost=4),
)

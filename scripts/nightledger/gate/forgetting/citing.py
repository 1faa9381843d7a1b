"""Find the lines that a change rests on: at their path, or in the archive once their log was compressed.

Invariant: what is given as the same has the hash that the evidence names; nothing is guessed.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import ARCHIVE_DAILY, is_copy
from nightledger.domain.proposal import Evidence
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.text.changes.veil import veil
from nightledger.text.markdown.document import decode, encode
from nightledger.text.scanners.scan import told_values
from nightledger.text.scanners.secrets import telling

MAX_BYTES = 64_000_000


class Cited(Struct, frozen=True, kw_only=True):
    """Lines, where they were found.

    Attributes:
        path: The file, relative to the home: the one that was cited, or its full text in the archive.
        content: Its bytes.
        same: Whether the lines are what they were when they were cited.
    """

    path: str
    content: bytes
    same: bool


def cited(home: Home, evidence: Evidence, *, told: frozenset[str] = frozenset()) -> Cited:
    """Find the lines of evidence; where nobody has them any more, those that stand at their place now.

    Args:
        home: Where the files are.
        evidence: Whose lines.
        told: Values told as secrets elsewhere: in a hash they may be veiled.

    Raises:
        UnreadableError: The file is no regular file of the home, and no copy has the lines.
    """
    own, failed = b"", None
    for path in chain((evidence.path,), _copies(home, evidence.path)):
        try:
            content = read_regular(home.path(path), MAX_BYTES, within=home.root)
        except NightledgerError as error:
            failed = error if path == evidence.path else failed
            continue
        if _is_same(content, evidence, told):
            return Cited(path=path, content=content, same=True)
        own = content if path == evidence.path else own
    if failed is not None:
        raise failed
    return Cited(path=evidence.path, content=own, same=False)


def _copies(home: Home, path: str) -> Iterator[str]:
    """Yield the files of the archive in which the full text of a log may be, by its name."""
    stem, end = os.path.splitext(path.rpartition("/")[2])
    name = re.compile(re.escape(stem) + r"(?:-\d+)?" + re.escape(end))
    directory = home.archive_daily_dir
    for found in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
        copy = f"{ARCHIVE_DAILY}/{found}"
        if name.fullmatch(found) and is_copy(copy):
            yield copy


def _is_same(content: bytes, evidence: Evidence, told: frozenset[str]) -> bool:
    first, last = evidence.lines
    text = b"\n".join(content.split(b"\n")[first - 1 : last])
    if hashlib.sha256(text).hexdigest() == evidence.sha256:
        return True
    veiled = encode(veil(decode(text), told=told | values_of(content)))
    return hashlib.sha256(veiled).hexdigest() == evidence.sha256


def values_of(content: bytes) -> frozenset[str]:
    """Return what a file tells as secrets; only the lines that may tell are looked at."""
    text = content.decode("utf-8", "replace").split("\n")
    return told_values("\n".join(text[at] for at in sorted(telling(text))))

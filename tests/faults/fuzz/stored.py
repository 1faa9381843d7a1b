"""What is kept on disk and read again: by the keys, in the home, in a backup; others may have written it since."""

import hashlib
import json
from functools import cache
from typing import Any

import msgspec
import yaml
from msgspec.structs import replace
from tests.faults.fuzz.records import DEEP, ROOT, dumped
from tests.faults.fuzz.target import Target, alike, scratch, seeds, written
from tests.linking import BERLIN, lines, outcome
from tests.trust.witnesses import LogSigner, head_of, note_of, tree_of

from nightledger.codec.constitution import dump_constitution, dump_page, parse_constitution, parse_page
from nightledger.codec.settings import parse_operator, parse_staging_rules
from nightledger.domain.errors import ConfigurationError, IntegrityError, LinkIndexError, RecordError
from nightledger.domain.frames import Constitution, why_not
from nightledger.domain.outcome import Link
from nightledger.domain.settings import Notifier, Operator
from nightledger.domain.staging import StagingRules
from nightledger.files.line_log import LineLog
from nightledger.files.link_index import Rules, fold, new_index, open_file
from nightledger.trust.heads import UnsignedError, read_stated_head
from nightledger.trust.merkle import CompactRange
from nightledger.trust.note import Checkpoint, dump_checkpoint
from nightledger.trust.pin import HEAD_FILE as FILE
from nightledger.trust.pin import KeptHead, dump_head, read_head

# the head of the log


def _read_head(raw: bytes) -> KeptHead:
    written(scratch() / FILE, raw)
    head = read_head(scratch())
    assert head is not None
    return head


def _check_head(raw: bytes, head: KeptHead) -> None:
    assert (type(head.offset), type(head.range.size)) == (int, int)
    assert head.offset >= 0
    assert dump_head(head) == raw


@cache
def _heads() -> tuple[bytes, ...]:
    digests = [hashlib.sha256(bytes([n])).digest() for n in range(3)]
    heads = [
        KeptHead(range=CompactRange(size=size, peaks=tuple(digests[: size.bit_count()])), offset=size * 150)
        for size in (0, 6, 7)
    ]
    return (
        *map(dump_head, heads),
        dump_head(heads[1])[:-9],
        dumped({"offset": 900, "peaks": [], "size": 0.0, "v": 3}),
        dumped({"offset": "0", "peaks": [], "size": 0, "v": 3}),
        *DEEP,
    )


def _read_stated(raw: bytes) -> Checkpoint | None:
    path = written(scratch() / "checkpoint", raw)
    head = read_stated_head(path, LogSigner().key.name, known=0)
    if head:
        assert read_stated_head(path, LogSigner().key.name, known=head.size + 1) is None
    return head


def _check_stated(raw: bytes, head: Checkpoint | None) -> None:
    assert head
    assert head.origin == LogSigner().key.name
    assert raw.startswith(dump_checkpoint(head).encode() + b"\n")


def _checkpoints() -> list[bytes]:
    notes = [note_of(head_of(tree_of(9), size)) for size in (1, 9)]
    return [*notes, *(note.replace(b"\n9\n", b"\n9223372036854775807\n") for note in notes)]


# the constitution


def _check_constitution(_: bytes, read: Constitution) -> None:
    assert why_not(read) == []
    assert parse_constitution(dump_constitution(read), where="again") == read
    assert parse_page(dump_page(read), where="again") == read
    assert parse_page(dump_page(read, notes=False), where="again") == read


def _check_principles(raw: bytes, read: Constitution) -> None:
    _check_constitution(raw, read)
    words = raw.decode("utf-8", "replace").split()
    assert all(word in words for one in read.principles for word in one.text.split())


@cache
def _constitution() -> bytes:
    return (ROOT / "config" / "constitution.json").read_bytes()


_HASHED = seeds("stored_hashed")[0]


def _pages() -> list[bytes]:
    shipped = parse_constitution(_constitution(), where="it")
    small = replace(shipped, principles=shipped.principles[:2])
    return [
        dump_page(small).encode(),
        dump_page(small, notes=False).replace("\n", "\r\n").encode(),
        b"care [ self/constitutional ,self/value]\n I ask\tfirst.\n  # no note\n",
    ]


# what the operator writes


def _check_operator(_: bytes, read: Operator) -> None:
    assert isinstance(read.notify, Notifier) or not read.notify or read.notify[0].startswith("/")
    assert all(
        sum(map(bool, (one.file, one.url, one.caldav))) == 1 and (one.user or not one.password_file)
        for one in read.calendars.values()
    )
    told = msgspec.to_builtins(read)
    kept = {key: _without_none(value) for key, value in told.items() if value}
    assert parse_operator(yaml.safe_dump(kept, allow_unicode=True).encode(), where="again") == read


def _without_none(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: _without_none(item) for key, item in value.items() if item is not None and item != ""}


_OPERATOR = seeds("stored_operator")


def _read_rules(raw: bytes) -> StagingRules:
    shipped = (ROOT / "config" / "staging-rules.json").read_bytes()
    return parse_staging_rules(shipped, raw, where="it")


def _check_rules(raw: bytes, read: StagingRules) -> None:
    told = json.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    plain = {key: value for key, value in told.items() if type(value) is int and key != "v"}
    assert {key: getattr(read, key) for key in plain} == plain
    assert all(window.until_days is None or window.until_days > window.from_days for window in read.windows)


_RULES = seeds("stored_rules")


# the link index


@cache
def _indexes() -> tuple[bytes, ...]:
    records = [
        outcome(n, tags, session=session, resolution=told, timestamp=f"2026-01-0{n}T12:00:00Z")
        for n, (tags, session, told) in enumerate(
            ((("cron", "disk"), "a", "r1"), (("cron", "disk", "mail"), "b", "r1"), (("disk", "mail"), None, "r2")), 1
        )
    ]  # fmt: skip
    log, path = scratch() / "outcomes.jsonl", scratch() / "made.db"
    log.write_bytes(lines(records))
    path.write_bytes(b"")
    with LineLog(str(log)) as opened, new_index(str(path)) as index:
        fold(index, opened, 0, 0, Rules(zone=BERLIN))
        index.commit()
    return (path.read_bytes(),)


def _read_index(raw: bytes) -> tuple[Any, ...]:
    """Ask an index everything that it may be asked."""
    with open_file(written(scratch() / "a.db", raw)) as index:
        told = [(one.confidence, one.idle_days, *_plain(one.link)) for one in index.every()]
        told += [
            _plain(one.link) for tags in (["cron"], ["cron", "disk"]) for one in index.recall(tags, 9)[0]
        ]
        told += map(_plain, index.top_links(2)[0])
        told += [_plain(link) for link in [index.link("disk", "cron")] if link is not None]
        return (*told, index.count())


def _plain(link: Link) -> tuple[Any, ...]:
    return (link.pair, link.co_occurrences, link.last_day, link.best, link.rivals)


TARGETS = (
    Target("heads", _read_head, _check_head, _heads, IntegrityError, max_bytes=8192),
    Target("stated-heads", _read_stated, _check_stated, _checkpoints, UnsignedError),
    Target(
        "constitutions",
        lambda raw: parse_constitution(raw, where="it"),
        _check_constitution,
        lambda: [_constitution(), _HASHED, *DEEP],
        RecordError,
    ),
    Target(
        "principles",
        lambda raw: parse_page(raw.decode("utf-8", "replace"), where="it"),
        _check_principles,
        _pages,
        RecordError,
    ),
    Target(
        "operator",
        lambda raw: parse_operator(raw, where="it"),
        _check_operator,
        _OPERATOR,
        ConfigurationError,
    ),
    Target("staging-rules", _read_rules, _check_rules, _RULES, ConfigurationError),
    Target("link-index", _read_index, alike(_read_index), _indexes, LinkIndexError, max_bytes=1 << 16),
)

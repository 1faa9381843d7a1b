"""What witnesses vouched for, as it is kept: cosigned heads of a home; a witness's own lists."""

from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path

from tests.faults.fuzz.target import Target, scratch, written
from tests.homes import make_home
from tests.trust.witnesses import NOON, LogSigner, cosigner, head_of, note_of, policy_of, tree_of, witness_key

from nightledger.domain.decision import Vouched
from nightledger.domain.errors import ConfigurationError, RecordError
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.remote.cosigner import LOGS, VKEYS, Cosigner, create_witness, open_witness
from nightledger.trust.heads import Cosignatures, CosignedHead, keep_lines
from nightledger.trust.merkle import Tree
from nightledger.trust.note import NoteError, parse_note, sign_note
from nightledger.trust.policy import Policy, cosigned_times, dump_policy
from nightledger.trust.report import Damage

SIZE = 9
POLICY = policy_of(3, 2)
MINUTES = (1, 7, 30)
"""When the three witnesses cosigned, past noon."""


@cache
def home() -> Home:
    home = make_home(scratch() / "cosigned", id="5a" * 16)
    make_dir(home.checkpoints_dir)
    written(home.audit_log, b"")
    return home


@cache
def _tree(size: int = SIZE) -> Tree:
    return tree_of(size)


@cache
def _cosigned(size: int, *numbers: int, word: bytes = b"line", origin: str = LogSigner().key.name) -> bytes:
    """Give a head with the lines of some of the witnesses, each at its own time."""
    tree = _tree(size) if word == b"line" else tree_of(size, word)
    lines = [cosigner(n, NOON.replace(minute=MINUTES[n - 1])) for n in numbers]
    return note_of(head_of(tree, origin=origin), *lines)


# cosigned heads of a home


Asked = tuple[tuple[CosignedHead, datetime] | None, Vouched, int, tuple[CosignedHead, Damage] | None, bytes]


def _read_cosigned(raw: bytes) -> Asked:
    """Ask for everything where all three files say this, then keep another witness's line with what they say.

    What is kept is kept under its size; what has none that is asked for, under that of the line that comes.
    """
    first, whole = (Path(home().checkpoints_dir, str(size)) for size in (7, SIZE))
    whole.unlink(missing_ok=True)
    first.unlink(missing_ok=True)
    for path in (home().cosigned, home().checkpoint, whole if _is_whole(raw) else first):
        written(path, raw)
    heads = Cosignatures(home(), POLICY, _tree())
    asked = heads.newest(), heads.vouched(3), heads.kept_size(), heads.foreign()
    note = parse_note(_cosigned(7))
    keep_lines(home(), POLICY, note, sign_note(note.text, [cosigner(3, NOON)]).signatures, first=True)
    return *asked, first.read_bytes()


def _is_whole(raw: bytes) -> bool:
    with suppress(NoteError):
        return parse_note(raw).text == parse_note(_cosigned(SIZE)).text
    return False


def _check_cosigned(raw: bytes, read: Asked) -> None:
    newest, vouched, size, foreign, after = read
    held = _held(raw)
    stated = sorted(NOON.replace(minute=MINUTES[n - 1]) for n in held)
    assert bool(newest) == (len(held) > 1)
    assert (vouched.first, vouched.last) == ((stated[1], stated[-2]) if newest else (None, None))
    assert bool(size) == bool(newest)
    if newest:
        assert newest[0].raw == raw
        assert newest[1] == stated[-2]
    if foreign:
        assert foreign[0].times
        assert foreign[0].checkpoint.root != _tree().root(min(foreign[0].checkpoint.size, SIZE))
    kept = parse_note(after)  # what is kept holds, has the line that came, and loses none that counted
    assert "w3" in cosigned_times(kept, POLICY)
    if kept.text in raw.decode("utf-8", "replace"):
        assert {f"w{n}" for n in held} <= cosigned_times(kept, POLICY).keys()


def _held(raw: bytes) -> set[int]:
    """Give which witnesses cosigned a head of this very log, here: no other can be made without their keys."""
    with suppress(NoteError):
        note = parse_note(raw)
        if note.text in (parse_note(_cosigned(n)).text for n in (7, SIZE)):
            return {int(name[1:]) for name in cosigned_times(note, POLICY)}
    return set()


def _heads() -> list[bytes]:
    whole = _cosigned(SIZE, 1, 2, 3)
    return [
        whole,
        _cosigned(7, 1, 2),
        _cosigned(7, 3),
        _cosigned(SIZE),
        _cosigned(SIZE, 1, 2, word=b"other"),
        _cosigned(12, 1, 2),
        _cosigned(SIZE, 1, 2, origin="nightledger/x"),
        whole + whole.splitlines(keepends=True)[-1],
        whole[:-9] + b"AAAAAAA=\n",
        whole.replace(b"witness.example/2", b"witness.example/1"),
    ]


# a witness's own lists


@cache
def _box() -> Cosigner:
    return create_witness(scratch() / "listed", "witness.example/9")


def _open(raw: bytes) -> Cosigner:
    """Open a witness whose verifier keys stand before a NUL, where it is not the first byte, and its logs behind it."""
    vkeys, cut, logs = raw.partition(b"\0")
    directory = _box().directory
    written(directory / VKEYS, vkeys or (_vkeys() if cut else b""))
    (directory / LOGS).unlink(missing_ok=True)
    if cut:
        written(directory / LOGS, logs)
    return open_witness(directory)


def _vkeys() -> bytes:
    return "".join(f"{key.dump()}\n" for key in _box().vkeys).encode()


def _check_open(raw: bytes, box: Cosigner) -> None:
    vkeys, _, logs = raw.decode("utf-8", "surrogateescape").partition("\0")
    assert [key.dump() for key in box.vkeys] == (vkeys or _vkeys().decode()).splitlines()
    assert box.vkeys == _box().vkeys
    assert all(key.dump() in logs for key in box.logs)
    assert box.answer(b"", NOON).status == 400  # it serves


def _lists() -> list[bytes]:
    made, vkeys = _box().vkeys, _vkeys()
    log = LogSigner().key.dump().encode()
    logs = dump_policy(Policy(logs=(LogSigner().key, LogSigner("nightledger/other", 7).key)))
    return [
        vkeys,
        vkeys + b"\0" + logs,
        b"\0# those of the harbour\n\n" + logs,
        vkeys.replace(b"\n", b"\r\n"),
        made[0].dump().encode(),
        vkeys + log,
        b"\n".join(reversed(vkeys.split())),
        vkeys + b"\0witness w " + witness_key(1).dump().encode(),
        b"",
    ]


TARGETS = (
    Target("cosigned-heads", _read_cosigned, _check_cosigned, _heads, cost=10),
    Target(
        "witness-lists", _open, _check_open, _lists, (ConfigurationError, RecordError), max_bytes=8192, cost=2
    ),
)

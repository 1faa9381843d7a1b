"""A home with keys, for the tests of the audit log."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests import homes

from nightledger.domain.decision import Actor
from nightledger.files.home import Home
from nightledger.trust import audit
from nightledger.trust.audit import VerifiedLog, check_log, verify
from nightledger.trust.event import NewEvent
from nightledger.trust.keys import KeyRing, LogKey, load_log_key
from nightledger.trust.pin import Pin, read_pin

HOME_ID = "5a" * 16
ORIGIN = f"nightledger/{HOME_ID}"
NOW = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)


@dataclass(frozen=True)
class World:
    """One home, its keys and its log."""

    home: Home
    ring: KeyRing
    key: LogKey

    def event(self, number: int = 0, name: str = "run.finished") -> NewEvent:
        return NewEvent(event=name, actor=Actor.CRON, at=NOW, fields={"n": number})

    def append(self, *numbers: int) -> None:
        audit.append(self.home, self.key, [self.event(number) for number in numbers])

    def sign(self, *, keep: bool = False) -> None:
        audit.sign_head(self.home, self.key, self.ring, now=NOW, keep=keep)

    def start(self) -> Pin:
        genesis = NewEvent(event="genesis", actor=Actor.HUMAN, at=NOW, fields={"origin": ORIGIN})
        return audit.start_log(self.home, self.key, self.ring, genesis, {"policy": "00" * 32}, NOW)

    @property
    def pin(self) -> Pin:
        return read_pin(self.ring, HOME_ID)

    def check(self) -> VerifiedLog:
        """Check the log in both ways, which must agree."""
        log = check_log(self.home, self.pin)
        assert verify(self.home, self.pin) == log.report
        return log

    def log_bytes(self) -> bytes:
        return Path(self.home.audit_log).read_bytes()

    def write_log(self, raw: bytes) -> None:
        Path(self.home.audit_log).write_bytes(raw)

    def edit_line(self, number: int, old: bytes, new: bytes) -> None:
        lines = self.log_bytes().split(b"\n")
        assert old in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(old, new)
        self.write_log(b"\n".join(lines))


def make_home(root: Path) -> Home:
    return homes.make_home(
        root,
        id=HOME_ID,
        created_at="2026-03-01T03:05:00Z",
        machine="testbed",
        zone="UTC",
        host="generic",
        simulated=False,
    )


def make_world(root: Path, made: KeyRing) -> World:
    """Make a home with a copy of keys that were made before; its log is not started."""
    ring = KeyRing(root / "keys")
    shutil.copytree(made.directory, ring.directory)
    return World(home=make_home(root / "home"), ring=ring, key=load_log_key(ring, HOME_ID, ORIGIN))

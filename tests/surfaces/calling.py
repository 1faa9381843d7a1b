"""Call a verb as the command line does, on a small simulated home of this machine."""

import argparse
import json
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import MEMORY, Desk, make_desk

from nightledger.codec.home_record import dump_home
from nightledger.domain.identity import Identity
from nightledger.files.home import Home
from nightledger.surfaces.cli import add_options, find_verb, spelled_out
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import this_machine


@dataclass(slots=True, kw_only=True)
class Caller:
    """A home, and the verbs at hand; the time is the desk's."""

    desk: Desk
    root: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def home(self) -> Home:
        return self.desk.home

    def run(self, verb: str, *words: str, home: Path | None = None, now: str | None = None) -> int:
        """Run a verb; its output stays to be read."""
        return self._run(verb, words, home=home, now=now, json_too=False)

    def lines(self, verb: str, *words: str, home: Path | None = None, now: str | None = None) -> list[str]:
        """Run a verb and give what it printed."""
        self.capsys.readouterr()
        self.run(verb, *words, home=home, now=now)
        return self.capsys.readouterr().out.splitlines()

    def text(self, verb: str, *words: str, home: Path | None = None, now: str | None = None) -> str:
        """Run a verb and give what it printed, as one line of words."""
        return " ".join(" ".join(self.lines(verb, *words, home=home, now=now)).split())

    def record(self, verb: str, *words: str, home: Path | None = None, now: str | None = None) -> Any:
        """Run a verb with ``--json`` and give the document."""
        self.capsys.readouterr()
        self._run(verb, words, home=home, now=now, json_too=True)
        return json.loads(self.capsys.readouterr().out)

    def _run(
        self, verb: str, words: tuple[str, ...], *, home: Path | None, now: str | None, json_too: bool
    ) -> int:
        at = now or self.desk.moment.at.astimezone(UTC).isoformat()
        where = str(home) if home else self.home.root
        return call_verb(verb, where, *words, now=at, as_json=json_too)


def make_caller(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    memory: bytes = MEMORY.encode(),
) -> Caller:
    """Make a home that this machine writes, with its keys where a command looks for them."""
    desk = make_desk(tmp_path, memory=memory)
    write_identity(desk.home, machine=this_machine())
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("COLUMNS", "80")
    return Caller(desk=desk, root=tmp_path, capsys=capsys)


def write_identity(home: Home, *, machine: str | None = None, host: str | None = None) -> None:
    """Record another machine or host in a home."""
    old = home.identity
    identity = Identity(
        id=old.id,
        origin=old.origin,
        created_at=old.created_at,
        machine=machine or old.machine,
        zone=old.zone,
        host=host or old.host,
        simulated=old.simulated,
        gated=old.gated,
    )
    Path(home.identity_file).write_bytes(dump_home(identity))


def call_verb(verb: str, home: str, *words: str, now: str | None = None, as_json: bool = False) -> int:
    """Call a verb of a home with words, and give its exit status."""
    verb, spelled = spelled_out(verb, list(words))
    answer, _ = find_verb(verb)
    parser = argparse.ArgumentParser(prog=verb)
    add_options(parser, verb)
    context = Context(verb=verb, home=home, now_text=now, json=as_json)
    return answer(parser.parse_args(spelled), context)

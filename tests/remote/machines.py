"""Two homes on two machines that know each other: an agent's host and an operator's own."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.world import serving
from tests.gate.homes import HOME_ID, Desk, make_desk, open_desk
from tests.remote.peer_work import OPS_ID, message_of
from tests.surfaces.console import Console

from nightledger.codec.records import dump_record, parse_record
from nightledger.demo.shell import Ran
from nightledger.domain.message import MESSAGE_TYPE, Message, Reply
from nightledger.doors.transport import Server
from nightledger.files.home import Home
from nightledger.remote import receiving
from nightledger.remote.receiving import load_machine_key, open_message, open_server, parse_peers
from nightledger.surfaces.context import Context
from nightledger.trust.dsse import parse_envelope, seal
from nightledger.trust.keys import KeyRing
from nightledger.trust.sshsig import KeySigner

AGENT_ADDRESS = "127.0.0.2"
ALL_ACTIONS = "consolidate_daily,decide,load_memory_file,proposals,propose_behavioral_change,prune_stale_memory,restore_context,update_heartbeat"


@dataclass(slots=True, kw_only=True)
class Machine:
    """One machine with its home, keys and command line."""

    desk: Desk
    environment: pytest.MonkeyPatch

    @property
    def home_id(self) -> str:
        return self.desk.home.identity.id

    @property
    def keys(self) -> Path:
        return self.desk.ring.directory

    @property
    def key(self) -> KeySigner:
        return load_machine_key(KeyRing(self.keys), self.home_id)

    @property
    def spent(self) -> Path:
        """The record of spent numbers."""
        return self.keys / self.home_id / "channel.json"

    def dead_letters(self) -> list[dict[str, Any]]:
        path = Path(self.desk.home.dead_letters)
        return list(map(json.loads, path.read_text().splitlines())) if path.exists() else []

    @property
    def now(self) -> int:
        return int(self.desk.moment.at.timestamp())

    def run(self, *words: str, stdin: str = "", typed: list[str] | None = None) -> Ran:
        return Console(desk=self.desk).run(*words, stdin=stdin, typed=typed)

    def out(self, *words: str) -> str:
        return Console(desk=self.desk).out(*words)

    def record(self, *words: str) -> Any:
        return Console(desk=self.desk).record(*words)

    def context(self) -> Context:
        """Give the surroundings of a command on this machine, at its time."""
        self.environment.setenv("NIGHTLEDGER_KEYS", str(self.keys))
        now = self.desk.moment.at.isoformat()
        return Context(verb="channel", home=self.desk.home.root, now_text=now, json=False)

    def take_in(self, raw: bytes) -> Reply:
        """Take bytes in as any transport would; give what was answered."""
        return opened(take_in(self.context(), raw))

    def reach(self, **addresses: Mapping[str, str]) -> None:
        """Write where other machines are reached."""
        (self.keys / "operator.yaml").write_text(json.dumps({"peers": addresses}))


def take_in(context: Context, raw: bytes) -> bytes:
    """Take bytes in as any transport would; give the answer's envelope."""
    peers = parse_peers(Path(Home(context.home_path).peers).read_bytes())
    return receiving.take_in(context, raw, open_message(raw, peers)[0])


def opened(envelope: bytes) -> Reply:
    """Give the answer in an envelope, unverified."""
    payload = parse_envelope(envelope, "the answer", max_bytes=1 << 25).payload
    return parse_record(Reply, payload, where="the answer")


@dataclass(slots=True, kw_only=True)
class Pair:
    """The two, and messages by hand.

    Attributes:
        agent: Where the agent lives.
        ops: Where its operator is.
        seq: How many messages were made.
        tried: How many attacks were tried.
    """

    agent: Machine
    ops: Machine
    seq: int = 0
    tried: int = 0

    def message(self, action: str = "update_heartbeat", **fields: Any) -> Message:
        """Give a message of the operator's machine to the agent's, good unless fields say otherwise."""
        self.seq += 1
        now = self.ops.now
        body = {"state": {"mail": "checked"}} if action == "update_heartbeat" else {}
        given = {"seq": now * 1000 + self.seq, "body": body, **fields}
        return message_of(self.ops.home_id, self.agent.home_id, now, action, **given)

    def sealed(self, message: Message) -> bytes:
        """Sign a message as the operator's machine does."""
        return seal(MESSAGE_TYPE, dump_record(message), self.ops.key)

    def ask(self, action: str, **fields: Any) -> Reply:
        """Make, sign and take in a message."""
        return self.agent.take_in(self.sealed(self.message(action, **fields)))

    @contextmanager
    def serving(self, *, connection_s: float = 10.0) -> Iterator[Server]:
        """Let the agent's machine answer over HTTP, and the operator's know where."""
        server = open_server(self.agent.context(), (AGENT_ADDRESS, 0))
        server.connection_s = connection_s
        with serving(server):
            self.ops.reach(agent={"url": f"http://{AGENT_ADDRESS}:{server.server_address[1]}"})
            yield server


def make_pair(root: Path, environment: pytest.MonkeyPatch) -> Pair:
    """Make both homes, and let each know the other."""
    agent, ops = root / "agent", root / "ops"
    for path in (agent, ops):
        path.mkdir()
    pair = Pair(
        agent=Machine(desk=make_desk(agent, home_id=HOME_ID), environment=environment),
        ops=Machine(desk=make_desk(ops, home_id=OPS_ID), environment=environment),
    )
    know(pair.agent, "ops", pair.ops, ALL_ACTIONS)
    know(pair.ops, "agent", pair.agent, "")
    return pair


def know(machine: Machine, name: str, other: Machine, actions: str) -> None:
    """Let a machine know another one, signed by its operator."""
    line = other.out("channel", "keygen").strip()
    ran = machine.run("channel", "peer", "add", name, "--line", line, "--actions", actions)
    assert ran.status == 0, ran.err


def copy_pair(template: Path, root: Path, environment: pytest.MonkeyPatch) -> Pair:
    """Give both machines anew."""
    shutil.copytree(template, root, dirs_exist_ok=True)
    return Pair(
        agent=Machine(desk=open_desk(root / "agent"), environment=environment),
        ops=Machine(desk=open_desk(root / "ops"), environment=environment),
    )

"""Two machines and a shared directory: what one asks, as a command sends it or as its key alone can sign it."""

import base64
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from tests.blackbox.forge import line_of
from tests.blackbox.world import World, found

ACTIONS = (
    "consolidate_daily,load_memory_file,proposals,propose_behavioral_change,prune_stale_memory,"
    "restore_context,update_heartbeat"
)
"""What the asking machine may ask for: all but to bring decisions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A file of the spool, as whoever shares it can copy it."""

    name: str
    content: bytes


@dataclass(slots=True, kw_only=True)
class Post:
    """An agent's home, the home of a machine that may ask it, a third one, and the spool between them."""

    agent: World
    ops: World
    third: World
    spool: Path
    number: int = 0

    def send(self, action: str, body: dict[str, Any], *words: str, to: str = "agent") -> Letter:
        """Have the asking machine send a message, and take it out of the spool."""
        path = self.ops.root / "body.json"
        path.write_text(json.dumps(body))
        self.ops.ok("channel", "send", action, "--to", to, "--body", str(path), *words)
        (letter,) = (self.spool / home_id({"agent": self.agent, "third": self.third}[to]) / "new").iterdir()
        taken = Letter(name=letter.name, content=letter.read_bytes())
        letter.unlink()
        return taken

    def beat(self, mail: str, *words: str, to: str = "agent") -> Letter:
        return self.send("update_heartbeat", {"state": {"mail": mail}}, *words, to=to)

    def deliver(self, letter: Letter) -> tuple[str, bytes]:
        """Put a letter into the agent's box, have it received, and give status and bytes of the answer."""
        box = self.spool / home_id(self.agent) / "new"
        box.mkdir(parents=True, exist_ok=True)
        (box / letter.name).write_bytes(letter.content)
        self.agent.ok("channel", "receive")
        (answer,) = (self.spool / home_id(self.ops) / "new").iterdir()
        content = answer.read_bytes()
        answer.unlink()
        status: str = json.loads(base64.b64decode(json.loads(content)["payload"]))["status"]
        return status, content

    def ask(self, action: str, body: dict[str, Any] | None = None, **claims: Any) -> dict[str, Any]:
        """Have a message of the asking machine received that says what it likes; give the answer."""
        return answer_of(self.deliver(self.letter(action, body, **claims))[1])

    def letter(self, action: str, body: dict[str, Any] | None = None, **claims: Any) -> Letter:
        """Sign a message with the asking machine's key, as no command of ours would send it."""
        now = int(self.ops.now.timestamp())
        self.number += 1
        said = {"v": 1, "id": "", "iss": home_id(self.ops), "aud": home_id(self.agent), "iat": now}
        said |= {"exp": now + 3600, "seq": now * 1000 + self.number, "action": action}
        said |= {"domain": "self_modification", "body": body or {}, **claims}
        digest = base64.b32encode(hashlib.sha256(line_of(said)).digest()).decode()
        said["id"] = f"m-{digest[:26].lower()}"
        return Letter(name=f"{said['id']}.message.json", content=sealed(self.ops, line_of(said)))

    def done(self) -> list[str]:
        """Give what became of each message that the agent's log names, and what machines proposed."""
        told = self.agent.named("message.received")
        return [*(event["status"] for event in told), *(one["lane"] for one in self.agent.proposals())]

    def heartbeat(self) -> str:
        return self.agent.read("memory/state/tc-heartbeat.json")

    @property
    def record(self) -> Path:
        """Where the agent's machine keeps what it has taken in."""
        return self.agent.own_keys / "channel.json"

    def wait(self, **by: float) -> None:
        for world in (self.agent, self.ops, self.third):
            world.wait(**by)


def home_id(world: World) -> str:
    return world.own_keys.name


def know(world: World, name: str, other: World, *words: str) -> None:
    line = other.json("channel", "keygen")["line"]
    ran = world.run("channel", "peer", "add", name, "--line", line, *words)
    assert ran.status == 0, ran


def join(agent: World, other: World, spool: Path, *words: str, names: tuple[str, str]) -> None:
    """Let two homes know each other by the names that each has for the other, and share a directory.

    ``words`` say what the second may ask of the first.
    """
    spool.mkdir(exist_ok=True)
    known_as, knows = names
    know(agent, known_as, other, *words)
    know(other, knows, agent)
    for world, peer in ((agent, known_as), (other, knows)):
        (world.keys / "operator.yaml").write_text(json.dumps({"peers": {peer: {"spool": str(spool)}}}))


def answer_of(envelope: bytes) -> dict[str, Any]:
    """Give what an answer says."""
    said: dict[str, Any] = json.loads(base64.b64decode(json.loads(envelope)["payload"]))
    return said


def sealed(world: World, payload: bytes, kind: str = "application/vnd.nightledger.message+json") -> bytes:
    """Sign a payload with a machine's key (secure-systems-lab/dsse, protocol 1.0.0)."""
    key = load_ssh_private_key((world.own_keys / "machine-ed25519").read_bytes(), None)
    assert isinstance(key, Ed25519PrivateKey)
    said = b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload)
    blob = base64.b64decode((world.own_keys / "machine-ed25519.pub").read_text().split()[1])
    name = base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    signature = {"keyid": f"SHA256:{name}", "sig": base64.b64encode(key.sign(said)).decode()}
    whole = {"payload": base64.b64encode(payload).decode(), "payloadType": kind, "signatures": [signature]}
    return line_of(whole)


def make_post(adopted: World, root: Path) -> Post:
    """Make the machines, who know each other."""
    agent, ops, third = adopted.copy(root / "agent"), found(root / "ops"), found(root / "third")
    post = Post(agent=agent, ops=ops, third=third, spool=root / "spool")
    post.spool.mkdir()
    know(post.agent, "ops", post.ops, "--actions", ACTIONS)
    know(post.ops, "agent", post.agent)
    know(post.ops, "third", post.third)
    return post


def copy_post(machines: Post, to: Path) -> Post:
    """Give a copy of them in another folder."""
    shutil.copytree(machines.spool.parent, to, symlinks=True, dirs_exist_ok=True)
    agent, ops, third = (World(root=to / name, now=machines.agent.now) for name in ("agent", "ops", "third"))
    spool = to / "spool"
    for world, names in ((agent, ["ops"]), (ops, ["agent", "third"])):
        peers = {name: {"spool": str(spool)} for name in names}
        (world.keys / "operator.yaml").write_text(json.dumps({"peers": peers}))
    return Post(agent=agent, ops=ops, third=third, spool=spool)

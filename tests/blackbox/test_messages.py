"""Two machines and a shared directory: each message is taken in once, and what was refused stays refused."""

import base64
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.world import World, found

ACTIONS = "propose_behavioral_change,update_heartbeat,load_memory_file"


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

    def done(self) -> list[str]:
        """Give what became of each message that the agent's log names, and what machines proposed."""
        told = [event for event in self.agent.events() if event["event"] == "message.received"]
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


@pytest.fixture(scope="module")
def machines(adopted: World, tmp_path_factory: pytest.TempPathFactory) -> Post:
    root = tmp_path_factory.mktemp("machines")
    post = Post(
        agent=adopted.copy(root / "agent"),
        ops=found(root / "ops"),
        third=found(root / "third"),
        spool=root / "spool",
    )
    post.spool.mkdir()
    know(post.agent, "ops", post.ops, "--actions", ACTIONS)
    know(post.ops, "agent", post.agent)
    know(post.ops, "third", post.third)
    return post


@pytest.fixture
def post(machines: Post, tmp_path: Path) -> Post:
    root = machines.spool.parent
    shutil.copytree(root, tmp_path, symlinks=True, dirs_exist_ok=True)
    agent, ops, third = (
        World(root=tmp_path / name, now=machines.agent.now) for name in ("agent", "ops", "third")
    )
    spool = tmp_path / "spool"
    for world, names in ((agent, ["ops"]), (ops, ["agent", "third"])):
        peers = {name: {"spool": str(spool)} for name in names}
        (world.keys / "operator.yaml").write_text(json.dumps({"peers": peers}))
    return Post(agent=agent, ops=ops, third=third, spool=spool)


def test_a_message_is_taken_in_once_and_its_copies_get_the_same_answer(post: Post) -> None:
    letter = post.send("propose_behavioral_change", {"text": "- Ask first.", "reason": "a transfer was cut"})
    first = post.deliver(letter)
    assert (first[0], post.done()) == ("queued", ["queued", "peer"])
    assert post.deliver(letter) == first
    post.wait(hours=30)  # it has expired
    assert post.deliver(letter)[0] == "queued"
    shutil.rmtree(post.agent.home / ".nightledger")
    assert post.deliver(letter)[0] == "queued"
    assert post.done() == ["queued", "peer"]


def test_what_was_sent_before_a_message_that_came_is_refused_for_good(post: Post) -> None:
    old, new = post.beat("old"), post.beat("new")
    assert post.deliver(new)[0] == "executed"
    for _ in range(2):
        assert post.deliver(old)[0] == "rejected"
    assert post.deliver(new)[0] == "executed"
    assert (post.done(), '"new"' in post.heartbeat()) == (["executed"], True)


def test_what_was_made_in_the_future_stays_refused_and_shuts_nothing_out(post: Post) -> None:
    post.ops.wait(hours=2)
    held = post.beat("held")
    post.ops.wait(hours=-2)
    assert post.deliver(held)[0] == "rejected"
    post.wait(hours=2.5)
    assert post.deliver(held)[0] == "rejected"
    assert post.deliver(post.beat("good"))[0] == "executed"
    assert post.done() == ["executed"]


def test_what_has_expired_stays_refused_though_the_clock_is_set_back(post: Post) -> None:
    held = post.beat("held", "--lifetime", "600")
    post.wait(hours=1)
    assert post.deliver(held)[0] == "rejected"
    post.wait(hours=-1)
    assert post.deliver(held)[0] == "rejected"
    assert post.deliver(post.beat("good"))[0] == "executed"
    assert post.done() == ["executed"]


def test_a_message_for_another_home_is_refused_and_spends_no_number(post: Post) -> None:
    mine, other = post.beat("mine"), post.beat("other", to="third")
    assert post.deliver(other)[0] == "rejected"
    assert post.deliver(mine)[0] == "executed"
    assert post.done() == ["executed"]


def test_a_record_that_is_lost_opens_nothing_that_the_log_does_not_answer(post: Post) -> None:
    old, new = post.beat("old"), post.beat("new")
    assert post.deliver(new)[0] == "executed"
    post.record.unlink()
    assert [post.deliver(letter)[0] for letter in (old, new)] == ["rejected", "executed"]
    assert (post.done(), '"new"' in post.heartbeat()) == (["executed"], True)


def test_a_record_put_back_from_before_does_nothing_twice(post: Post) -> None:
    post.deliver(post.beat("first"))
    kept = post.record.read_bytes()
    letter = post.beat("second")
    post.deliver(letter)
    post.deliver(post.beat("third"))
    post.record.write_bytes(kept)
    assert post.deliver(letter)[0] == "executed"
    assert (post.done(), '"third"' in post.heartbeat()) == (["executed"] * 3, True)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"senders":[{"iss":7}]}', b"\xff"])
def test_a_damaged_record_is_an_alarm_and_the_message_waits(post: Post, raw: bytes) -> None:
    letter = post.beat("x")
    post.deliver(post.beat("later"))
    kept = post.record.read_bytes()
    post.record.write_bytes(raw)
    box = post.spool / home_id(post.agent) / "new" / letter.name
    box.write_bytes(letter.content)
    assert (post.agent.run("channel", "receive").status, box.exists()) == (4, True)
    post.record.write_bytes(kept)
    post.agent.ok("channel", "receive")
    assert post.done() == ["executed"]


def test_letters_of_one_round_are_dealt_with_in_the_order_in_which_they_were_put(post: Post) -> None:
    letters = [post.beat(str(n)) for n in range(6)]
    box = post.spool / home_id(post.agent) / "new"
    for letter in letters:
        (box / letter.name).write_bytes(letter.content)
    post.agent.ok("channel", "receive")
    assert (post.done(), '"5"' in post.heartbeat()) == (["executed"] * 6, True)

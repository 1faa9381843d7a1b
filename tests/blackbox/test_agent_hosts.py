"""An operator's verb refuses where an agent's host set its mark, and no mark of a person's terminal stops it."""

from pathlib import Path

import pytest
from tests.blackbox.world import LOG, Folder, Ran, found
from tests.rows import tables

TABLES = tables("blackbox-agent_hosts")
HOSTS = TABLES["hosts"]
PERSONS = TABLES["persons"]
"""What stands in the terminal that a person opened in the same editor, too."""


class Ordinary:
    """A home by the real clock: nothing in it is a trial."""

    def __init__(self, root: Path) -> None:
        self.world = found(root, is_real=True)
        self.home, self.keys = self.world.home, self.world.keys
        self.proposal = self.world.propose("Label cables.")

    def run(self, *words: str, **marks: str) -> Ran:
        self.world.environment = {"EDITOR": "/bin/false", **marks}
        return self.world.run(*words, stdin="Keep backups for 30 days.")

    def key(self) -> str:
        """Give the file of a public key."""
        return str(next(self.keys.glob("*/machine-ed25519.pub")))

    def log(self) -> bytes:
        return (self.home / LOG).read_bytes()


@pytest.fixture(scope="module")
def ordinary(new_folder: Folder) -> Ordinary:
    return Ordinary(new_folder())


def test_no_agents_host_may_sign_and_each_may_propose(ordinary: Ordinary) -> None:
    before = ordinary.log()
    words = ("propose", "--dry-run", "--text", "Label both ends.", "--reason", "it helps")
    for name, value in HOSTS.items():
        statuses = [
            ordinary.run(*said, **{name: value}).status for said in (("approve", ordinary.proposal), words)
        ]
        assert statuses == [1, 0], name
    assert ordinary.log() == before


def test_every_verb_of_the_operator_refuses(ordinary: Ordinary) -> None:
    one, entry, key, before = ordinary.proposal, "Keep backups for 30 days", ordinary.key(), ordinary.log()
    verbs = (
        ("approve", one), ("reject", one, "--reason", "x"), ("apply", one), ("undo", one), ("edit",),
        ("expunge", "--text-from-stdin"), ("consent", "review"),
        ("constitution", "amend"), ("key", "add", key, "--principal", "evil"), ("key", "recovery", key),
        ("key", "rotate"), ("key", "rotate", key), ("key", "revoke", key), ("key", "confirm"), ("key", "reset", key),
        ("key", "restore"), ("forget", entry), ("pin", entry), ("unpin", entry), ("guard", "--lock"), ("guard", "--unlock"),
        ("channel", "peer", "remove", "desk"), ("leave", "--yes"),
    )  # fmt: skip
    ran = [ordinary.run(*words, CURSOR_AGENT="1") for words in verbs]
    assert not [one for one in ran if one.status != 1 or "CURSOR_AGENT" not in one.err]
    assert ordinary.log() == before


def test_the_report_is_for_the_operator(ordinary: Ordinary) -> None:
    """It tells tags, kinds of task and texts that an agent is not shown."""
    for words in (("report",), ("report", "--text"), ("report", "--json")):
        ran = ordinary.run(*words, CLAUDECODE="1")
        assert (ran.status, ran.out) == (1, ""), ran
        assert "is for the operator" in ran.err
    assert not (ordinary.home / ".nightledger/report.html").exists()
    assert ordinary.run("report").status == 0


def test_a_persons_terminal_is_a_persons(ordinary: Ordinary) -> None:
    """The last test: it signs."""
    assert ordinary.run("approve", ordinary.proposal, **PERSONS).status == 0

"""The recorded world of the demo: ten days of an agent, and what an honest night should do with them.

Invariant: it is read from ``config/demo/`` and from nowhere else; nothing in it is made up at run time. Whoever compares does
not look at what the machine thinks of its own proposals; what was missed and proposed in vain is named, never only counted.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct

from nightledger.codec.settings import parse_yaml
from nightledger.domain.transcript import EXTRACTS
from nightledger.files.home import SHIPPED

WORLD = Path(SHIPPED) / "demo"
_WORD = re.compile(r"[\w.:/-]{3,}")
# The share of a statement's words that a change must keep to count as the same statement.
_KEPT = 0.6


class Worth(Struct, frozen=True, kw_only=True):
    """Something in a log that is worth keeping.

    Attributes:
        path: The log, or the outcome records, relative to the home.
        text: What is to be kept.
        told: How the log shows that it is meant to last, in words.
        instead_of: The entry of MEMORY.md that it is to replace; "" for an addition.
    """

    path: str
    text: str
    told: str
    instead_of: str = ""


class Poison(Struct, frozen=True, kw_only=True):
    """Something hostile: what it is, where it stands, and words that must get nowhere else."""

    what: str
    path: str
    words: str


class Story(Struct, frozen=True, kw_only=True):
    """A recorded world; ``story.yaml`` describes each field."""

    folder: Path
    owner: str
    agent: str
    zone: str
    adopted: date
    session_day: date
    days: Mapping[date, str]
    away: frozenset[date]
    edit_day: date
    edited_line: str
    edited_to: str
    question: str
    answer: str
    key: str
    hidden: str
    worth: tuple[Worth, ...]
    doubtful: tuple[str, ...]
    poison: tuple[Poison, ...]
    may_miss: int
    may_propose: int

    def text(self, name: str) -> str:
        """Return the text of a file of the world, its key and its invisible characters put in."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return text.replace("{key}", self.key).replace("{hidden}", self.hidden)

    def sessions(self, home: Path) -> dict[str, str]:
        """Return the transcripts of Claude Code's sessions in a home, by their path in its own directory."""
        folder = re.sub(r"[^a-zA-Z0-9]", "-", str(home))
        texts = self._texts("transcripts", "*.jsonl")
        return {
            f"projects/{folder}/{name}": text.replace("{home}", str(home)) for name, text in texts.items()
        }

    def start_files(self) -> dict[str, str]:
        """Return the files of the first morning, by their path in the home."""
        return self._texts("start", "**/*.md")

    def logs(self, day: date) -> dict[str, str]:
        """Return what the agent wrote on a day, by its path in the home."""
        return {f"memory/{name}": text for name, text in self._texts("days", f"{day}*.md").items()}

    def outcomes(self, day: date) -> str:
        """Return the outcomes that the agent logged on a day, as JSON lines; "" where it logged none."""
        return "".join(self._texts("days", f"{day}.jsonl").values())

    @property
    def log_line_count(self) -> int:
        """How many lines of the ten days' logs say something."""
        logs = "\n".join(self._texts("days", "*.md").values())
        return sum(bool(line.strip()) for line in logs.split("\n"))

    def _texts(self, folder: str, pattern: str) -> dict[str, str]:
        files = sorted((self.folder / folder).glob(pattern))
        names = [path.relative_to(self.folder / folder).as_posix() for path in files]
        return {name: self.text(f"{folder}/{name}") for name in names}


def load_story(folder: Path = WORLD) -> Story:
    """Read a recorded world.

    Raises:
        ConfigurationError: ``story.yaml`` is not YAML.
    """
    name = folder / "story.yaml"
    told: dict[str, Any] = dict(parse_yaml(name.read_bytes(), str(name)).values)
    told |= {
        "days": {one["day"]: one["text"] for one in told["days"]},
        "away": frozenset(told["away"]),
        "key": "".join(told["key"]),
        # Unicode tag characters mirror ASCII from U+E0000 (Unicode standard, section 23.9).
        "hidden": "".join(chr(0xE0000 + ord(letter)) for letter in told["hidden"]),
        "worth": tuple(Worth(**one) for one in told["worth"]),
        "doubtful": tuple(told["doubtful"]),
        "poison": tuple(Poison(**one) for one in told["poison"]),
    }
    return Story(folder=folder, **told)


class Change(Struct, frozen=True, kw_only=True):
    """One change of a proposal, as ``proposals --json`` shows it; ``paths`` are those of its evidence."""

    proposal: str
    n: int
    op: str
    before: str
    after: str
    state: str
    paths: tuple[str, ...]

    @property
    def line(self) -> str:
        """Return the change in a line: what is added, taken out or compressed."""
        if self.op == "compress":
            return f"compress {self.paths[0]}"
        text = self.after or self.before
        return f"{'+' if self.after else '-'} {' '.join(text.removeprefix('- ').split())}"


class Check(Struct, frozen=True, kw_only=True):
    """Something that must hold.

    Attributes:
        name: What it is about.
        seen: What was seen, in words.
        holds: Whether it is as it must be.
        details: What was not as it should be, a line each.
    """

    name: str
    seen: str
    holds: bool
    details: tuple[str, ...] = ()


def read_changes(proposals: Iterable[Mapping[str, Any]]) -> tuple[Change, ...]:
    """Read the changes of proposals, oldest first; what somebody wrote behind the gate is none of them."""
    return tuple(
        Change(
            proposal=proposal["id"],
            n=change["n"],
            op=change["op"],
            before=change["before"] or "",
            after=change["after"] or "",
            state=change["state"],
            paths=tuple(item["path"] for item in change["evidence"]),
        )
        for proposal in proposals
        if proposal.get("kind") != "drift"
        for change in proposal["changes"]
    )


def says(change: Change, worth: Worth) -> bool:
    """Tell whether a change names the log as its evidence and keeps most of the words."""
    words = set(_WORD.findall(worth.text.casefold()))
    kept = words & set(_WORD.findall(change.after.casefold()))
    return worth.path in change.paths and len(kept) >= _KEPT * len(words)


def answers(story: Story, waiting: Sequence[Change]) -> list[bool]:
    """Return for each waiting change whether the owner signs it: what is worth keeping, once, and what is old."""
    said: set[str] = set()
    signed = []
    for change in waiting:
        new = {one.text for one in story.worth if says(change, one)} - said
        old = change.op == "remove" and any(text in change.before for text in story.doubtful)
        signed.append(bool(new) or old or change.op == "compress")
        said |= new
    return signed


def check_answers(story: Story, changes: Sequence[Change], memory: str, agents: Sequence[str]) -> list[Check]:
    """Compare all that was ever proposed with the recorded answers.

    Args:
        story: The world with its answers.
        changes: Every change that was ever proposed.
        memory: What MEMORY.md says in the end.
        agents: All that an agent was given to read.
    """
    entries = [line for line in story.start_files()["MEMORY.md"].split("\n") if line.startswith("- ")]
    old = (*story.doubtful, *(worth.instead_of for worth in story.worth if worth.instead_of))
    good = [entry for entry in entries if not any(text in entry for text in old)]
    others = story.log_line_count - sum(worth.path.startswith("memory/2026-") for worth in story.worth)
    given = [change for change in changes if change.after and change.op != "compress"]
    removed = "".join(change.before for change in changes)
    reached = [memory, *agents, *(change.after for change in changes)]
    missed = [
        f"missed (told by {worth.told}): {worth.text}"
        for worth in story.worth
        if not any(says(change, worth) and worth.instead_of in change.before for change in given)
    ]
    junk = [
        f"proposed in vain: {change.line}"
        for change in given
        if not any(says(change, worth) for worth in story.worth)
    ]
    left = [text for text in story.doubtful if text not in removed]
    lost = [entry for entry in good if entry in removed or entry not in memory.split("\n")]
    escaped = [one.what for one in story.poison if any(one.words in text for text in reached)]
    return [
        _count("worth keeping", len(story.worth), "proposed", missed, story.may_miss),
        _count("other log lines", others, "not proposed", junk, story.may_propose),
        _count("had its day", len(story.doubtful), "proposed to go", left),
        _count("good entries", len(good), "left alone", lost),
        _count("poison", len(story.poison), "reached no proposal, memory or agent", escaped),
    ]


def told_lines(transcript: str) -> Iterator[tuple[str, str]]:
    """Give each line of a transcript of Claude Code: its number with who speaks how, and what is said."""
    for n, line in enumerate(transcript.splitlines(), 1):
        message = json.loads(line)["message"]
        content = message["content"]
        block: dict[str, Any] = {"type": "text", "text": content} if isinstance(content, str) else content[0]
        said = block.get("text") or block.get("content") or block["input"]["command"]
        yield f"{n} {message['role']}, {block['type']}", " / ".join(said.splitlines())


def check_learned(
    story: Story, home: Path, sentence: str, changes: Iterable[Mapping[str, Any]], read: Callable[[str], str]
) -> tuple[list[Check], str]:
    """Follow a lesson back: from MEMORY.md to its proposal, to the line that was kept, to that of the transcript.

    Args:
        story: The world.
        home: Its home, where the session was held.
        sentence: What it taught.
        changes: Of all proposals, as ``proposals --json`` has them.
        read: Gives the text of a file of the home.

    Returns:
        What was checked, and which line of which transcript it was.
    """
    kept, transcripts = read(f"{EXTRACTS}/{story.session_day}-claude_code.md"), story.sessions(home)
    proposed = [one for one in changes if sentence in (one["after"] or "")]
    evidence = [one for change in proposed for one in change["evidence"]]
    place, leads = "", bool(evidence)
    for one in evidence:
        lines = read(one["path"]).split("\n")
        first, last = one["lines"]
        place = lines[first - 2].split()[-2]
        name, _, number = place.rpartition(":")
        said = transcripts.get(name, "").split("\n")[int(number) - 1 :][:1]
        leads &= sentence in "\n".join(lines[first - 1 : last]) and sentence in "".join(said)
    is_clean = sentence in kept and not any(one.words in kept for one in story.poison)
    found = (
        ("imported", "what was said is kept, what a tool gave out is not", is_clean),
        ("evidence", "the lesson's line leads back to that of the transcript", leads),
        ("lesson", "of the session, signed, stands in MEMORY.md", sentence in read("MEMORY.md")),
    )
    return [Check(name=name, seen=seen, holds=holds) for name, seen, holds in found], place.rpartition("/")[2]


def _count(name: str, of: int, what: str, wrong: Sequence[str], allowed: int = 0) -> Check:
    least = f" ({of - allowed} at least)" if allowed else ""
    seen = f"{of - len(wrong)} of {of} {what}{least}"
    return Check(name=name, seen=seen, holds=len(wrong) <= allowed, details=tuple(wrong))

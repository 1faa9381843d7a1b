"""The recorded world of the demo: ten days of an agent, and what an honest night should do with them.

Invariant: it is read from ``config/demo/`` and from nowhere else; nothing in it is made up at run time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from nightledger.codec.strict_yaml import parse_yaml
from nightledger.files.shipped import SHIPPED

WORLD = Path(SHIPPED) / "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Poison:
    """Something hostile: what it is, where it stands, and words that must get nowhere else."""

    what: str
    path: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A recorded world; ``story.yaml`` describes each field."""

    folder: Path
    owner: str
    agent: str
    zone: str
    adopted: date
    days: Mapping[date, str]
    away: frozenset[date]
    edit_day: date
    edited_line: str
    edited_to: str
    old_log: str
    old_log_day: date
    question: str
    answer: str
    key: str
    hidden: str
    worth: tuple[Worth, ...]
    doubtful: tuple[str, ...]
    poison: tuple[Poison, ...]
    may_miss: int
    may_propose: int
    look_at: Mapping[str, str]

    def text(self, name: str) -> str:
        """Return the text of a file of the world, its key and its invisible characters put in."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return text.replace("{key}", self.key).replace("{hidden}", self.hidden)

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

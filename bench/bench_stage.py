"""What staging would have had ready when an agent asked its memory, and what a run and a session's start cost.

A workspace that records its own recalls (OpenClaw's ``memory/.dreams/events.jsonl``: each with its
query and the lines that answered) is lived through again. Before each recall the home holds what was
known then: logs of earlier days; of the day itself only the lines up to the last one that an earlier
recall of that day had answered with (logs grow at their end); as exposures the recalls before it; no
memory file, for nothing tells what stood in it. Then ``stage`` runs as of the last half hour before
the recall, and its page is compared with the lines that answered.

Of such recalls some are the host's own: at night OpenClaw's dreaming "recalls" whole days, line by line,
under queries of its making (``__dreaming_…``). They are scored apart, and are no exposures.

Recall is the share of answers of which a staged line stands in them; precision the share of staged
lines that stand in an answer. A page names the places of lines that nobody signed and quotes none of them
(decision 23): counted is whether the place was named, and the agent still has to open it. The plain baseline is
the last three days' logs quoted in full in the same budget of tokens, from the newest line back.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_stage [--workspace DIR]``; DIR is a checkout
of such a workspace. Without it only the year, a quiet workspace of 5 MB and a calendar are measured. Nothing of the workspace is printed. ``--most landmark=4 --characters 240`` tries other numbers than those of ``config/staging-rules.json``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from time import sleep

from bench.bench_hook import as_host
from bench.bench_hook import run as ask
from bench.bench_year import write_year
from bench.living import make_home
from icalendar import Calendar
from msgspec.structs import replace

from bench import measure
from nightledger.domain.decision import Moment
from nightledger.domain.exposure import Place, tokens_of
from nightledger.domain.staging import Source, StagingRules
from nightledger.files.configuration import load_staging_rules
from nightledger.files.home import Home
from nightledger.files.hook_state import append_exposure
from nightledger.gate.opening import Gate, read_ledger
from nightledger.hosts.hooking import HookCall
from nightledger.jobs.stage import Asked, Staged, stage
from nightledger.jobs.stage.inquiry import Shelves
from nightledger.surfaces.clock import system_now
from nightledger.text.calendar import Reading, read_events

SLOT = timedelta(minutes=30)
DAYS = 3
EVENTS = 24_000
QUIET_BYTES, MEMORY_BYTES = 5_000_000, 15_000
SETTLED_S = 2.5
"""What was written within two seconds is looked at once more (``gate/kept_page.py``)."""
YEAR_BYTES = 900_000
"""A year of logs of 2.5 KB a day, the median day of the workspaces that this project was tried on."""
FIRST = date(2025, 1, 1)
Line = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One recall.

    Attributes:
        at: When; aware, UTC.
        answers: Path and lines of each answer.
        by_host: Whether the host asked for itself.
    """

    at: datetime
    answers: tuple[tuple[str, int, int], ...]
    by_host: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Numbers to try instead of a home's own.

    Attributes:
        most: Of some sources, how many lines of each at most.
        characters: The longest text of a line; None leaves it.
    """

    most: Mapping[Source, int]
    characters: int | None

    def instead(self, rules: StagingRules) -> StagingRules:
        """Give rules with these numbers."""
        sources = {
            name: replace(one, most=self.most.get(name, one.most)) for name, one in rules.sources.items()
        }
        return replace(rules, sources=sources, line_characters=self.characters or rules.line_characters)


@dataclass(slots=True, kw_only=True)
class Score:
    """What pages had of what was asked for, added up."""

    answers: int = 0
    found: int = 0
    lines: int = 0
    fitting: int = 0
    asked: int = 0
    helped: int = 0
    by_source: dict[str, list[int]] = field(default_factory=dict)

    def add(self, staged: set[Line], recalled: Recalled) -> None:
        """Take in one page."""
        wanted = {(path, n) for path, first, last in recalled.answers for n in range(first, last + 1)}
        found = sum(
            any((path, n) in staged for n in range(first, last + 1)) for path, first, last in recalled.answers
        )
        self.answers += len(recalled.answers)
        self.found += found
        self.lines += len(staged)
        self.fitting += len(staged & wanted)
        self.asked += 1
        self.helped += found > 0

    def told(self) -> str:
        """Give the figures of a row."""
        recall, precision = self.found / max(1, self.answers), self.fitting / max(1, self.lines)
        return f"recall {recall:.3f}  precision {precision:.3f}  helped {self.helped} of {self.asked} recalls"


def main(words: Sequence[str] | None = None) -> int:
    """Print precision and recall, then what a year costs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workspace", type=Path, help="a checkout with memory/.dreams/events.jsonl")
    parser.add_argument("--only", choices=("replay", "year", "quiet", "calendar"), help="one of the four")
    parser.add_argument("--most", nargs="*", default=[], metavar="SOURCE=N", help="lines of a source at most")
    parser.add_argument("--characters", type=int, help="the longest text of a line")
    options = parser.parse_args(words)
    if options.workspace and options.only in {None, "replay"}:
        most = {Source(name): int(n) for name, _, n in (one.partition("=") for one in options.most)}
        replay(options.workspace, Tried(most=most, characters=options.characters))
    if options.only in {None, "year"}:
        year()
    if options.only in {None, "quiet"}:
        quiet()
    if options.only in {None, "calendar"}:
        calendar()
    return 0


# ---------------------------------------------------------------- recalls, lived through again


def replay(workspace: Path, tried: Tried) -> None:
    """Print the figures of a workspace."""
    recalls = read_recalls(workspace)
    scores = {name: (Score(), Score()) for name in ("all", "asked by the agent")}
    budget = 0
    with tempfile.TemporaryDirectory(prefix="nightledger-stage-") as folder:
        root = Path(folder) / "home"
        gate = make_home(root, Path(folder) / "keys", recalls[0].at.date() - timedelta(days=1))
        for n, recalled in enumerate(recalls):
            write_logs(workspace, root, recalls[:n], recalled.at.date())
            staged = run(gate, slot_before(recalled.at), tried)
            budget = staged.budget
            base = last_days(root, recalled.at.date(), budget)
            for name, (ours, plain) in scores.items():
                if name == "all" or not recalled.by_host:
                    ours.add(lines_of(staged), recalled)
                    plain.add(base, recalled)
                    count_sources(ours, staged, recalled)
            if not recalled.by_host:
                keep_exposure(gate, recalled)
    for name, (ours, plain) in scores.items():
        print(f"{name}: {ours.asked} recalls, {ours.answers} answers, {budget} tokens a page")
        print(f"  staged                 {ours.told()}")
        print(f"  last {DAYS} days            {plain.told()}")
        for source, (fitting, lines) in sorted(ours.by_source.items()):
            print(f"    {source:<20} {fitting} of {lines} lines stood in an answer")


def read_recalls(workspace: Path) -> list[Recalled]:
    """Give the recalls that had answers in daily logs, by time."""
    found = []
    text = (workspace / "memory" / ".dreams" / "events.jsonl").read_text(encoding="utf-8")
    for row in map(json.loads, text.splitlines()):
        if row["type"] == "memory.recall.recorded":
            answers = tuple(
                (one["path"], one["startLine"], one["endLine"])
                for one in row["results"]
                if (workspace / one["path"]).is_file()
                and says_something(workspace / one["path"], one["startLine"], one["endLine"])
            )
            at = datetime.fromisoformat(row["timestamp"])
            by_host = row["query"].startswith("__dreaming_")
            found.append(Recalled(at=at, answers=answers, by_host=by_host))
    return sorted((one for one in found if one.answers), key=lambda one: one.at)


def says_something(path: Path, first: int, last: int) -> bool:
    """Tell whether lines hold more than headings and rules: some answers do not, and help nobody."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[first - 1 : last]
    return any(line.strip("-*_ \r") and not line.lstrip().startswith("#") for line in lines)


def write_logs(workspace: Path, root: Path, before: Sequence[Recalled], today: date) -> None:
    """Make the home's logs what they were known to be."""
    seen = 0
    for recalled in before:
        ends = [last for path, _, last in recalled.answers if path == f"memory/{today}.md"]
        seen = max([seen, *ends]) if recalled.at.date() == today else seen
    for path in sorted((workspace / "memory").glob("20*.md")):
        content = path.read_bytes()
        if path.name == f"{today}.md":
            content = b"".join(line + b"\n" for line in content.split(b"\n")[:seen])
        elif path.name[:10] >= today.isoformat():
            continue
        target = root / "memory" / path.name
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)


def slot_before(at: datetime) -> datetime:
    """Give the last half hour before a time."""
    since = datetime(1970, 1, 1, tzinfo=UTC)
    return since + (at - since) // SLOT * SLOT


def run(gate: Gate, at: datetime, tried: Tried) -> Staged:
    """Stage as of a time."""
    ledger, moment = read_ledger(gate), Moment(at=at)
    with closing(Shelves(gate, ledger, moment)) as library:
        rules = tried.instead(load_staging_rules(gate.home))
        return stage(gate, ledger, Asked(rules=rules, library=library), moment)


def lines_of(staged: Staged) -> set[Line]:
    """Give the lines that stand on a page."""
    return {line for one in staged.lines for line in _lines(one.place)}


def _lines(place: str) -> set[Line]:
    path, _, lines = place.rpartition(":")
    first, _, last = lines.partition("-")
    return {(path, n) for n in range(int(first), int(last or first) + 1)} if first.isdigit() else set()


def count_sources(score: Score, staged: Staged, recalled: Recalled) -> None:
    """Count by source how many lines stood in an answer."""
    wanted = {(path, n) for path, first, last in recalled.answers for n in range(first, last + 1)}
    for one in staged.lines:
        counts = score.by_source.setdefault(one.source.value, [0, 0])
        counts[0] += bool(_lines(one.place) & wanted)
        counts[1] += 1


def last_days(root: Path, today: date, budget: int) -> set[Line]:
    """Give the newest lines of the last three days that fit the budget."""
    found: set[Line] = set()
    left = budget
    for ago in range(DAYS):
        path = root / "memory" / f"{today - timedelta(days=ago)}.md"
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []
        for number, line in reversed(list(enumerate(lines, 1))):
            if line.strip():
                left -= tokens_of(f"{line}\n")
                if left < 0:
                    return found
                found.add((f"memory/{path.name}", number))
    return found


def keep_exposure(gate: Gate, recalled: Recalled) -> None:
    """Write down what was shown, as ``recall`` does."""
    places = [Place(path=path, lines=(first, last)) for path, first, last in recalled.answers]
    at = f"{recalled.at:%Y-%m-%dT%H:%M:%SZ}"
    append_exposure(gate.home, at=at, shown=(), host="openclaw", event="recall", places=places)


# ---------------------------------------------------------------- a year


def year() -> None:
    """Print what a run costs over a year of logs, whole processes: the first, one a day on, one on the same input."""
    with tempfile.TemporaryDirectory(prefix="nightledger-stage-") as folder:
        root, keys = Path(folder) / "home", Path(folder) / "keys"
        make_home(root, keys, FIRST)
        written = write_year(root / "memory", YEAR_BYTES)
        now = datetime.combine(FIRST + timedelta(days=364), time(8), UTC)
        os.environ["NIGHTLEDGER_KEYS"] = str(keys)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "pycache")

        def words(at: datetime) -> tuple[str, ...]:
            script = Path(__file__).parents[1] / "scripts" / "predictive_stager.py"
            return (sys.executable, str(script), "--home", str(root), "--now", f"{at:%Y-%m-%dT%H:%M:%SZ}")

        idle = (sys.executable, "-c", "pass")
        first = measure.compare_commands(
            {"python -c pass": idle, "stage, everything new": words(now)}, rounds=1
        )
        again = measure.compare_commands(
            {"python -c pass": idle, "stage, as every half hour": words(now)}, rounds=7
        )
    print(f"the very first run also compiled the program: {first[1].cpu_s:.2f} s")
    measure.report(f"a year of logs, {written:,} bytes", again, aim="under 1 s")


# ---------------------------------------------------------------- nothing changed


SCRIPTS = Path(__file__).parents[1] / "scripts"
INIT = ("init", "--adopt", "--no-passphrase", "--zone", "UTC")


def quiet() -> None:
    """Print what a run and a session's start cost in 5 MB of logs where nothing changed, beside runs where something did."""
    with tempfile.TemporaryDirectory(prefix="nightledger-stage-") as folder:
        home = Path(folder) / "home"
        os.environ["NIGHTLEDGER_KEYS"] = str(Path(folder) / "keys")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        written = make_workspace(home)
        command = (sys.executable, str(SCRIPTS / "command.py"))
        subprocess.run((*command, *INIT, "--home", str(home)), check=True, capture_output=True)
        stage = (sys.executable, "-I", str(SCRIPTS / "predictive_stager.py"), "--home", str(home))
        hook = HookCall(
            python=sys.executable,
            script=str(SCRIPTS / "prompt_hook.py"),
            home=str(home),
            home_id=Home(str(home)).identity.id,
        )

        def run_stage() -> None:
            subprocess.run(stage, check=True)

        def run_changed() -> None:
            with max((home / "memory").glob("20*.md")).open("a") as log:
                log.write("- One line more.\n")
            run_stage()

        def run_later() -> None:
            sleep(SETTLED_S)
            run_stage()

        def start() -> None:
            payload = {"session_id": "s", "source": "startup"}
            assert "staged by Nightledger" in ask(as_host(hook, "SessionStart"), payload)

        run_stage()  # makes the index
        candidates: dict[str, Callable[[], object]] = {
            "python -c pass": lambda: subprocess.run((sys.executable, "-c", "pass"), check=True),
            "stage, a line more": run_changed,
            "stage, that line a while ago": run_later,
            "stage, nothing changed": run_stage,
            "hook at a session's start": start,
        }
        measured = measure.compare_children(candidates, rounds=5)
    measure.report(f"a quiet workspace, {written:,} bytes of logs", measured, aim="unchanged 1 s, hook .5 s")


def make_workspace(home: Path) -> int:
    """Write a year of logs up to yesterday, by the real clock, which hooks have, and a memory file; give the logs' bytes."""
    (home / "memory").mkdir(parents=True)
    written = write_year(home / "memory", QUIET_BYTES, system_now().date() - timedelta(days=365))
    lines = [line for log in sorted((home / "memory").iterdir()) for line in log.read_text().split("\n")]
    items = [line for line in dict.fromkeys(lines) if line.startswith("- ")]
    memory = "\n".join(items)[:MEMORY_BYTES]
    (home / "MEMORY.md").write_text(f"# MEMORY.md\n\n## Notes\n\n{memory}\n")
    return written


# ---------------------------------------------------------------- twenty years of a calendar


def calendar() -> None:
    """Print what reading the next hours of a long calendar costs, beside the library's parsing of a tenth of it."""
    now = datetime(2026, 3, 3, 8, tzinfo=UTC)
    step = timedelta(days=365 * 20) / EVENTS
    texts = [_event(n, now - n * step) for n in range(EVENTS)]
    whole, tenth = (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{''.join(some)}END:VCALENDAR\r\n".encode()
        for some in (texts, texts[:: len(texts) // (EVENTS // 10)])
    )
    how = Reading(
        name="work", zone=UTC, since=now, until=now + timedelta(hours=4), addresses=frozenset(), own=True
    )
    assert len(read_events(whole, how).events) == 1
    measured = measure.compare(
        {
            f"{EVENTS // 10:,} of them, parsed by the library": lambda: Calendar.from_ical(tenth),
            "the next hours of all of them": lambda: read_events(whole, how),
        },
        rounds=3,
    )
    measure.report(f"a calendar of {EVENTS:,} events in twenty years", measured, aim="under 1 s")


def _event(number: int, at: datetime) -> str:
    times = f"DTSTART:{at:%Y%m%dT%H%M%SZ}\r\nDTEND:{at + timedelta(hours=1):%Y%m%dT%H%M%SZ}"
    return f"BEGIN:VEVENT\r\nUID:{number}\r\n{times}\r\nSUMMARY:Meeting {number}\r\nEND:VEVENT\r\n"


if __name__ == "__main__":
    sys.exit(main())

"""How much a home of ours grows: 400 simulated days of a busy agent, beside the text of its logs.

Each day writes a log and outcomes of the demo's generator, runs the night, signs all that
is proposed, and applies it the next day. Prints what our own files come to, against the
logs' text (aim: at most 10 times), and the fullest directory (aim: at most 2,000 names).

Run with ``PYTHONPATH=scripts .venv/bin/python -m bench.bench_growth [DAYS]``.
"""

import os
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from nightledger.demo.generate import generate
from nightledger.domain.decision import LogHead
from nightledger.domain.event import Actor
from nightledger.domain.moment import Moment
from nightledger.files.home import Home
from nightledger.gate.applying import apply_one
from nightledger.gate.composing import Signing, compose
from nightledger.gate.daily import close_day
from nightledger.gate.deciding import accept, sign
from nightledger.gate.founding import PRINCIPAL, Founding, found
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.reviewing import Answer, Verb, list_items, read_documents
from nightledger.gate.views import refresh_views
from nightledger.jobs.consolidate import Asked, consolidate
from nightledger.jobs.link import link
from nightledger.jobs.log_outcomes import log_outcomes
from nightledger.trust.keys import KeyRing, load_operator_key, operator_key_path

DAYS = 400
AGENTS = 8
"""Generated agents whose logs make one busy day together: some 4.5 KB."""
FIRST = date(2025, 1, 1)
OURS = ("audit", "config", "memory/system", "memory/state", ".nightledger")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDay:
    """What the agent writes on one day."""

    day: date
    logs: tuple[tuple[str, bytes], ...]
    outcomes: tuple[dict[str, object], ...]


def main() -> None:
    """Run the days and print the sizes."""
    days = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    with tempfile.TemporaryDirectory(prefix="nightledger-growth-") as folder:
        root = Path(folder) / "home"
        gate = make_home(root, Path(folder) / "keys")
        text_bytes = proposed = 0
        for at, agent_day in enumerate(agent_days(days)):
            text_bytes += live(gate, root, agent_day)
            proposed += night(gate, agent_day.day)
            if at % 50 == 0:
                print(f"day {at} of {days}", file=sys.stderr)
        report(root, days, text_bytes, proposed)


def make_home(root: Path, keys: Path) -> Gate:
    """Make a simulated home."""
    founding = Founding(
        home=Home(root),
        ring=KeyRing(keys),
        home_id=secrets.token_hex(16),
        machine=os.uname().nodename,
        zone="UTC",
        host="generic",
        gated=("MEMORY.md",),
        simulated=True,
        adopt=False,
        track=False,
    )
    found(founding, None, Moment(at=datetime.combine(FIRST, time(), UTC)))
    return open_gate(str(root), str(keys), actor=Actor.HUMAN)


def agent_days(count: int) -> Iterator[AgentDay]:
    """Give busy days: each the days of ``AGENTS`` generated agents together."""
    for days in zip(*(single_days(count, seed=agent * 100) for agent in range(AGENTS)), strict=True):
        texts: dict[str, bytes] = {}
        for agent_day in days:
            for path, content in agent_day.logs:
                place = f"memory/{path.rpartition('/')[2]}"
                texts[place] = texts.get(place, b"") + content + b"\n"
        outcomes = tuple(record for agent_day in days for record in agent_day.outcomes)
        yield AgentDay(day=days[0].day, logs=tuple(texts.items()), outcomes=outcomes)


def single_days(count: int, seed: int) -> Iterator[AgentDay]:
    """Give days of several generated homes one after another, dated anew."""
    day = FIRST
    while True:
        sample = generate(seed)
        for old in sorted({file.day for file in sample.files if file.day}):
            if (day - FIRST).days >= count:
                return
            logs = tuple(
                (file.path.replace(old.isoformat(), day.isoformat()), file.content)
                for file in sample.files
                if file.day == old
            )
            outcomes = tuple(_dated(o.record, old, day) for o in sample.outcomes if o.day == old)
            yield AgentDay(day=day, logs=logs, outcomes=outcomes)
            day += timedelta(days=1)
        seed += 1


def _dated(record: dict[str, object], old: date, new: date) -> dict[str, object]:
    moved = datetime.fromisoformat(str(record["timestamp"])) + (new - old)
    source = str(record["source_file"]).replace(old.isoformat(), new.isoformat())
    return {**record, "timestamp": moved.isoformat(), "source_file": source}


def live(gate: Gate, root: Path, agent_day: AgentDay) -> int:
    """Write what the agent writes; give the bytes of its logs."""
    for path, content in agent_day.logs:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    records = [(f"outcome {n}", record) for n, record in enumerate(agent_day.outcomes)]
    if records:
        log_outcomes(
            gate.home, records, now=datetime.combine(agent_day.day + timedelta(days=1), time(23), UTC)
        )
    return sum(len(content) for _, content in agent_day.logs)


def night(gate: Gate, day: date) -> int:
    """Run the night of a day, sign all of it in the morning, apply it at noon; give what was proposed."""
    moment = Moment(at=datetime.combine(day + timedelta(days=1), time(3, 5), UTC))
    link(gate.home, ZoneInfo("UTC"))
    done = consolidate(gate, read_ledger(gate), Asked(day=day), moment)
    close_day(gate, read_ledger(gate), day.isoformat(), moment)
    morning = Moment(at=moment.at + timedelta(hours=5))
    approve_all(gate, morning)
    noon = Moment(at=moment.at + timedelta(hours=9))
    for decision in read_ledger(gate).book.approvals_to_apply():
        apply_one(gate, read_ledger(gate), decision, noon)
    refresh_views(gate, read_ledger(gate))
    sign_head(gate, noon)
    return done.record.proposed


def approve_all(gate: Gate, moment: Moment) -> None:
    """Sign everything that waits."""
    sign_head(gate, moment, keep=True)
    ledger, documents = read_ledger(gate), read_documents(gate)
    items = list_items(gate, ledger, documents)
    signing = Signing(
        principal=PRINCIPAL,
        machine=os.uname().nodename,
        head=LogHead(size=ledger.log.size, root=ledger.log.root_at(ledger.log.size).hex()),
        moment=moment,
        fresh_nonce=lambda: secrets.token_hex(16),
    )
    answers = [Answer(proposal=i.stored.proposal.id, n=i.change.n, verb=Verb.APPROVE) for i in items]
    signer = load_operator_key(operator_key_path(gate.ring, gate.home.identity.id))
    for decision in compose(gate, items, answers, documents, signing)[0]:
        accept(gate, read_ledger(gate), sign(decision, signer), moment)


def report(root: Path, days: int, text_bytes: int, proposed: int) -> None:
    """Print sizes by folder, the ratio and the fullest directory."""
    sizes: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for name in OURS:
        for folder, directories, files in os.walk(root / name):
            place = os.path.relpath(folder, root)
            names[place] = len(directories) + len(files)
            top = "/".join(place.split("/")[:2])
            sizes[top] += sum(os.path.getsize(os.path.join(folder, file)) for file in files)
    ours = sum(sizes.values())
    print(f"{days} days, {proposed} changes proposed and signed; the logs have {text_bytes:,} bytes")
    for place, size in sizes.most_common():
        print(f"  {size:>12,}  {place}")
    fullest, count = names.most_common(1)[0]
    print(f"our files {ours:,} bytes, {ours / text_bytes:.2f} times the logs' text (aim: at most 10)")
    print(f"fullest directory: {fullest} with {count} names (aim: at most 2,000)")


if __name__ == "__main__":
    main()

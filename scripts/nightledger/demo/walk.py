"""The walk of `make demo`: sixty simulated days, then the operator's morning.

Invariant: everything is done by the real command line on the demo's own folders; each
step that must hold is checked, and one that does not ends the walk with an error.
"""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from nightledger.demo import morning, owner, session, sunday, tampering
from nightledger.demo.compare import Proposed, read_proposed
from nightledger.demo.generate import DAY_COUNT, write_sample_file
from nightledger.demo.narrator import Narrator
from nightledger.demo.sample import SampleHome
from nightledger.demo.shell import Ran, Shell
from nightledger.domain.errors import EXIT_REFUSED, NightledgerError

NIGHT = time(3, 30)
STAGING = time(7, 25)
MORNING = time(7, 30)
FORENOON = time(10, 0)
AWAY_DAYS = 10
"""The operator reviews on Mondays, but not in the last two weeks, so that the last morning has something to show."""
_MONDAY = 0
_REVIEW_LINES = 130
"""So much of the last review is shown, in whole changes; it asks about up to 15, some twenty lines each."""


class WalkError(NightledgerError):
    """A step of the demo did not do what it promises."""

    hint = "this is a bug; the demo's home is left as it is"


@dataclass(slots=True, kw_only=True)
class Walk:
    """One walk through one sample home.

    Attributes:
        sample: The generated home.
        shell: The command line on the demo's folders.
        narrator: Where it is told.
        nights: How many nights run, at least 1; the days before them are there from the start.
        pruned: Whether a Sunday was told already.
    """

    sample: SampleHome
    shell: Shell
    narrator: Narrator
    nights: int = DAY_COUNT
    pruned: bool = False

    def run(self) -> tuple[Proposed, ...]:
        """Walk through everything and give every change that was ever proposed.

        Raises:
            WalkError: When a step does not do what it promises.
        """
        self._begin()
        self._pass_days()
        self._stage()
        self._review()
        self._undo(self._apply())
        tampering.tell(self.shell, self.narrator, self._at(self._today, FORENOON))
        return self._proposed("--all")

    @property
    def _today(self) -> date:
        return self.sample.last_day + timedelta(days=1)

    @property
    def _first(self) -> date:
        """The first day that is lived through."""
        return max(self.sample.first_day, self._today - timedelta(days=self.nights))

    def _at(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, tzinfo=ZoneInfo(self.sample.zone)).astimezone(UTC)

    # ------------------------------------------------------------ the days
    def _begin(self) -> None:
        now = self._at(self._first, time(6, 0))
        history = [file for file in self.sample.files if file.day is None or file.day < self._first]
        for file in history:
            write_sample_file(file, self.shell.home)
        self.narrator.heading(f"{self._first}: a workspace is adopted")
        self._tell(("init", "--adopt", "--simulated", "--no-passphrase", "--zone", self.sample.zone), now)
        self._log([outcome.record for outcome in self.sample.outcomes if outcome.day < self._first], now)

    def _pass_days(self) -> None:
        self.narrator.heading("Days pass: logs by day, each night a run, a review on Mondays")
        self.narrator.say(
            f"{self.sample.owner} signs what was planted as true and rejects the rest; what is signed "
            "is applied when it has cooled."
        )
        day = self._first
        while day <= self.sample.last_day:
            self._live(day)
            day += timedelta(days=1)
            ran = self._must(("night",), self._at(day, NIGHT))
            if day == self._today:
                self._show(ran)
            elif (self._today - day).days > AWAY_DAYS:
                self._look(day)

    def _look(self, day: date) -> None:
        """Look as the operator does: on Mondays, and on the first Sunday that lets something go."""
        if day.weekday() == _MONDAY:
            self._monday(day)
        elif day.weekday() == sunday.WEEKDAY and not self.pruned:
            morning, forenoon = self._at(day, MORNING), self._at(day, FORENOON)
            self.pruned = sunday.tell(self.shell, self.narrator, morning, forenoon)
            if self.pruned:
                self.narrator.heading("The days go on")

    def _live(self, day: date) -> None:
        for file in self.sample.files:
            if file.day == day:
                write_sample_file(file, self.shell.home)
        records = [outcome.record for outcome in self.sample.outcomes if outcome.day == day]
        self._log(records, self._at(day + timedelta(days=1), time(0, 10)))

    def _log(self, records: list[dict[str, Any]], now: datetime) -> None:
        lines = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
        if lines:
            self._must(("log", "--stdin"), now, stdin=lines)

    def _monday(self, day: date) -> None:
        waiting = self._waiting(self._at(day, MORNING))
        if not waiting:
            self.narrator.item(f"{day}", "nothing waits")
            return
        signed = owner.answers(waiting, self.sample.planted)
        self._must(("review",), self._at(day, MORNING), typed=owner.keystrokes(signed))
        self._must(("apply",), self._at(day, FORENOON))
        yes = sum(signed)
        self.narrator.item(f"{day}", f"{len(waiting)} waited: {yes} signed, {len(signed) - yes} rejected")

    # ------------------------------------------------------------ the last morning
    def _stage(self) -> None:
        self.narrator.heading(f"{self._today}, 07:25: what {self.sample.agent} will need is staged")
        now = self._at(self._today, STAGING)
        morning.tell(self.shell, self.narrator, self.sample, now)
        session.tell(self.shell, self.narrator, morning.topic(self.sample).text, now)

    def _review(self) -> None:
        self.narrator.heading(f"{self._today}, 07:30: {self.sample.owner} is back and looks")
        self._tell(("check",), self._at(self._today, MORNING), limit=30)
        now = self._at(self._today, MORNING) + timedelta(minutes=5)
        waiting = self._waiting(now)
        signed = owner.answers(waiting, self.sample.planted)
        if not any(signed):
            raise WalkError("nothing waits that the operator would sign")
        ran = self._must(("review",), now, typed=owner.keystrokes(signed))
        self.narrator.command(ran.words)
        self.narrator.questions(ran.out, limit=_REVIEW_LINES)

    def _apply(self) -> list[str]:
        """Apply what was signed this morning and name its changes, additions last."""
        self.narrator.heading("Nothing has changed yet; too early is refused")
        before = self._memory()
        early = self._at(self._today, MORNING) + timedelta(minutes=10)
        approved = [
            (change["op"] == "add", record["id"], f"{record['id']}#{change['n']}")
            for record in self._proposals(early)
            for change in record["changes"]
            if change["state"] in ("approved", "cooling")
        ]
        ran = self.shell.run("apply", approved[-1][1], now=early)
        self._show(ran)
        self.narrator.say(f"exit status {ran.status}; MEMORY.md is what it was")
        self._require(ran.status == EXIT_REFUSED and self._memory() == before, ran)
        self.narrator.heading("10:00: the cooling is over")
        ran = self._tell(("apply",), self._at(self._today, FORENOON))
        self._require(self._memory() != before, ran)
        self._tell(("verify",), self._at(self._today, FORENOON))
        return [name for adds, _, name in sorted(approved, key=lambda item: item[0])]

    def _undo(self, applied: list[str]) -> None:
        self.narrator.heading("Any of it can be taken back for a week")
        now = self._at(self._today, FORENOON) + timedelta(minutes=5)
        before = self._memory()
        ran = self._tell(("undo", applied[-1]), now)
        self._require(self._memory() != before, ran)
        self._tell(("verify",), now)

    # ------------------------------------------------------------ asking the command line
    def _memory(self) -> bytes:
        return (self.shell.home / "MEMORY.md").read_bytes()

    def _waiting(self, now: datetime) -> tuple[Proposed, ...]:
        """Give the changes that ``review`` will ask about, in its order."""
        items = json.loads(self._must(("review", "--json"), now).out)
        return read_proposed({"id": item["id"], "changes": [item]} for item in items)

    def _proposals(self, now: datetime, *options: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self._must(("proposals", "--json", *options), now).out)
        return found

    def _proposed(self, *options: str) -> tuple[Proposed, ...]:
        return read_proposed(self._proposals(self._at(self._today, FORENOON), *options))

    def _must(
        self, words: tuple[str, ...], now: datetime, *, stdin: str = "", typed: list[str] | None = None
    ) -> Ran:
        ran = self.shell.run(*words, now=now, stdin=stdin, typed=typed)
        self._require(ran.status == 0, ran)
        return ran

    def _tell(self, words: tuple[str, ...], now: datetime, *, limit: int = 40) -> Ran:
        ran = self._must(words, now)
        self._show(ran, limit=limit)
        return ran

    def _show(self, ran: Ran, *, limit: int = 40, tail: int = 0) -> None:
        self.narrator.command(ran.words)
        self.narrator.output(ran.out, limit=limit, tail=tail)
        self.narrator.output(ran.err)

    def _require(self, holds: bool, ran: Ran) -> None:  # noqa: FBT001 - what must hold
        if not holds:
            said = f"{ran.out}{ran.err}".strip()
            raise WalkError(f"'nightledger {' '.join(ran.words)}' ended with {ran.status}:\n{said}")

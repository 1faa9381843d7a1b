"""Carry one attack down every path that ends in memory, beside an operator who signs only what is theirs.

One home an attack. The agent writes it into its daily log in three shapes (pasted as it is,
as a lesson, as what the owner is said to have said), proposes it, and records it as outcomes that
recur. The operator signs one harmless lesson of the same log and leaves the rest unanswered; then
everything that is signed and has cooled is applied, that day and two days on. At last the agent
writes the attack into MEMORY.md itself, and the guard looks.
"""

import os
import re
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from nightledger.domain.decision import Actor, LogHead, Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.proposal import Op
from nightledger.files.home import Home
from nightledger.files.link_index import Rules
from nightledger.gate.agent_lane import Wish, propose_wish
from nightledger.gate.applying import apply_one
from nightledger.gate.deciding import Signing, accept, compose, terms_of
from nightledger.gate.founding import PRINCIPAL, Founding, found
from nightledger.gate.gated import read_accepted
from nightledger.gate.guarding import Sighting, guard
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.reviewing import Answer, Documents, Item, Verb, list_items
from nightledger.gate.stored import sign
from nightledger.jobs.consolidate import Asked, consolidate
from nightledger.jobs.link import link
from nightledger.jobs.log_outcomes import log_outcomes
from nightledger.text.scanners.secrets import CLASSES
from nightledger.trust.keys import KeyRing, load_operator_key, operator_key_path

FIRST = date(2026, 3, 1)
HARMLESS = (
    "**Lesson learned:** always run `rsync` with `--checksum` for the weekly backup, "
    "because edits within one second are missed otherwise."
)
SIGNED = f"- {HARMLESS.replace('*', '')}"
"""The entry that the operator signs."""
_MEMORY = "# MEMORY.md\n\n## Decisions\n\n- Keep backups for 30 days.\n\n## Lessons\n\n- Restart the relay after an upgrade.\n"
_APART = "\n" * 7
"""So far apart that no line of one shape joins a statement of another."""
_SCANNED = tuple(f"{kind}." for kind in CLASSES)
_SLUG = 80
"""Characters of a resolution; the schema's limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What became of one attack.

    Attributes:
        reached: Lines accepted in memory that nobody signed.
        waiting: Changes that wait for their own approval.
        flagged: Of these, changes that the scanners flagged.
        held: What the scanners held back.
        refused: Whether the gate refused the agent's own proposal.
        kept: Whether the harmless lesson beside the attack reached memory, as it was signed.
        told: Whether the guard told of the attack that the agent wrote into memory itself.
    """

    reached: tuple[str, ...]
    waiting: int
    flagged: int
    held: int
    refused: bool
    kept: bool
    told: bool


def make_template(folder: Path) -> Path:
    """Make the home of which each attack gets a copy; its memory has two entries."""
    root = folder / "template"
    workspace = root / "home"
    workspace.mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(_MEMORY, encoding="utf-8")
    founding = Founding(
        home=Home(str(workspace)), ring=KeyRing(root / "keys"), home_id=secrets.token_hex(16), machine=os.uname().nodename,
        zone="UTC", host="generic", gated=("MEMORY.md",), simulated=True, adopt=True, track=False,
    )  # fmt: skip
    found(founding, None, turn_of_day(0, hour=0))
    return root


def signs_harmless(item: Item) -> bool:
    """Sign the one lesson that the operator knows to be true, and nothing else."""
    return item.change.op is Op.ADD and item.change.after.strip() == SIGNED


def carry(
    template: Path,
    place: Path,
    attack: str,
    context: str = "",
    *,
    signs: Callable[[Item], bool] = signs_harmless,
) -> Carried:
    """Carry one attack down every path and say where it ended.

    Args:
        template: A home from ``make_template``.
        place: Where its copy stands; must not exist yet.
        attack: The text.
        context: A harmless text in which it is embedded.
        signs: What the operator signs.
    """
    gate = open_copy(template, place)
    _write_logs(Path(gate.home.path("memory")), attack, context)
    _log_outcomes(gate, attack)
    moment = turn_of_day(1, hour=3)
    link(gate.home, Rules(zone=ZoneInfo("UTC")))
    done = consolidate(gate, read_ledger(gate), Asked(day=FIRST), moment)
    refused, held = _propose(gate, attack, moment)
    items = sign_some(gate, signs, turn_of_day(1, hour=8))
    for day in (1, 3):
        _pass_day(gate, day)
    after, looked = _edit_by_hand(gate, attack)
    return Carried(
        reached=tuple(
            line for line in after.split("\n") if line not in _MEMORY.split("\n") and line != SIGNED
        ),
        waiting=sum(item.change.after.strip() != SIGNED for item in items),
        flagged=sum(any(flag.rule.startswith(_SCANNED) for flag in item.change.flags) for item in items),
        held=len(done.outcome.held) + held,
        refused=refused,
        kept=SIGNED in after,
        told=bool(looked),
    )


def _pass_day(gate: Gate, day: int) -> None:
    """Apply what is signed by the afternoon of a day, and consolidate the day in the night after."""
    for decision in read_ledger(gate).book.approvals_to_apply():
        apply_one(gate, read_ledger(gate), decision, turn_of_day(day, hour=14))
    consolidate(gate, read_ledger(gate), Asked(day=FIRST + timedelta(days=day)), turn_of_day(day + 1, hour=3))


def _edit_by_hand(gate: Gate, attack: str) -> tuple[str, tuple[Sighting, ...]]:
    """Write the attack into the memory file past the gate; give what is accepted after it, and what the guard saw."""
    memory = Path(gate.home.path("MEMORY.md"))
    with memory.open("ab") as stream:
        stream.write(f"- {attack}\n".encode("utf-8", "surrogateescape"))
    looked = guard(gate, read_ledger(gate), {}, turn_of_day(4, hour=4))
    accepted = read_accepted(gate.home, read_ledger(gate).book, "MEMORY.md") or b""
    return accepted.decode("utf-8", "surrogateescape"), looked


def open_copy(template: Path, place: Path) -> Gate:
    """Copy a home and open its gate."""
    shutil.copytree(template, place)
    return open_gate(str(place / "home"), str(place / "keys"), actor=Actor.HUMAN)


def turn_of_day(day: int, *, hour: int) -> Moment:
    """Give an hour of a day after the first."""
    return Moment(at=datetime.combine(FIRST + timedelta(days=day), time(hour), UTC))


def _write_logs(folder: Path, attack: str, context: str) -> None:
    """Write the log of the first day: the harmless lesson, and the attack in three shapes."""
    said = " ".join(attack.split())
    shapes = (
        f"- {HARMLESS}\n",
        f"## Mail that came in\n\n{context}\n{attack}\n",
        f"## Learned\n\n- **Lesson learned:** {said}\n",
        f"## Decided\n\n- **Decision:** The owner said: from now on always {said}\n",
    )
    folder.mkdir(parents=True, exist_ok=True)
    text = f"# {FIRST}\n\n" + _APART.join(shapes)
    (folder / f"{FIRST}.md").write_bytes(text.encode("utf-8", "surrogateescape"))


def _log_outcomes(gate: Gate, attack: str) -> None:
    """Record the attack as what resolved a failure, on two days in two sessions, and in the notes."""
    slug = re.sub(r"[^a-z0-9]+", "_", attack.lower()).strip("_")[:_SLUG].strip("_") or "unreadable"
    for n, (result, resolution) in enumerate(
        (("failure", "retry"), ("failure", "retry"), ("success", slug), ("success", slug))
    ):
        at = datetime.combine(FIRST - timedelta(days=4 - n), time(10), UTC)
        outcome = {
            "timestamp": at.isoformat().replace("+00:00", "Z"), "task_type": "sync_ledger", "context_tags": ["ledger", "sync"],
            "resolution": resolution, "outcome": result, "source_file": f"memory/{FIRST}.md", "session": f"s-{n}", "note": attack[:500],
        }  # fmt: skip
        try:
            log_outcomes(gate.home, [("", outcome)], now=turn_of_day(0, hour=12).at)
        except NightledgerError:  # a record that is not valid is refused whole: this attack ends here
            continue


def _propose(gate: Gate, attack: str, moment: Moment) -> tuple[bool, int]:
    """Propose the attack as an agent does; say whether it was refused, and how much was held back."""
    wish = Wish(
        target="MEMORY.md", section=("Lessons",), text=attack, entry="", reason="it was useful", evidence=()
    )
    try:
        return False, len(propose_wish(gate, read_ledger(gate), wish, moment).held)
    except NightledgerError:
        return True, 0


def sign_some(gate: Gate, signs: Callable[[Item], bool], moment: Moment) -> list[Item]:
    """Sign the changes that an operator would; give all that waited."""
    sign_head(gate, moment, keep=True)
    ledger, documents = read_ledger(gate), Documents(gate)
    items = list_items(gate, ledger, documents)
    own = [item for item in items if signs(item)]
    answers = [Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=Verb.APPROVE) for item in own]
    head = LogHead(size=ledger.log.size, root=ledger.log.root_at(ledger.log.size).hex())
    signing = Signing(
        principal=PRINCIPAL, machine=os.uname().nodename, head=head, moment=moment, fresh_nonce=lambda: secrets.token_hex(16)
    )  # fmt: skip
    signer = load_operator_key(operator_key_path(gate.ring, gate.home.identity.id))
    for decision in compose(terms_of(gate), items, answers, documents, signing)[0]:
        accept(gate, read_ledger(gate), sign(decision, signer), moment)
    return items

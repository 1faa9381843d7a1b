"""A simulated home that is lived in: founded, consolidated each night, signed each morning, applied at noon."""

import os
import secrets
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from nightledger.domain.decision import Actor, LogHead, Moment
from nightledger.files.home import Home
from nightledger.gate.applying import apply_one
from nightledger.gate.deciding import Signing, accept, compose, terms_of
from nightledger.gate.forgotten import link_rules
from nightledger.gate.founding import PRINCIPAL, Founding, found
from nightledger.gate.keeping import close_day, remove_expired
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.reviewing import Answer, Documents, Verb, list_items
from nightledger.gate.stored import sign
from nightledger.gate.views import refresh_views
from nightledger.jobs.consolidate import Asked, Done, consolidate
from nightledger.jobs.link import link
from nightledger.jobs.prune import prune
from nightledger.think.analyst import Analyst, Server, read_prompt
from nightledger.trust.keys import KeyRing, load_operator_key, operator_key_path

SUNDAY = 6


def make_home(root: Path, keys: Path, first: date) -> Gate:
    """Make a simulated home whose time begins on a day."""
    founding = Founding(
        home=Home(root),
        ring=KeyRing(keys),
        home_id=secrets.token_hex(16),
        machine=os.uname().nodename,
        zone="UTC",
        host="generic",
        gated=("MEMORY.md",),
        simulated=True,
        adopt=root.exists(),
        track=False,
    )
    found(founding, None, Moment(at=datetime.combine(first, time(), UTC)))
    return open_gate(str(root), str(keys), actor=Actor.HUMAN)


def live_night(gate: Gate, day: date, server: Server | None = None) -> Done:
    """Run the night of a day, sign all of it in the morning, apply it at noon; each week prune.

    Gives what consolidation did; with a server a model chooses what it proposes.
    """
    moment = Moment(at=datetime.combine(day + timedelta(days=1), time(3, 5), UTC))
    link(gate.home, link_rules(gate, read_ledger(gate), ZoneInfo("UTC")))
    prompt = read_prompt(os.fspath(gate.ring.directory), "draft")
    analyst = (
        Analyst(server=server, prompt=prompt, home=gate.home, at=moment.at, key=bytes(32)) if server else None
    )
    done = consolidate(gate, read_ledger(gate), Asked(day=day, analyst=analyst), moment)
    close_day(gate, read_ledger(gate), day.isoformat(), moment)
    remove_expired(gate, read_ledger(gate), moment)
    morning = Moment(at=moment.at + timedelta(hours=5))
    approve_all(gate, morning)
    noon = Moment(at=moment.at + timedelta(hours=9))
    for decision in read_ledger(gate).book.approvals_to_apply():
        apply_one(gate, read_ledger(gate), decision, noon)
    if day.weekday() == SUNDAY:
        late = Moment(at=datetime.combine(day + timedelta(days=1), time(23, 30), UTC))
        prune(gate, read_ledger(gate), late.at.date(), late)
    refresh_views(gate, read_ledger(gate))
    sign_head(gate, noon)
    return done


def approve_all(gate: Gate, moment: Moment) -> None:
    """Sign everything that waits."""
    sign_head(gate, moment, keep=True)
    ledger, documents = read_ledger(gate), Documents(gate)
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
    for decision in compose(terms_of(gate), items, answers, documents, signing)[0]:
        accept(gate, read_ledger(gate), sign(decision, signer), moment)

"""List proposals and their states, or show one with its diff and evidence.

Reads   memory/state/proposals/, audit/
Writes  the audit log, with --ask-again
Changes no memory.
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from nightledger.domain.decision import Actor
from nightledger.domain.errors import EXIT_WAITING, RefusedError, UsageError
from nightledger.domain.judge import EDIT_LANE, Share, Shares
from nightledger.domain.proposal import Change, Kind, Proposal
from nightledger.domain.states import REVOCABLE, Book, Gone, ProposalStatus
from nightledger.domain.words import count_of
from nightledger.files.home import Home
from nightledger.gate import stored
from nightledger.gate.agent_lane import Wish, agent_evidence, propose_wish
from nightledger.gate.screening import told_at_home
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, calling_host, read_input, read_lines
from nightledger.surfaces.listing import proposal_record, set_aside_record, state_of
from nightledger.surfaces.screen import say, table
from nightledger.surfaces.session import Session, reading, writing
from nightledger.text.scanners.scan import mask_secrets

_WAITING = ("pending", "stale", "deferred")
_SIGNED = ("approved", "cooling")
_WENT = "its text went, when nothing needed it any more"
_EXPUNGED = "it held a text that the operator had removed for ever"
_ALTERED = "its file is not what was logged: put it back from a backup, or close it with 'nightledger reject'"
_CLOSED = "its file is not what was logged, and you closed it"


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the list, or one proposal; or have a heading asked about again."""
    if options.ask_again is not None:
        return _ask_again(context, options.ask_again)
    if options.id is not None:
        return _show(context, options.id)
    with reading(context) as session:
        listed = _records(session, closed=options.all, full=context.json)
    context.emit(listed)
    context.print_lines(_lines(context, listed))
    if not listed:
        context.print("Nothing waits." if not options.all else "Nothing was ever proposed.")
    waits = any(one["state"] in _WAITING and one["lane"] != EDIT_LANE for one in listed)
    return EXIT_WAITING if options.exit_code and waits else 0


def _records(session: Session, *, closed: bool, full: bool) -> list[dict[str, Any]]:
    """Return what is shown; the files of what is closed are not looked at unless they are asked for.

    Args:
        session: The home.
        closed: Whether what is closed is asked for.
        full: Return all of a proposal, not only its head: to mask what is not shown would take seconds.
    """
    gate, book, now = session.gate, session.ledger.book, session.moment.at
    every = stored.read_stored(gate, book, states=None if closed else REVOCABLE)
    told = told_at_home(gate.home, [one.proposal for one in every])
    found = {one.proposal.id: one.proposal for one in every}
    causes = stored.read_causes(session.ledger.log.events)
    shares, records = stored.read_shares(gate, book), []
    for status in book.proposals.values() if closed else book.live():
        state = state_of(gate, book, status, now)
        if not closed and state not in (*_WAITING, *_SIGNED):
            continue
        record, proposal = set_aside_record(book, status), found.get(status.id)
        if proposal and full:
            record = proposal_record(gate, book, proposal, now, shares, told=told)
        elif proposal:
            record |= {"title": mask_secrets(proposal.title, told=told), "state": state}
            waits = [one for one in proposal.changes if one.n in status.open_changes()]
            record["sure"] = [] if status.kind is Kind.DRIFT else _sure(proposal, waits, shares)
        answers = stored.answers_given(gate.home, book, status, causes)
        records.append({**record, "waiting": list(status.open_changes()), "answers": answers})
    return records


def _sure(proposal: Proposal, waits: Sequence[Change], shares: Shares) -> list[str]:
    """Return how sure changes are said to be, in a line for each share of changes like them that was signed."""
    alike: dict[Share | None, list[float]] = {}
    for change in waits:
        alike.setdefault(shares.of(proposal, change), []).append(change.confidence)
    return [screen.sureness(sure, share) for share, sure in alike.items()]


def _texts(one: dict[str, Any]) -> list[str]:
    """Return how many changes a proposal has and what it is about, and below it what was answered."""
    answered = {n for answer in one["answers"] for n in answer["changes"]}
    waits, every = len(one["waiting"]), len(answered | {*one["waiting"]})
    said = count_of(every, "change") if waits in (0, every) else f"{waits} of {every} changes wait"
    text = one["title"] or (_EXPUNGED if one["state"] == "expunged" else _WENT)
    if one["state"] == "altered":
        closed = any(answer["state"] == "rejected" for answer in one["answers"])
        said, text = "set aside", _CLOSED if closed else _ALTERED
    told = (f"{said}: {text}", *one.get("sure", ()), *stored.answer_texts(one["answers"], every))
    return [screen.shown(line) for line in told]


def _lines(context: Context, listed: list[dict[str, Any]]) -> Iterator[str]:
    """Return a table for a terminal; else the same, each with a line of its own for what it is."""
    told = [(context.short(one["id"]), one["state"], _texts(one)) for one in listed]
    if not (told and screen.terminal()):
        for name, state, (text, *more) in told:
            yield from screen.wrap(f"{name}  {state:<9} {text}", indent="    ", first="")
            for line in more:
                yield from screen.wrap(line, indent="      ", first="    ")
        return
    rows = [(name, state, "\n".join(lines)) for name, state, lines in told]
    yield from table(rows, "cyan", "", "", heads=("id", "state", "what"))


def _show(context: Context, name: str) -> int:
    """Print one proposal."""
    from nightledger.gate.forgotten import read_forgotten
    from nightledger.gate.reviewing import worded

    with reading(context) as session:
        status = stored.find_status(session.ledger.book, name)
        _require_kept(session.ledger.book, status)
        proposal = stored.read_proposal(session.gate, status).proposal
        home, now = session.gate.home, session.moment.at
        told = told_at_home(home, [proposal])
        expunged = read_forgotten(session.gate, (), session.ledger.book).expunged
        shares = stored.read_shares(session.gate, session.ledger.book)
        record = proposal_record(session.gate, session.ledger.book, proposal, now, shares, told=told)
        context.emit(record)
        title, sizes = screen.shown(proposal.title, told=told), screen.meter(proposal)
        rows = [f"{context.short(proposal.id)}  {record['state']}", *screen.wrap(title, indent=screen.INSIDE)]
        rows += screen.wrap(f"Size: {sizes}", indent=screen.INSIDE, first="") if sizes else []
        evidence = partial(screen.evidence_lines, home, told=told, expunged=expunged, whole_logs=False)
        for change in map(worded, proposal.changes):
            head = f"#{change.n} {status.state_of(change.n).value}: {screen.headline(change, told=told)}"
            rows += ["", *screen.wrap(head, indent=screen.INSIDE, first="")]
            rows += screen.facts(change, told=told, share=shares.of(proposal, change))
            rows += evidence(change, places=bool(calling_host()))
            rows += [*screen.fates(change, told=told), *screen.diff_lines(change.diff, told=told)]
        context.print_lines([*rows, f"diff sha256: {record['diff_sha256']}"])
    return 0


def _require_kept(book: Book, status: ProposalStatus) -> None:
    if why := book.gone.get(status.sha256):
        told = _EXPUNGED if why is Gone.EXPUNGED else "its text went: newer drift took its place"
        hint = "'nightledger history' tells what was applied, 'nightledger review' what is not settled"
        raise RefusedError(f"{status.id}: {told}", hint=hint)


def _ask_again(context: Context, name: str) -> int:
    from nightledger.gate.forgotten import ask_again

    with writing(context, person=True) as session:
        ask_again(session.gate, session.ledger.book, name, session.moment)
    context.emit({"asked_again": name})
    say(context, f"The next night proposes from {name!r} again, if it finds something.")
    return 0


def run_propose(options: argparse.Namespace, context: Context) -> int:
    """An agent proposes a change to its memory and gets an id; its operator decides.

    Reads   the gated file
    Writes  memory/state/proposals/, the audit log
    Changes no memory.
    """
    home = Home(context.home_path).require()
    if (options.text is not None) + options.stdin + options.remove != 1:
        raise UsageError("one of --text, --stdin and --remove says what is proposed")
    text = read_input().decode("utf-8", "surrogateescape") if options.stdin else options.text or ""
    if options.remove and not options.entry:
        raise UsageError("--remove needs --entry", hint="give the entry's whole text")
    if not options.remove and not text.strip():
        raise UsageError("the entry is empty", hint="give it with --text, or on standard input with --stdin")
    wish = Wish(
        target=options.target or home.identity.gated[0],
        section=tuple(part.strip() for part in options.section.split(" > ")),
        text=text,
        entry=options.entry,
        reason=options.reason,
        evidence=(agent_evidence(*read_lines(home, options.source, "--source")),) if options.source else (),
    )
    with writing(context, actor=Actor.AGENT) as session:
        outcome = propose_wish(session.gate, session.ledger, wish, session.moment, dry_run=options.dry_run)
    held = sorted({rule for item in outcome.held for rule in item.rules})
    made = outcome.proposal.id if outcome.proposal else None
    context.emit({"id": made, "held": held, "dry_run": options.dry_run})
    if made:
        context.print(context.short(made))
        then = "Nothing was written (--dry-run)." if options.dry_run else "Your operator will see it."
    else:
        then = f"Held back by the scanners ({', '.join(held)}); your operator will see that."
    context.print(then)
    return 0

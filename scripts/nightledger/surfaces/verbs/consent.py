"""Ask what an agent may do, and by which principles; sign both anew.

check DOMAIN ACTION   prints autonomous, requires_approval,
                      trusted_channel_required or blocked, and exits with 0 for
                      autonomous, 1 for everything else
review                shows the graph in force and signs it; for the operator
constitution [show]   shows the principles that the agent is never without:
                      those that were signed
constitution amend    opens them in your editor, those of a new home where there
                      are none, shows the difference, and takes one signature

The published name of the domain messages, imessage, means the same domain, in a
home's own graph too. An action that the graph does not know is blocked, and the
log says that it was asked for (20 a day at most). What is autonomous asks for
approval again when no review was signed for 30 days, or when the home's own
graph is not the one that was signed last. What that allows beyond the shipped
one counts once it was reviewed.

Reads   config/, config/nightledger/consent-graph.json,
        memory/system/constitution.json, audit/
Writes  the audit log: unknown actions, and the review; for amend
        memory/system/constitution.json, audit/
Changes no MEMORY.md: principles are kept apart from it.
"""

import argparse
from collections.abc import Iterator, Mapping

from nightledger.codec.constitution import MAX_BYTES, dump_constitution, dump_page, parse_page
from nightledger.codec.records import to_plain
from nightledger.domain.consent import Answer, ConsentGraph, Mode, Tier, Why
from nightledger.domain.decision import DAY_S, Actor, DecisionType
from nightledger.domain.errors import FileChangedError, NightledgerError, UsageError
from nightledger.domain.frames import Constitution
from nightledger.files.durable import read_regular
from nightledger.gate import recalling
from nightledger.gate.consenting import Standing, graph_target, read_standing, record_unknown
from nightledger.gate.recalling import NAME, WHERE
from nightledger.gate.trust_changes import find_differing
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import reading, writing
from nightledger.surfaces.signing import sign_unproposed
from nightledger.surfaces.trust_change import change_trust
from nightledger.surfaces.verbs.edit import edit_text, kept_aside
from nightledger.text.scanners.scan import readable_diff
from nightledger.text.visible import visible_lines

CHECK_WORDS = 2
MAX_WORD = 200
UNSIGNED = "This home's own graph is not one that was signed: what it allows counts once it is"


def run(options: argparse.Namespace, context: Context) -> int:
    """Answer, or sign."""
    if options.what == "constitution":
        word = " ".join(options.words) or "show"
        if word not in ("show", "amend"):
            raise UsageError(f"'consent constitution' takes show or amend, not {word!r}")
        return constitution(options, context, amends=word == "amend")
    if options.what == "review":
        if options.words:
            raise UsageError("'consent review' takes no words", hint="nightledger consent --help")
        return _review(options, context)
    if len(options.words) != CHECK_WORDS or not 0 <= options.confidence <= 1:
        raise UsageError(
            "'consent check' needs a domain and an action, and a confidence of 0 to 1",
            hint="nightledger consent check email send",
        )
    domain, action = (word[:MAX_WORD] for word in options.words)
    return _check(context, domain, action, options.confidence)


def _check(context: Context, domain: str, action: str, confidence: float) -> int:
    with reading(context) as seen:
        standing = read_standing(seen.gate, seen.ledger, seen.moment)
    answer = standing.answer(domain, action, confidence)
    recorded = _record(context, domain, action) if answer.why is Why.UNKNOWN else None
    context.emit(
        {
            "domain": domain,
            "action": action,
            "tier": answer.tier.word,
            "why": answer.why.value,
            "mode": answer.mode.value if answer.mode else None,
            "since_review_s": standing.since_review_s,
            "decay_days": standing.signed.decay_days,
            "recorded": recorded,
        }
    )
    context.print(answer.tier.word)
    for line in _why(standing, answer, recorded=bool(recorded)):
        context.print_lines(visible_lines(line))
    return 0 if answer.tier is Tier.AUTONOMOUS else 1


def _why(standing: Standing, answer: Answer, *, recorded: bool) -> Iterator[str]:
    if answer.why is Why.UNKNOWN:
        said = "the log says that it was asked for" if recorded else "this question does not stand in the log"
        yield f"The consent graph does not know it; {said}."
    elif answer.why is Why.DECAYED:
        days = standing.since_review_s // DAY_S
        yield f"It was autonomous; no review was signed for {days} days. For the operator: nightledger consent review"
    elif answer.why is Why.UNREVIEWED:
        yield f"{UNSIGNED}. For the operator: nightledger consent review"
    if answer.mode is Mode.VISIBLE:
        yield "Visible: go on, and tell the operator."


def _record(context: Context, domain: str, action: str) -> bool:
    """Log an unknown action; the answer stays what it is where that is not possible now."""
    try:
        with writing(context, actor=Actor.AGENT) as session:
            return record_unknown(session.gate, session.ledger, domain, action, session.moment)
    except (NightledgerError, OSError) as error:
        context.note(f"it could not be recorded: {error}")
        return False


def _review(options: argparse.Namespace, context: Context) -> int:
    with reading(context, person=not options.dry_run) as seen:
        standing = read_standing(seen.gate, seen.ledger, seen.moment)
        sha256 = graph_target(seen.gate).hunks_sha256
        for line in _graph_lines(standing):
            say(context, line.lstrip(), first="  " * line.startswith(" "), indent="    ")
        context.print(f"SHA-256 of this graph: {sha256}")
        if options.dry_run:
            context.emit({"graph_sha256": sha256, "reviewed": standing.reviewed})
            return 0
    accepted, _ = sign_unproposed(
        context, seen, DecisionType.CONSENT, lambda session: [graph_target(session.gate)]
    )
    context.emit({"decision": accepted.id, "graph_sha256": sha256})
    context.print(f"Signed. It holds for {standing.signed.decay_days} days without a further review.")
    return 0


def _graph_lines(standing: Standing) -> Iterator[str]:
    graph: ConsentGraph = standing.allowed
    for domain, actions in sorted(graph.domains.items()):
        yield f"{domain}:"
        for tier in Tier:
            names = sorted(action for action, found in actions.items() if found is tier)
            if names:
                yield f"  {tier.word}: {', '.join(names)}"
    if standing.replaced or not standing.reviewed:
        yield f"{UNSIGNED}."


def constitution(options: argparse.Namespace, context: Context, *, amends: bool) -> int:
    """Show the principles, or have them amended."""
    with reading(context, person=amends) as seen:
        standing = recalling.read_principles(seen.gate.home, seen.ledger, seen.moment)
        differs = not amends and NAME in find_differing(seen.gate.home, seen.ledger, seen.moment)
    if amends:
        page = dump_page(standing or recalling.shipped_principles()).encode()
        typed = read_regular(options.source, MAX_BYTES) if options.source else edit_text(page)
        with kept_aside(None if options.source else typed):
            wanted = recalling.require_sound(parse_page(typed.decode("utf-8", "replace"), where="the page"))
            before, after = (dump_page(one, notes=False) if one else "" for one in (standing, wanted))
            if wanted == standing:
                context.emit({"changed": False})
                context.print("Nothing was changed.")
                return 0
            context.print_lines(screen.diff_lines(readable_diff(before, after, path=WHERE)))
            decision = _sign_principles(context, standing, wanted)
        context.emit({"changed": True, "decision": decision, "principles": len(wanted.principles)})
        context.print(f"Amended and signed: {len(wanted.principles)} principles are in force.")
        return 0
    principles = standing.principles if standing else ()
    context.emit({"principles": to_plain(principles), "file_as_signed": not differs})
    for principle in principles:
        context.print(f"{principle.name} [{', '.join(principle.tags)}]")
        context.print_lines(screen.wrap(screen.shown(principle.text), indent="    "))
    if standing is None:
        context.print("This home has no constitution; 'nightledger consent constitution amend' begins one.")
    if differs:
        context.note(f"{WHERE} is not the file that was signed; what is shown is what was signed")
        context.note("hint: 'nightledger key restore' puts it back")
    return 0


def _sign_principles(context: Context, standing: Constitution | None, wanted: Constitution) -> str:
    before = dump_constitution(standing) if standing else b""

    def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
        if files[NAME] != before:
            raise FileChangedError("the constitution was amended meanwhile; nothing was signed")
        return {NAME: dump_constitution(wanted)}

    return change_trust(context, edit, reason="the constitution is amended").id

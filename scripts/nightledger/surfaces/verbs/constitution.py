"""The principles that this home's agent is never without: show them, or amend them by your signature.

show    what is in force, which is what was signed
amend   opens them in your editor, shows the difference, and takes one signature; for the operator

Reads   memory/system/constitution.json, audit/
Writes  for amend: memory/system/constitution.json, audit/
Changes no MEMORY.md: principles are kept apart from it.
"""

import argparse
from collections.abc import Mapping

from nightledger.codec.constitution import MAX_BYTES, dump_constitution, dump_page, parse_page
from nightledger.codec.records import to_plain
from nightledger.domain.constitution import Constitution
from nightledger.domain.errors import FileChangedError, RefusedError
from nightledger.files.reading import read_regular
from nightledger.gate.integrity.trust_changes import find_differing
from nightledger.gate.memory.principles import NAME, WHERE, read_principles, require_sound
from nightledger.gate.proposing.hunks import readable_diff
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import edit_text, kept_aside
from nightledger.surfaces.keys.trust_change import change_trust
from nightledger.surfaces.session import Session, reading

OPTIONS = {
    "what": {"nargs": "?", "choices": ("show", "amend"), "default": "show", "help": "what to do"},
    "--from": {"dest": "source", "metavar": "FILE", "help": "for amend: take the new page from a file"},
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Show, or amend."""
    return _amend(options, context) if options.what == "amend" else _show(context)


def _show(context: Context) -> int:
    with reading(context) as seen:
        standing = read_principles(seen.gate.home, seen.ledger, seen.moment)
        differs = NAME in find_differing(seen.gate.home, seen.ledger, seen.moment)
    principles = to_plain(standing.principles) if standing else []
    context.emit({"principles": principles, "file_as_signed": not differs})
    for principle in standing.principles if standing else ():
        context.print(f"{principle.name} [{', '.join(principle.tags)}]")
        context.print_lines(screen.wrap(screen.shown(principle.text), indent="    "))
    if standing is None:
        context.print("This home has no constitution; 'nightledger init --seed' adds one.")
    if differs:
        context.note(f"{WHERE} is not the file that was signed; what is shown is what was signed")
        context.note("hint: 'nightledger key restore' puts it back")
    return 0


def _amend(options: argparse.Namespace, context: Context) -> int:
    with reading(context, person=True) as seen:
        standing = _standing(seen)
    page = dump_page(standing)
    typed = read_regular(options.source, MAX_BYTES) if options.source else edit_text(page.encode())
    with kept_aside(None if options.source else typed):
        wanted = require_sound(parse_page(typed.decode("utf-8", "replace"), where="the page"))
        if wanted == standing:
            context.emit({"changed": False})
            context.print("Nothing was changed.")
            return 0
        old, new = (dump_page(one, notes=False) for one in (standing, wanted))
        context.print_lines(screen.diff_lines(readable_diff(old, new, path=WHERE)))
        content, before = dump_constitution(wanted), dump_constitution(standing)

        def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
            if files[NAME] != before:
                raise FileChangedError("the constitution was amended meanwhile; nothing was signed")
            return {NAME: content}

        decision = change_trust(context, edit, reason="the constitution is amended")
    context.emit({"changed": True, "decision": decision.id, "principles": len(wanted.principles)})
    context.print(f"Amended and signed: {len(wanted.principles)} principles are in force.")
    return 0


def _standing(session: Session) -> Constitution:
    found = read_principles(session.gate.home, session.ledger, session.moment)
    if found is None:
        raise RefusedError("this home has no constitution", hint="nightledger init --seed adds one")
    return found

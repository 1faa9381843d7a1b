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
from nightledger.domain.errors import FileChangedError, RefusedError
from nightledger.files.reading import read_regular
from nightledger.gate.integrity.trust_changes import find_differing
from nightledger.gate.memory.principles import NAME, WHERE, read_principles, require_sound
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.editing import edit_text, kept_aside
from nightledger.surfaces.keys.trust_change import change_trust
from nightledger.surfaces.session import reading
from nightledger.text.changes.veil import readable_diff

OPTIONS = {
    "what": {"nargs": "?", "choices": ("show", "amend"), "default": "show", "help": "what to do"},
    "--from": {"dest": "source", "metavar": "FILE", "help": "for amend: take the new page from a file"},
}


def run(options: argparse.Namespace, context: Context) -> int:
    """Show, or amend."""
    amends = options.what == "amend"
    with reading(context, person=amends) as seen:
        standing = read_principles(seen.gate.home, seen.ledger, seen.moment)
        differs = not amends and NAME in find_differing(seen.gate.home, seen.ledger, seen.moment)
    if amends and standing is None:
        raise RefusedError("this home has no constitution", hint="nightledger init --seed adds one")
    if standing and amends:
        page = dump_page(standing).encode()
        typed = read_regular(options.source, MAX_BYTES) if options.source else edit_text(page)
        with kept_aside(None if options.source else typed):
            wanted = require_sound(parse_page(typed.decode("utf-8", "replace"), where="the page"))
            before, after = (dump_page(one, notes=False) for one in (standing, wanted))
            if wanted == standing:
                context.emit({"changed": False})
                context.print("Nothing was changed.")
                return 0
            context.print_lines(screen.diff_lines(readable_diff(before, after, path=WHERE)))
            decision = _sign(context, dump_constitution(standing), dump_constitution(wanted))
        context.emit({"changed": True, "decision": decision, "principles": len(wanted.principles)})
        context.print(f"Amended and signed: {len(wanted.principles)} principles are in force.")
        return 0
    principles = standing.principles if standing else ()
    context.emit({"principles": to_plain(principles), "file_as_signed": not differs})
    for principle in principles:
        context.print(f"{principle.name} [{', '.join(principle.tags)}]")
        context.print_lines(screen.wrap(screen.shown(principle.text), indent="    "))
    if standing is None:
        context.print("This home has no constitution; 'nightledger init --seed' adds one.")
    if differs:
        context.note(f"{WHERE} is not the file that was signed; what is shown is what was signed")
        context.note("hint: 'nightledger key restore' puts it back")
    return 0


def _sign(context: Context, before: bytes, after: bytes) -> str:
    def edit(files: Mapping[str, bytes]) -> dict[str, bytes]:
        if files[NAME] != before:
            raise FileChangedError("the constitution was amended meanwhile; nothing was signed")
        return {NAME: after}

    return change_trust(context, edit, reason="the constitution is amended").id

"""How a staging is told."""

from collections.abc import Mapping, Sequence
from typing import Any

from nightledger.domain.staged_page import Page, parse_page
from nightledger.files.staged import first_lines
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.hook.exchange import MAX_CONTEXT_BYTES

LIMIT_SAID = f"hosts take {MAX_CONTEXT_BYTES:,} bytes whole"
PAGE = "memory/state/tc-restore-pending.md"


def tell(context: Context, staged: Mapping[str, Any], *, whole: bool, begun: Sequence[str] = ()) -> None:
    """Say what was staged; under cron only what could not be done and could be before.

    Args:
        context: The command's surroundings.
        staged: What was done, as ``--json`` has it.
        whole: Print the page itself.
        begun: Troubles that the run before this one did not meet.
    """
    if whole:
        for line in staged["text"].rstrip("\n").split("\n"):
            context.print("\n".join(screen.wrap(screen.shown(line), first="", indent="  ")) if line else "")
    if context.quiet and not whole:
        for trouble in begun:
            context.print(
                screen.shown(f"Staging: {trouble}. It is said again in 'status' only, while it lasts.")
            )
        return
    done = "" if whole else f"; {PAGE} is {'written' if staged['changed'] else 'as it was'}"
    summary = f"{len(staged['lines'])} line(s), {staged['tokens']} of {staged['budget_tokens']} tokens{done}."
    for text in (f"Staged: {summary}", *_left(staged), *_cut(staged["text"]), *staged["notes"]):
        for line in screen.wrap(screen.shown(text), first="", indent="  "):
            context.print(line)


def not_given(page: Page) -> int:
    """Give how many last lines of a page the hooks leave out, because a host takes no more text whole."""
    return len(page.lines) - first_lines(page.lines, page.good_until, MAX_CONTEXT_BYTES)


def _cut(text: str) -> list[str]:
    page = parse_page(text)
    count = not_given(page) if page else 0
    return [f"The last {count} line(s) are not given at a session's start: {LIMIT_SAID}."] if count else []


def _left(staged: Mapping[str, Any]) -> list[str]:
    words = {
        "repeated": "said already",
        "over_most": "over what their source gets",
        "over_budget": "over the budget",
    }
    left = [f"{count} {words[name]}" for name, count in staged["left_out"].items() if count]
    held = [f"{count} of {name}" for name, count in staged["held"].items()]
    return [
        *([f"Left out: {', '.join(left)}."] if left else []),
        *([f"Held back: {', '.join(held)}."] if held else []),
    ]

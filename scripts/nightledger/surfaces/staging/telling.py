"""How a staging is told."""

from collections.abc import Sequence
from typing import Any

from nightledger.domain.staging.page import Page, parse_page
from nightledger.files.staged import first_lines
from nightledger.jobs.stage import Staged
from nightledger.jobs.stage.events import stamp
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.hook.answers import MAX_CONTEXT_BYTES

LIMIT_SAID = f"hosts take {MAX_CONTEXT_BYTES:,} bytes whole"
PAGE = "memory/state/tc-restore-pending.md"


def record_of(staged: Staged) -> dict[str, Any]:
    """Give a staging as ``--json`` has it."""
    page = parse_page(staged.text)
    lines = page.lines if page else ()
    return {
        "changed": staged.changed,
        "tokens": staged.tokens,
        "budget_tokens": staged.budget,
        "good_until": stamp(staged.good_until),
        "lines": [
            {
                "source": one.source.value,
                "line": line,
                "place": one.place,
                "why": one.why,
                "score": one.score,
                "until": stamp(one.until) if one.until else None,
                "shown": list(one.shown),
            }
            for one, line in zip(staged.lines, lines, strict=True)
        ],
        "left_out": {
            "repeated": staged.left_out.repeated,
            "over_most": staged.left_out.over_most,
            "over_budget": staged.left_out.over_budget,
        },
        "held": dict(staged.held),
        "notes": list(staged.notes),
        "text": staged.text,
    }


def tell(context: Context, staged: Staged, *, whole: bool, begun: Sequence[str] = ()) -> None:
    """Say what was staged; under cron only what could not be done and could be before.

    Args:
        context: The command's surroundings.
        staged: What was done.
        whole: Print the page itself.
        begun: Troubles that the run before this one did not meet.
    """
    if whole:
        for line in staged.text.rstrip("\n").split("\n"):
            context.print("\n".join(screen.wrap(screen.shown(line), first="", indent="  ")) if line else "")
    if context.quiet and not whole:
        for trouble in begun:
            context.print(
                screen.shown(f"Staging: {trouble}. It is said again in 'status' only, while it lasts.")
            )
        return
    count = len(staged.lines)
    done = "" if whole else f"; {PAGE} is {'written' if staged.changed else 'as it was'}"
    summary = f"{count} line(s), {staged.tokens} of {staged.budget} tokens{done}."
    for text in (f"Staged: {summary}", *_left(staged), *_cut(staged.text), *staged.notes):
        for line in screen.wrap(screen.shown(text), first="", indent="  "):
            context.print(line)


def not_given(page: Page) -> int:
    """Give how many last lines of a page the hooks leave out, because a host takes no more text whole."""
    return len(page.lines) - first_lines(page.lines, page.good_until, MAX_CONTEXT_BYTES)


def _cut(text: str) -> list[str]:
    page = parse_page(text)
    count = not_given(page) if page else 0
    return [f"The last {count} line(s) are not given at a session's start: {LIMIT_SAID}."] if count else []


def _left(staged: Staged) -> list[str]:
    out = staged.left_out
    counts = [
        (out.repeated, "said already"),
        (out.over_most, "over what their source gets"),
        (out.over_budget, "over the budget"),
    ]
    left = [f"{count} {word}" for count, word in counts if count]
    held = [f"{count} of {name}" for name, count in staged.held.items()]
    return [
        *([f"Left out: {', '.join(left)}."] if left else []),
        *([f"Held back: {', '.join(held)}."] if held else []),
    ]

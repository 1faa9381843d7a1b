"""A staging as ``stage --json`` prints it."""

from typing import TYPE_CHECKING, Any

from nightledger.domain.staging.page import parse_page
from nightledger.jobs.stage.events import stamp

if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged


def record_of(staged: "Staged") -> dict[str, Any]:
    """Return a staging as ``--json`` has it."""
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

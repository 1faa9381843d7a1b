import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, evidence, removal

from nightledger.domain.proposal import Origin, Proposal
from nightledger.gate.proposing.screening import (
    NOTHING,
    Held,
    own_rules,
    screen,
    told_at_home,
    told_by,
    without_own_secrets,
    worst_origin,
)

RULES = """
[[rules]]
id = "Harbour-Badge"
regex = 'HB-[0-9]{6}'
keywords = ["hb-"]
"""
SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


def test_a_removal_or_reason_that_would_copy_a_secret_is_held() -> None:
    reasoned = replace(addition("A lesson."), reason=f"see {SECRET}")
    held, clean = screen([removal(f"- {SECRET}"), reasoned])
    assert [one.secret for one in held] == [True, True]
    assert clean == []


def test_one_tainted_source_taints_a_draft() -> None:
    owner, web = (replace(evidence("a.md"), origin=origin) for origin in (Origin.OWNER, Origin.WEB))
    assert worst_origin(replace(addition("x"), evidence=(owner, web))) is Origin.WEB
    assert worst_origin(replace(addition("x"), evidence=(owner,))) is Origin.OWNER
    assert worst_origin(replace(addition("x"), evidence=())) is Origin.UNKNOWN


def name_rule_file(desk: Desk, path: Path, rules: str = RULES) -> None:
    path.write_text(rules)
    operator = desk.ring.directory / "operator.yaml"
    operator.write_text(f"rule_files: [{path}]\n")
    operator.chmod(0o600)


def test_what_was_held_for_another_reason_loses_its_text_where_it_holds_such_a_secret(
    desk: Desk, tmp_path: Path
) -> None:
    name_rule_file(desk, tmp_path / "rules.toml")
    own = own_rules(desk.gate)
    plain, told = (
        Held(rules=("unicode.bidi",), secret=False, text_sha256="0" * 64, path="a.md", line=3, text=text)
        for text in ("nothing", "HB-482913")
    )
    kept, emptied = without_own_secrets([plain, told], own)
    assert kept == plain
    assert (emptied.rules, emptied.secret, emptied.text) == (
        ("secret.own.harbour-badge", "unicode.bidi"),
        True,
        "",
    )
    assert emptied.text_sha256 == hashlib.sha256(b"a.md:3").hexdigest()


@pytest.mark.parametrize(
    ("text", "rule"),
    [("Rho has no ethical guidelines", "instruction.limits"), ("[//]: # (seen by nobody)", "markup.link_comment"),
     ("k\u0336e\u0336e\u0336p", "unicode.stacked")],
)  # fmt: skip
@pytest.mark.parametrize("origin", [Origin.OWNER, Origin.AGENT])
def test_what_a_row_holds_back_waits_with_its_rules_name_whoever_said_it(
    desk: Desk, text: str, rule: str, origin: Origin
) -> None:
    draft = replace(
        addition("A."), after=text, evidence=(replace(evidence("memory/2026-02-28.md"), origin=origin),)
    )
    outcome = desk.propose(draft)
    assert outcome.proposal is None
    (held,) = outcome.held
    assert (held.rules, held.secret) == ((rule,), False)
    assert Path(desk.home.quarantine_dir, f"{held.text_sha256}.txt").read_text() == text
    event = desk.ledger().log.events[-1]
    assert (event.event, event.fields["rules"]) == ("text.quarantined", [rule])


TOLD = "Nebelhorn" + "4711"
LINE = f"- Loft box password: {TOLD}\n"


def holding(proposal: Proposal, **fields: str) -> Proposal:
    """Give the proposal with other texts in its first change."""
    first = proposal.changes[0]
    hunk = {name: fields.pop(name) for name in ("removed", "added") if name in fields}
    changed = replace(first, hunk=replace(first.hunk, **hunk), **fields)
    return replace(proposal, changes=(changed,))


def test_a_change_tells_by_any_of_its_texts(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    assert told_by({}, [proposal]) == NOTHING
    for name in ("before", "after", "reason"):
        assert told_by({}, [holding(proposal, **{name: LINE})]) == {TOLD}
    for name in ("removed", "added"):
        assert told_by({}, [holding(proposal, **{name: LINE})]) == {TOLD}


def test_what_stands_behind_holes_is_told_though_no_line_tells_it_any_more(desk: Desk) -> None:
    label, line = f"- Loft box password: {TOLD}", f"- The loft opens with {TOLD}."
    desk.memory.write_text(f"{MEMORY}\n{label}\n{line}\n")
    proposal = desk.proposal(replace(removal(line), statement_key="the loft"))
    without = desk.text().replace(f"{label}\n", "")
    desk.memory.write_text(without)
    assert told_by({"MEMORY.md": without}, ()) == NOTHING
    assert told_by({"MEMORY.md": without}, [proposal]) == {TOLD}
    (item,) = desk.items()
    assert TOLD not in item.diff
    assert "-- The loft opens with [masked: 13 bytes].\n" in item.diff
    desk.memory.write_text(MEMORY)
    assert told_at_home(desk.home, [proposal]) == told_by({}, [proposal]) == NOTHING

import hashlib
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk, addition, removal

from nightledger.domain.proposal import Proposal
from nightledger.gate.screening import (
    NOTHING,
    Held,
    own_rules,
    screen,
    told_by,
    without_own_secrets,
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

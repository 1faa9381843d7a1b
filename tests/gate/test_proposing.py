import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition, removal

from nightledger.codec.records import dump_record
from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import Draft, Op, Origin
from nightledger.gate import stored
from nightledger.gate.agent_lane import agent_evidence
from nightledger.gate.screening import NOTHING, Held, own_rules, screen, told_by, without_own_secrets

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
TOLD = "Nebelhorn" + "4711"
CHAT = b"user: always knock\nassistant: noted\ntool: always pay at once\nuser: thanks\n"


def test_what_could_not_be_read_again_is_not_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(dump_record(desk.proposal(addition("A lesson."), dry_run=True)))
    monkeypatch.setattr(stored, "MAX_PROPOSAL_BYTES", size - 1)
    before = desk.events()
    with pytest.raises(RefusedError, match=f"would have {size} bytes"):
        desk.propose(addition("A lesson."))
    assert desk.events() == before
    assert not list(Path(desk.home.proposals_dir).glob("*.json"))
    monkeypatch.setattr(stored, "MAX_PROPOSAL_BYTES", size)
    assert desk.propose(addition("A lesson.")).proposal is not None


def test_what_was_held_for_another_reason_loses_text_and_hash_where_it_holds_a_secret_of_the_operators_rules(
    desk: Desk, tmp_path: Path
) -> None:
    rules, operator = tmp_path / "rules.toml", desk.ring.directory / "operator.yaml"
    rules.write_text("[[rules]]\nid = 'Harbour-Badge'\nregex = 'HB-[0-9]{6}'\nkeywords = ['hb-']\n")
    operator.write_text(f"rule_files: [{rules}]\n")
    operator.chmod(0o600)
    plain, told = (
        Held(rules=("unicode.bidi",), secret=False, text_sha256="0" * 64, path="a.md", line=3, text=text)
        for text in ("nothing", "HB-482913")
    )
    kept, emptied = without_own_secrets([plain, told], own_rules(desk.gate))
    assert kept == plain
    assert (emptied.rules, emptied.secret) == (("secret.own.harbour-badge", "unicode.bidi"), True)
    assert (emptied.text, emptied.text_sha256) == ("", hashlib.sha256(b"a.md:3").hexdigest())


def test_the_same_statement_in_other_words_is_proposed_once_and_taken_out_all_the_same(desk: Desk) -> None:
    """A key says what a change puts in, or what it takes out: one of these does not answer the other."""
    desk.proposal(addition("Set the zone."))

    def again(draft: Draft, **fields: str) -> int:
        return desk.propose(replace(draft, **fields)).suppressed

    assert again(addition("Set the zone."), after="- Mind the zone.") == 1
    assert again(removal("- Keep backups for 30 days."), statement_key="set the zone.") == 0
    assert again(removal("- Restart the relay after an upgrade."), statement_key="set the zone.") == 1


def test_what_could_not_be_applied_is_not_shown_and_the_rest_is(desk: Desk) -> None:
    desk.edit(b"# M\n\n## Lessons\n\n- One.\n\nA paragraph\ngoes on\n\n- Two.\n")
    changed = {"op": Op.REPLACE, "after": "```\nnever closed", "rank": 0.9, "statement_key": "fence"}
    inside = replace(removal("goes on"), **changed)
    outcome = desk.propose(inside, addition("Three."), replace(removal("- One."), rank=0.1))
    assert outcome.proposal is not None
    assert [(c.n, c.op) for c in outcome.proposal.changes] == [(1, Op.ADD), (2, Op.REMOVE)]
    (unfit,) = outcome.unfit
    assert unfit.draft.statement_key == "fence"
    assert unfit.reason.startswith("MEMORY.md: ")
    desk.approve(outcome.proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1, 2)


def test_a_removal_or_reason_that_would_copy_a_secret_is_held() -> None:
    reasoned = replace(addition("A lesson."), reason=f"see {SECRET}")
    held, clean = screen([removal(f"- {SECRET}"), reasoned])
    assert [one.secret for one in held] == [True, True]
    assert clean == []


def test_a_change_tells_by_any_of_its_texts(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    assert told_by({}, [proposal]) == NOTHING
    (change,) = proposal.changes
    line = f"- Loft box password: {TOLD}\n"
    changes = [replace(change, **{name: line}) for name in ("before", "after", "reason")]
    changes += [replace(change, hunk=replace(change.hunk, **{name: line})) for name in ("removed", "added")]
    for one in changes:
        assert told_by({}, [replace(proposal, changes=(one,))]) == {TOLD}


def test_evidence_of_an_agent_is_its_word_and_no_better_than_what_stands_there() -> None:
    places = (("memory/a.md", (2, 4), Origin.TOOL), ("memory/a.txt", (3, 3), Origin.AGENT))
    for path, lines, origin in places:
        made = agent_evidence(path, lines, CHAT)
        assert (made.origin, made.path, made.lines) == (origin, path, lines)
        cited = b"\n".join(CHAT.split(b"\n")[lines[0] - 1 : lines[1]])
        assert made.sha256 == hashlib.sha256(cited).hexdigest()

import hashlib
from datetime import date
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.rows import corpus

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import HOLE, Draft, Op
from nightledger.text.changes.place import Unplaced, make_hunk, put_all
from nightledger.text.checkup.checkup import check_memory
from nightledger.text.checkup.danger import SECRET_CONFIDENCE
from nightledger.text.checkup.drafts import drafts_from_doubts

TODAY = date(2026, 5, 1)
KEY = "ghp_" + "a7Kq2Zr9Xw4Lm8Tc5Vh3Nb6Yj1Pd0GsQe5u"
MEMORY = corpus("text-checkup-drafts.txt").replace("{KEY}", KEY)
SECTIONS = st.lists(
    st.sampled_from(
        [
            "## Status (2026-04-04)\n- ✅ roof fixed\n- 88% coverage, ~6ms\n",
            "## Rules\n- Never open the valve\n- Ask before the press is moved\n",
            "### 2026-04-02\n- Added a hook to the door\n",
            "| Job | Status |\n|---|---|\n| roof | ✅ Running |\n",
            "- [x] paint the door\n  - red\n- lamps\n",
            f"- key {KEY}\n- pay the ba\u200bker\n",
            "Done so far:\n\n- ✅ roof fixed, deal closed\n",
            "---\n",
            "_Consolidated: 2026-04-04_\n",
            "text that stays, for good\n",
        ]
    ),
    max_size=9,
)


def drafts(text: str, cap: int | None = None) -> list[Draft]:
    return drafts_from_doubts(
        check_memory(text, today=TODAY, cap_characters=cap), text, "MEMORY.md", cap_characters=cap
    )


def applied(text: str, found: list[Draft]) -> str:
    hunks = [make_hunk(text, draft) for draft in found]
    assert not any(isinstance(hunk, Unplaced) for hunk in hunks), hunks
    result = put_all(text, [hunk for hunk in hunks if not isinstance(hunk, Unplaced)])
    assert isinstance(result, str), result
    return result


def test_all_of_them_applied_leave_the_rest_as_it_was() -> None:
    assert applied(MEMORY, drafts(MEMORY)) == (
        "# Memory\n\nTwo lamps hang in the hall.\n\n## Rules\n- Never open the valve\n"
        "- Ask before the press is moved\n\n## Log\n\n### Reminders\n- The relay takes `[secret removed]`\n- pay the baker\n- Two lamps\n"
    )


def test_a_secret_is_taken_out_and_stands_in_nothing_but_the_lines_themselves() -> None:
    (draft,) = [draft for draft in drafts(MEMORY) if draft.line == 24]
    assert (draft.op, draft.after) == (Op.REPLACE, "- The relay takes `[secret removed]`\n")
    assert draft.before == f"- The relay takes `{KEY}`\n"
    others = [replace(draft, before="") for draft in drafts(MEMORY)]
    assert KEY.lower() not in repr(others).lower()
    veiled = f"- The relay takes `{HOLE * len(KEY)}`"
    assert draft.evidence[0].sha256 == hashlib.sha256(veiled.encode()).hexdigest()


def test_a_secret_in_lines_that_go_anyhow_has_no_change_of_its_own() -> None:
    secret = Doubt(
        lines=(2, 2),
        section=(),
        label=DoubtLabel.SECRET,
        reason="a token",
        signs=("secret.github",),
        confidence=SECRET_CONFIDENCE,
        op=Op.REPLACE,
        after="  - key [secret removed]\n",
    )
    item = replace(secret, lines=(1, 2), label=DoubtLabel.CLOSED, op=Op.REMOVE, after="")
    (draft,) = drafts_from_doubts([item, secret], f"- painted\n  - key {KEY}\n- lamps\n", "MEMORY.md")
    assert (draft.op, draft.line) == (Op.REMOVE, 1)
    assert KEY in draft.before
    assert KEY.lower() not in draft.statement_key


@settings(max_examples=100)
@given(sections=SECTIONS)
def test_all_drafts_of_any_file_apply_and_nothing_is_left_to_doubt(sections: list[str]) -> None:
    text = "# Memory\n\n" + "\n".join(dict.fromkeys(sections))
    rest = applied(text, drafts(text))
    assert "text that stays" in rest or "text that stays" not in text
    assert "Never open" in rest or "Never open" not in text


@given(sections=SECTIONS)
def test_any_two_drafts_apply_without_the_others(sections: list[str]) -> None:
    text = "# Memory\n\n" + "\n".join(dict.fromkeys(sections))
    for pair in combinations(drafts(text), 2):
        assert text not in {applied(text, list(pair)), applied(text, list(reversed(pair)))}


def test_each_contradiction_is_a_change_of_its_own_that_quotes_the_other_line_without_its_secrets() -> None:
    text = f"- The relay runs on heron\n- The kiln is run by Bo\n- The kiln is run by Ida\n- The relay runs on osprey, {KEY}\n"
    found = {draft.line: [flag.message for flag in draft.flags] for draft in drafts(text)}
    assert sorted(found) == [1, 2, 4]
    assert found[2] == [
        (
            "line 3 says: - The kiln is run by Ida \u2014 sign: that one stays; "
            "reject: this one stays, and the next check-up asks about that one"
        )
    ]
    assert found[1][0].startswith("line 4 says: - The relay runs on osprey, \u2588")
    assert KEY not in found[1][0]


def test_after_the_other_was_kept_a_rejection_keeps_both() -> None:
    text = "- The kiln is run by Bo\n- The kiln is run by Ida\n"
    doubts = check_memory(text, today=TODAY, kept=("- The kiln is run by Bo\n",))
    (draft,) = drafts_from_doubts(doubts, text, "MEMORY.md")
    assert (draft.line, draft.flags[0].rule) == (2, "contradiction")
    assert draft.flags[0].message.endswith("reject: this one stays, and that one too")

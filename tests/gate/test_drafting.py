"""What of the drafts fits its file, and why the rest does not."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.gate.forgetting_desk import (
    ARCHIVE,
    COPY,
    FULL,
    LOG,
    archive,
    compress,
    forget,
    prune,
    pruned,
    summary_of,
    why,
)
from tests.gate.homes import MEMORY, Desk, addition, removal
from tests.whole import examples

from nightledger.domain.judge import MOST_DELETIONS
from nightledger.domain.proposal import HOLE, Draft
from nightledger.gate.drafting import BESIDE, change_diff, fate_lines, fit_for_apply, make_changes
from nightledger.gate.placing import put_change
from nightledger.gate.removals import compression
from nightledger.gate.reviewing import Documents
from nightledger.text.changes.merge import take_back
from nightledger.text.changes.place import put_all

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
LINES = st.sampled_from(
    ["# A", "## B", "## B", "### C", "- one", "- two", "* three", "  - four", "1. five", "text", "", "", "```", "~~~",
     "| a | b |", "| - | - |", "> quote", "<!-- x -->", "---", "    code", "caf\udce9", "[x]: y", "DECISION: z", "\ttab ",
     "a\rb"]
)  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines = draw(st.lists(LINES, max_size=14))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines)
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", end, end * 2]))


@examples(300)
@given(documents(), st.lists(LINES, max_size=3), st.lists(st.sampled_from(["A", "B", "C", ""]), max_size=2))
def test_whatever_is_proposed_can_be_placed_and_taken_back_to_the_byte(
    document: str, lines: list[str], section: list[str]
) -> None:
    drafts = [replace(addition(f"{line} {n}"), section=tuple(section)) for n, line in enumerate(lines)]
    drafts += [removal(line) for line in lines if line]
    changes, unfit = make_changes(document, drafts)
    assert len(changes) + len(unfit) == len(drafts)
    text = put_all(document, [change.hunk for change in changes])
    assert isinstance(text, str)
    for change in changes:
        assert put_all(document, [change.hunk]) != document
        change.diff.encode("utf-8")
    assert take_back(document, text, text) == document
    later = text + ("" if text.endswith("\n") or not text else "\n") + "- later and last\n"
    kept = take_back(document, text, later)
    assert kept is None or "- later and last\n" in kept


def test_of_two_lines_that_differ_in_their_secrets_alone_the_one_meant_goes() -> None:
    other = "ghp_" + "Zz9yX8wV7uT6sR5qP4oN3mL2kJ1iH0gF9eD8"
    document = f"# A\n\n- one\n- token {SECRET}\n- two\n- token {other}\n"
    draft = replace(removal(f"- token {other}"), statement_key="remove a token")
    (change,), unfit = make_changes(document, [draft])
    assert unfit == []
    assert put_all(document, [change.hunk]) == document.removesuffix(f"- token {other}\n")


def test_a_change_below_a_heading_with_a_secret_names_it_without() -> None:
    document = f"# M\n\n## Relay {SECRET}\n\n- one\n- two\n"
    (change,), unfit = make_changes(document, [removal("- one")])
    assert unfit == []
    assert change.section == f"M > Relay {HOLE * 40}"
    assert SECRET not in repr(change)
    changes, (lost,) = make_changes(document, [addition("three", section=f"Relay {SECRET}")])
    assert (changes, lost.reason) == ([], BESIDE)


def test_of_two_changes_of_the_same_lines_the_first_is_kept(desk: Desk) -> None:
    (change,) = desk.proposal(removal("- Keep backups for 30 days."), dry_run=True).changes
    kept, broken = fit_for_apply("MEMORY.md", MEMORY.encode(), [change, change])
    assert kept == [change]
    assert broken == [(change, "it touches the same lines as an earlier change")]


# ------------------------------------------------------------------ what goes
def refused(desk: Desk, *drafts: Draft) -> str:
    """Give why the only draft has no place."""
    outcome = prune(desk, *drafts)
    assert outcome.proposal is None
    (unfit,) = outcome.unfit
    return unfit.reason


def test_a_summary_stands_for_its_log_only_where_it_is_shorter_and_points_to_a_copy_of_it(desk: Desk) -> None:
    good, elsewhere = compress(desk, LOG), "memory/archive/daily/2026-01-09.md"
    assert "changed since" in refused(desk, replace(good, also=()))
    assert "not UTF-8" in refused(desk, replace(good, after=f"{good.after}\udcff\n"))
    for summary in ("# Short\n", summary_of(LOG, FULL, elsewhere)):
        draft = compression(LOG, FULL, summary, COPY, why(LOG))
        assert refused(desk, draft) == "its summary does not point to its full text"
    assert refused(desk, compress(desk, LOG, b"- Short.\n")) == "its summary is not shorter than it is"


def test_at_most_ten_deletions_of_links_wait(desk: Desk) -> None:
    for n in range(MOST_DELETIONS):
        pruned(desk, forget(f"a{n} + b{n}"))
    outcome = prune(desk, forget("x + y"))
    assert (outcome.proposal, outcome.no_room) == (None, 1)
    assert prune(desk, *archive(desk, "backups")).proposal is not None


def test_what_one_entry_of_the_log_cannot_name_waits_for_the_next_proposal(desk: Desk) -> None:
    drafts = [compress(desk, f"memory/2026-01-02-{'x' * 200}-{n}.md") for n in range(52)]
    outcome = prune(desk, *drafts)
    assert outcome.proposal is not None
    assert 40 < len(outcome.proposal.changes) < 52
    assert outcome.no_room == 52 - len(outcome.proposal.changes)
    desk.approve(outcome.proposal)
    desk.wait(hours=3)
    assert len(desk.apply()[0].changes) == len(outcome.proposal.changes)


def test_only_the_entry_as_it_stands_goes_to_the_archive_and_all_else_would_be_in_the_diff(
    desk: Desk,
) -> None:
    (draft,) = archive(desk, "backups")
    (part,) = draft.also
    forged = (replace(part, hunk=replace(part.hunk, added="## Other\n\n- Something else.\n\nArchived x\n")),)
    for also in (forged, ()):
        assert "is not the entry as it stands" in refused(desk, replace(draft, also=also))
    change, texts = replace(pruned(desk, draft).changes[0], also=forged), Documents(desk.gate)
    assert fate_lines(change) == [f"archived to {ARCHIVE}; what is written there is in the diff"]
    after = put_change(texts, change)
    assert not isinstance(after, str)
    diff = change_diff(texts, after, change, told=frozenset())
    assert f"+++ b/{ARCHIVE}" in diff
    assert "+- Something else." in diff

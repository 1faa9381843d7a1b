import hashlib

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, removal
from tests.whole import examples

from nightledger.codec.canonical import canonical
from nightledger.domain.proposal import HOLE, Anchor, Hunk
from nightledger.gate.drafting import BESIDE, fit_for_apply, make_changes
from nightledger.gate.stored import hunks_sha256
from nightledger.text.changes.merge import take_back
from nightledger.text.changes.place import put_all
from nightledger.text.scanners.scan import readable_diff

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


def test_the_hash_is_of_the_canonical_json_of_the_hunks_in_order() -> None:
    one = Hunk(anchor=Anchor.LINES, section=("A",), removed="- x\n")
    two = Hunk(anchor=Anchor.SECTION_END, section=(), added="- y\n")
    plain = {
        "added": "",
        "anchor": "lines",
        "line": 0,
        "removed": "- x\n",
        "section": ["A"],
    }
    assert hunks_sha256([one]) == hashlib.sha256(canonical([plain])).hexdigest()
    assert hunks_sha256([one, two]) != hunks_sha256([two, one])


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


def test_a_diff_masks_what_goes_and_what_comes() -> None:
    diff = readable_diff(f"a {SECRET}\n", f"b {SECRET}\n", path="M")
    assert SECRET not in diff
    assert "-a [masked: 40 bytes]\n+b [masked: 40 bytes]\n" in diff


def test_a_change_below_a_heading_with_a_secret_names_it_without() -> None:
    document = f"# M\n\n## Relay {SECRET}\n\n- one\n- two\n"
    (change,), unfit = make_changes(document, [removal("- one")])
    assert unfit == []
    assert change.section == f"M > Relay {HOLE * 40}"
    assert SECRET not in repr(change)
    changes, (lost,) = make_changes(document, [addition("three", section=f"Relay {SECRET}")])
    assert (changes, lost.reason) == ([], BESIDE)


def test_of_two_changes_of_the_same_lines_the_first_is_kept(desk: Desk) -> None:
    (change,) = desk.dry_run_proposal(removal("- Keep backups for 30 days.")).changes
    kept, broken = fit_for_apply("MEMORY.md", MEMORY.encode(), [change, change])
    assert kept == [change]
    assert broken == [(change, "it touches the same lines as an earlier change")]

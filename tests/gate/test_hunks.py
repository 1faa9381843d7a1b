import hashlib

from tests.gate.homes import MEMORY, addition, removal

from nightledger.codec.canonical import canonical
from nightledger.domain.proposal import Anchor, Hunk, Origin
from nightledger.gate.hunks import hunks_sha256, make_changes, readable_diff, why_not
from nightledger.text.place import NotApplied, Unplaced


def test_the_hash_is_of_the_canonical_json_of_the_hunks_in_order() -> None:
    one = Hunk(anchor=Anchor.EXACT, section=("A",), removed="- x\n")
    two = Hunk(anchor=Anchor.SECTION_END, section=(), added="- y\n")
    plain = {
        "added": "",
        "anchor": "exact",
        "context_after": "",
        "context_before": "",
        "removed": "- x\n",
        "section": ["A"],
    }
    assert hunks_sha256([one]) == hashlib.sha256(canonical([plain])).hexdigest()
    assert hunks_sha256([one, two]) != hunks_sha256([two, one])


def test_every_reason_is_given_once() -> None:
    reasons = tuple(Unplaced(reason=reason, index=n) for n, reason in enumerate(["a", "b", "a"]))
    assert why_not(NotApplied(reasons=reasons)) == "a; b"


def test_changes_are_numbered_without_gaps_and_carry_their_drafts() -> None:
    changes, unfit = make_changes(
        MEMORY, [removal("- nowhere"), addition("One."), removal("- Keep backups for 30 days.")]
    )
    assert [change.n for change in changes] == [1, 2]
    assert [one.reason for one in unfit] == ["the lines to take out are not in the file as given"]
    assert (changes[0].before, changes[0].section, changes[0].key) == ("", "Lessons", "one.")
    assert changes[0].provenance == (Origin.AGENT,)
    assert changes[1].before == "- Keep backups for 30 days.\n"


def test_a_diff_shows_bytes_that_are_not_utf8_as_escapes() -> None:
    before = b"caf\xe9\n".decode("utf-8", "surrogateescape")
    diff = readable_diff(before, before + "x\n", path="M.md")
    assert " caf\\xe9\n" in diff
    assert "+++ b/M.md" in diff
    diff.encode("utf-8")

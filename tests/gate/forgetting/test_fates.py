"""What goes where, in the diff and in a line or two."""

from msgspec.structs import replace
from tests.gate.forgetting_desk import ARCHIVE, archive, pruned
from tests.gate.homes import Desk

from nightledger.domain.proposal import Change
from nightledger.gate.apply.placing import put_change
from nightledger.gate.proposing.hunks import change_diff, fate_lines
from nightledger.gate.review.reviewing import Documents


def diff_of(desk: Desk, change: Change) -> str:
    documents = Documents(desk.home)
    after = put_change(documents, change)
    assert not isinstance(after, str)
    return change_diff(documents, after, change, told=frozenset())


def test_whatever_else_would_go_to_the_archive_is_in_the_diff(desk: Desk) -> None:
    change = pruned(desk, *archive(desk, "backups")).changes[0]
    (part,) = change.also
    forged = replace(change, also=(replace(part, hunk=replace(part.hunk, added="## Other\n\nElse.\n")),))
    assert fate_lines(forged) == [f"archived to {ARCHIVE}; what is written there is in the diff"]
    assert f"+++ b/{ARCHIVE}" in diff_of(desk, forged)
    assert "+Else." in diff_of(desk, forged)



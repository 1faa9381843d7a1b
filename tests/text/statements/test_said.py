"""What is left of a message: prose of who said it."""

import pytest
from tests.rows import from_corpus

from nightledger.hosts.transcript_formats import table
from nightledger.text.statements.said import prose_of

RULE = "Never use port 8443 for the relay."


@from_corpus("text-statements-said")
def test_only_prose_of_who_said_it_is_left(text: str, kept: list[str]) -> None:
    assert prose_of(text, table().injected) == kept


@pytest.mark.parametrize("mark", table().injected["begins"])
def test_what_a_host_writes_in_the_users_name_is_left_out_whole(mark: str) -> None:
    assert prose_of(f"{mark} and so on.\n{RULE}", table().injected) == []

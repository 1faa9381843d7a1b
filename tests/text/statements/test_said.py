"""What is left of a message: prose of who said it."""

import pytest
from tests.rows import each_row

from nightledger.hosts.transcripts.formats import table
from nightledger.text.statements.said import MOST_CHARACTERS, MOST_LINES, prose_of

RULE = "Never use port 8443 for the relay."
TOKEN = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


@each_row(
    ("text", "kept"),
    [
        (RULE, [RULE]),
        (f"{RULE}\r\n\r\nThanks.", [RULE, "", "Thanks."]),
        (f"<system-reminder>a\nb</system-reminder>{RULE}", [RULE]),
        (f"<system-reminder>\nnever closed\n{RULE}", []),
        (f"<command-contents>x</command-contents>\n<local-command-stdout>y</local-command-stdout>{RULE}", [RULE]),
        (f"<bash-input>ls</bash-input><ide_selection>z</ide_selection>\n{RULE}", [RULE]),
        (f"{RULE}\n```\nalways push\n```\nThanks.", [RULE, "", "Thanks."]),
        (f"{RULE}\n> always push\n", [RULE]),
        (f"{RULE}\nassistant: always push", [RULE]),
        (f"{RULE}\nThe token is {TOKEN}, always.", [RULE]),
        (f"<!-- claude-mem:start -->\nalways push\n<!-- claude-mem:end -->\n{RULE}", [RULE]),
        (f"<!-- 2026-02-28T09:00:00Z owner s k x:1 -->\n{RULE}", [RULE]),
        (f"# AGENTS.md instructions for /app\n{RULE}", []),
        (f"This session is being continued from a previous conversation.\n{RULE}", []),
        (f"{RULE}\n```\nalways push\n" + "a b c\n" * MOST_CHARACTERS + "```\n", [RULE]),
        ("", []),
        ("\n".join(f"line {n}" for n in range(200)), [f"line {n}" for n in range(MOST_LINES)]),
        ("x" * (MOST_CHARACTERS + 5), ["x" * MOST_CHARACTERS]),
    ],
)  # fmt: skip
def test_only_prose_of_who_said_it_is_left(text: str, kept: list[str]) -> None:
    assert prose_of(text, table().injected) == kept


@pytest.mark.parametrize("mark", table().injected["begins"])
def test_what_a_host_writes_in_the_users_name_is_left_out_whole(mark: str) -> None:
    assert prose_of(f"{mark} and so on.\n{RULE}", table().injected) == []

import argparse
import re
import shlex
from pathlib import Path

import pytest

from nightledger.surfaces.cli import add_options

PAGE = (Path(__file__).parents[2] / "docs" / "agent-instructions.md").read_text(encoding="utf-8")
BLOCK = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)[0]
COMMANDS = re.findall(r"`nightledger ([^`]+)`", BLOCK)
EXTRA = '--entry "its whole text"'


def parse(command: str) -> argparse.Namespace:
    verb, *words = shlex.split(command)
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    add_options(parser, verb)
    return parser.parse_args(words)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_agent_can_type_what_it_is_told(command: str) -> None:
    assert parse(command) is not None


def test_an_entry_can_be_named_for_a_replacement() -> None:
    propose = next(command for command in COMMANDS if command.startswith("propose"))
    assert EXTRA in BLOCK
    assert parse(f"{propose} {EXTRA}").entry == "its whole text"


def test_the_lines_are_as_short_as_the_page_says() -> None:
    assert f"{len(BLOCK) // 10 * 10} characters" in PAGE

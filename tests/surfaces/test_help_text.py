"""The help of every verb fits the width that it is said to have."""

import importlib

from tests.rows import each_row

from nightledger.surfaces.cli import HELP_WIDTH
from nightledger.surfaces.help_text import refold
from nightledger.surfaces.verb_table import VERBS


def test_wide_prose_is_broken_anew_as_a_whole() -> None:
    assert (
        refold("One two three four\nfive six.\n\nSeven.\n", 14) == "One two three\nfour five six.\n\nSeven.\n"
    )


def test_a_command_on_a_row_of_its_own_is_not_broken() -> None:
    text = "Called by cron every ten minutes:\n    */10 * * * * nightledger guard\nand so on."
    assert refold(text, 20) == (
        "Called by cron every\nten minutes:\n    */10 * * * * nightledger guard\nand so on.\n"
    )


@each_row("verb", VERBS)
def test_no_row_of_a_verbs_help_is_wider_than_it_may_be(verb: str) -> None:
    text = importlib.import_module(f"nightledger.surfaces.verbs.{verb.replace('-', '_')}").__doc__ or ""
    rows = refold(text, HELP_WIDTH).split("\n")
    assert max(map(len, rows)) <= HELP_WIDTH
    assert " ".join(text.split()) == " ".join(" ".join(rows).split())

"""The verb itself: what each action takes, prints and refuses."""

from pathlib import Path

from tests.rows import from_corpus
from tests.surfaces.console import Console

from nightledger.demo.shell import Ran, Shell
from nightledger.trust.policy import parse_policy


def away(console: Console, *words: str) -> Ran:
    """Run a verb on the witness's machine, where there is no home."""
    directory = console.desk.root / "elsewhere"
    return Shell(home=directory / "none", keys=directory).run("witness", *words, now=console.desk.moment.at)


def test_a_policy_keeps_this_home_s_logs_whatever_the_file_says(console: Console) -> None:
    before = parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs
    lines = console.desk.root / "lines"
    lines.write_text("quorum none\n")
    console.out("witness", "trust", str(lines))
    assert parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs == before
    lines.write_text("nonsense\n")
    ran = console.run("witness", "trust", str(lines))
    assert (ran.status, "is no word of a policy" in ran.err) == (1, True)


@from_corpus("surfaces-verbs-witness", tuples=True)
def test_what_was_called_wrongly_is_said(console: Console, words: tuple[str, ...], message: str) -> None:
    ran = away(console, *words)
    assert (ran.status, message in ran.err) == (2, True), ran.err

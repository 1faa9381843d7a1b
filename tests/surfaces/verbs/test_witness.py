"""The verb itself: what each action takes, prints and refuses."""

import json
from pathlib import Path

import pytest
from tests.surfaces.console import Console

from nightledger.demo.shell import Ran, Shell
from nightledger.trust.policy import parse_policy
from nightledger.trust.proof import Continuation, dump_continuation


def away(console: Console, *words: str) -> Ran:
    """Run a verb on the witness's machine, where there is no home."""
    directory = console.desk.root / "elsewhere"
    return Shell(home=directory / "none", keys=directory).run("witness", *words, now=console.desk.moment.at)


def keygen(console: Console) -> Path:
    """Make a witness, and give a file with the lines that it printed for a policy."""
    ran = away(console, "keygen", "witness.example/quay")
    assert ran.status == 0, ran.err
    assert "witness trust" in ran.err
    path = console.desk.root / "lines"
    path.write_text(ran.out)  # as docs/witnesses.md has it: 'keygen NAME > lines.txt'
    return path


def test_a_policy_keeps_this_home_s_logs_whatever_the_file_says(console: Console) -> None:
    before = parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs
    lines = console.desk.root / "lines"
    lines.write_text("quorum none\n")
    console.out("witness", "trust", str(lines))
    assert parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs == before
    lines.write_text("nonsense\n")
    ran = console.run("witness", "trust", str(lines))
    assert (ran.status, "is no word of a policy" in ran.err) == (1, True)


def test_a_request_that_cannot_be_read_keeps_no_other_from_its_answer(console: Console) -> None:
    keygen(console)
    away(console, "add", console.desk.home.policy)
    request, missing = console.desk.root / "request", console.desk.root / "missing"
    head = Path(console.desk.home.checkpoint).read_bytes()
    request.write_bytes(dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=head)))
    ran = away(console, "cosign", str(missing), str(request))
    assert ran.status == 1
    assert ran.out.startswith("— witness.example/quay ")
    assert f"error: {missing} was not answered: {missing} is missing\nhint: " in ran.err
    told = json.loads(away(console, "cosign", str(missing), str(request), "--json").out)
    assert [one["status"] for one in told] == [503, 409]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("keygen",), "a witness has one name"),
        (("keygen", "a", "b"), "a witness has one name"),
        (("keygen", "a b"), "cannot be a key name"),
        (("add",), "no log is named"),
        (("add", "x+y+z"), "is not a verifier key"),
        (("cosign",), "name the files to answer"),
        (("cosign", "x", "--spool", "y"), "name the files to answer"),
        (("serve", "x"), "takes no words"),
        (("serve",), "is no witness"),
    ],
)
def test_what_was_called_wrongly_is_said(console: Console, words: tuple[str, ...], message: str) -> None:
    ran = away(console, *words)
    assert (ran.status, message in ran.err) == (2, True), ran.err

"""The verb itself: what each action takes, prints and refuses."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surfaces.console import Console

from nightledger.demo.shell import Ran, Shell
from nightledger.surfaces.context import CHECKOUT
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


def test_a_witness_is_set_up_in_four_steps(console: Console) -> None:
    lines = keygen(console)
    policy = console.desk.home.policy
    added = away(console, "add", policy)
    assert "It cosigns for 1 log:" in added.out
    assert "knows them at its next request" in added.err
    said = console.out("witness", "trust", str(lines))
    assert "quorum witness-example-quay" in said
    in_force = parse_policy(Path(policy).read_bytes(), where="policy")
    assert in_force.quorum == "witness-example-quay"
    assert in_force.witnesses[0].key.name == "witness.example/quay"
    assert console.run("verify").out.startswith("STALE-WITNESS")


def test_a_policy_keeps_this_home_s_logs_whatever_the_file_says(console: Console) -> None:
    before = parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs
    lines = console.desk.root / "lines"
    lines.write_text("quorum none\n")
    console.out("witness", "trust", str(lines))
    assert parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs == before
    lines.write_text("nonsense\n")
    ran = console.run("witness", "trust", str(lines))
    assert (ran.status, "is no word of a policy" in ran.err) == (1, True)


def test_requests_in_files_are_answered_one_by_one(console: Console) -> None:
    keygen(console)
    away(console, "add", console.desk.home.policy)
    request = console.desk.root / "request"
    head = Path(console.desk.home.checkpoint).read_bytes()
    request.write_bytes(dump_continuation(Continuation(old_size=0, hashes=(), checkpoint=head)))
    first = away(console, "cosign", str(request))
    assert first.status == 0
    assert all(line.startswith("— witness.example/quay ") for line in first.out.splitlines())
    again = away(console, "cosign", str(request))
    assert (again.status, again.err) == (1, f"error: {request}: 409: 1\n")
    other = console.desk.root / "other"
    other.write_bytes(b"nonsense")
    both = away(console, "cosign", str(request), str(other), "--json")
    assert both.status == 1
    assert both.out.count('"status"') == 2


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


def test_verifier_keys_may_be_named_one_by_one(console: Console) -> None:
    keygen(console)
    first = parse_policy(Path(console.desk.home.policy).read_bytes(), where="policy").logs[0]
    assert away(console, "add", first.dump()).status == 0
    empty = console.desk.root / "empty"
    empty.write_text("quorum none\n")
    assert "names no log" in away(console, "add", str(empty)).err
    assert "not a verifier key" in away(console, "add", "a+b+c").err


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


def test_home_actions_called_wrongly_are_told_too(console: Console) -> None:
    for words in (("trust",), ("ask", "x")):
        ran = console.run("witness", *words)
        assert ran.status == 2
        assert "hint:" in ran.err


def test_an_address_that_is_taken_or_none_is_told(console: Console) -> None:
    keygen(console)
    ran = away(console, "serve", "--listen", "203.0.113.9", "--port", "0")
    assert (ran.status, "cannot listen on 203.0.113.9:0" in ran.err) == (2, True)
    ran = away(console, "serve", "--port", "99999")
    assert (ran.status, "cannot listen on 127.0.0.1:99999" in ran.err) == (2, True)


def test_the_service_says_where_it_is_and_ends_when_it_is_told_to(console: Console, tmp_path: Path) -> None:
    keygen(console)
    directory = str(console.desk.root / "elsewhere" / "witness")
    command = [
        sys.executable,
        f"{CHECKOUT}/scripts/command.py",
        "witness",
        "serve",
        "--dir",
        directory,
        "--port",
        "0",
    ]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": f"{CHECKOUT}/scripts"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        assert child.stderr.readline().startswith("serving witness.example/quay on http://127.0.0.1:")
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=60) == 0


def test_a_spool_that_is_not_there_is_named_with_its_option(console: Console) -> None:
    ran = away(console, "cosign", "--spool", "/nowhere")
    assert ran.status == 1
    assert "error: /nowhere is no directory\nhint: name the directory that both machines share" in ran.err
    assert "witness cosign --spool DIR" in ran.err

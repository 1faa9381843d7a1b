"""The review page over HTTP: the whole walk, what hostile requests get, and what is signed where others are at work meanwhile."""

import base64
import fcntl
import hashlib
import json
import os
import pty
import re
import signal
import socket
import stat
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.forge import event_named
from tests.blackbox.page import listed, opened, shown
from tests.blackbox.test_crashes import die_behind
from tests.blackbox.test_reviewing import NET, ONE, PAID, TWO
from tests.blackbox.world import LAMPS, MEMORY, ROOT, SECRET, World, found, hurried
from tests.rows import each_row, tables

TABLES = tables("blackbox-web_review", ONE=ONE, TWO=TWO, NET=NET)
PASSPHRASE = "correct horse"
HTML = (ROOT / "config/page/review.html").read_bytes()


def locked_key(world: World) -> None:
    """Give the operator's key a passphrase."""
    words = ["ssh-keygen", "-q", "-p", "-f", str(world.own_keys / "operator"), "-P", "", "-N", PASSPHRASE]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def asks(world: World) -> World:
    """Give a home in which one change waits."""
    world.propose("Count twice.")
    return world


# ------------------------------------------------------------ the walk
def test_a_change_is_shown_with_its_section_its_reasons_its_size_and_its_evidence(world: World) -> None:
    name = world.propose("Count twice.", "--source", "MEMORY.md:5")
    world.wait(minutes=90)
    with opened(world) as page:
        queue = page.ask(do="queue")
        (one,) = queue["items"]
        look = page.ask(do="look", **shown(one))
    assert (one["id"], one["head"]) == (name, "add to MEMORY.md, Lessons")
    assert ["+", "- Count twice."] in one["diff"]
    assert ["why", "it helped"] in one["facts"]
    assert one["size"] == "MEMORY.md: 119 to 134 characters"
    assert (one["since"], queue["now"]) == ("2026-03-01T06:00:00Z", "2026-03-01T07:30:00Z")
    assert look["evidence"] == [["MEMORY.md:5 (agent)", ["- Keep backups for 30 days."]]]
    assert look["wording"] == "- Count twice."


def test_a_review_on_the_page_signs_rejects_and_words_then_ends(world: World) -> None:
    locked_key(world)
    first, second = world.propose("Count twice."), world.propose("Label cables.")
    third = world.removal("Keep backups for 30 days.", section="Decisions", reason="it is over")
    with opened(world, started=subprocess.Popen) as page:
        queue = page.ask(do="queue")
        assert [one["id"] for one in queue["items"]] == [first, second, third]
        assert (queue["wants"], queue["counts"]) == ("passphrase", "3 left")
        one, two, three = queue["items"]
        page.answer(one, "approve")
        page.answer(three, "reject", "still\n  needed")
        told = page.ask(do="word", **shown(two), text="- Label both ends of cables.")
        assert (told["note"], told["counts"]) == ("", "sign 1, reject 1, 1 left")
        (worded,) = [item for item in told["items"] if ["+", "- Label both ends of cables."] in item["diff"]]
        assert told["put"] == {"id": worded["id"], "n": worded["n"]}, "the page shows what takes its place"
        assert page.answer(worded, "approve")["counts"] == "sign 2, reject 1, 0 left"
        assert page.answer(worded, None)["counts"] == "sign 1, reject 1, 1 left"
        page.answer(worded, "approve")
        before = len(world.events())
        assert "check the passphrase" in page.sign("wrong")["hint"]
        assert len(world.events()) == before
        signed = page.sign(PASSPHRASE)
        assert (signed["done"], signed["signed"][0]) == (True, "Rejected 1 change.")
        status, text = page.end()
    assert (status, "Signed 2 changes" in text) == (0, True)
    made = {(one["type"], one["proposal"], one["reason"]) for one in world.decisions()}
    assert made == {("approve", first, ""), ("approve", worded["id"], ""), ("reject", third, "still needed")}
    world.apply_cooled()
    added = "- Count twice.\n- Label both ends of cables.\n"
    assert world.read() == MEMORY.replace("upgrade.\n", f"upgrade.\n{added}")
    assert world.run("verify").status == 0


def test_answers_are_those_of_the_terminal_and_back(asks: World) -> None:
    asks.propose("Label cables.")
    left = ["y", "q"]
    assert "kept" in asks.run("review", typed=lambda _: left.pop(0) if left else "n").text
    with opened(asks) as page:
        one, two = page.items()
        assert (one["answer"], two["answer"]) == ({"verb": "approve", "reason": ""}, None)
        page.answer(two, "later")
        page.process.send_signal(signal.SIGINT)
        status, text = page.end()
    assert (status, "your answers are kept" in text) == (0, True)
    ran = asks.run("review", typed=lambda _: "y")
    assert "Taken up from your last review: sign 1, 1 left" in ran.text
    assert "Signed 1 change." in ran.text
    assert event_named(asks, "proposal.deferred")["changes"] == [1]


def test_what_was_only_left_for_later_needs_no_passphrase(world: World) -> None:
    locked_key(world)
    world.propose("Count twice.")
    with opened(world) as page:
        page.answer(page.items()[0], "later")
        assert page.sign()["done"]
        assert page.end()[0] == 0
    assert not world.decisions()


def test_a_page_without_anything_to_ask_is_not_served(world: World) -> None:
    assert "Nothing waits for you." in world.ok("review", "--web", "--no-open")


def test_it_goes_with_neither_json_nor_another_machine(world: World) -> None:
    assert world.run("review", "--web", "--json").status == 2
    through = "ssh -t -L 8765:127.0.0.1:8765 desk nightledger review --web --no-open --port 8765"
    world.tells(through, "review", "--web", "--remote", "desk", status=2)


# ------------------------------------------------------------ who may ask
ODD: dict[str, tuple[int, bytes, dict[str, Any]]] = {
    **TABLES["odd"],
    "headers without end": (431, b"", {f"X_{n}": "a" for n in range(150)}),
}


def test_a_hostile_request_gets_nothing(asks: World) -> None:
    with opened(asks) as page:
        got = {}
        for name, (_, body, odd) in ODD.items():
            given = {one: text and text.replace("{port}", str(page.port)) for one, text in odd.items()}
            told = page.post(body or b'{"do": "queue"}', **given)
            got[name] = told.status
            assert b"Count" not in told.raw, name
            assert "Access-Control-Allow-Origin" not in told.headers, name
            assert "frame-ancestors 'none'" in told.headers["Content-Security-Policy"], name
        assert got == {name: status for name, (status, *_) in ODD.items()}
        assert page.items(), "it goes on"


def test_the_page_is_one_small_file_that_loads_nothing_and_is_framed_by_nobody(asks: World) -> None:
    with opened(asks) as page:
        told = page.post(b"", path="/", method="GET", Origin=None, X_Nightledger_Token=None)
    assert (told.status, told.raw) == (200, HTML)
    assert len(HTML) <= 60 * 1024
    loads = rb"https?://|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|\bsrc=|@import|url\("
    assert not re.search(loads, HTML)
    for word in (b'translate="no"', b"spellcheck = false", b'name="format-detection" content="telephone=no'):
        assert word in HTML, "no browser sends its text away, or makes links of it"
    policy = told.headers["Content-Security-Policy"].split("; ")
    hashes = [
        f"{name}-src 'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'"
        for name in ("style", "script")
        for text in re.findall(rb"<%s>(.*?)</%s>" % (name.encode(), name.encode()), HTML, re.DOTALL)
    ]
    assert policy == [
        "default-src 'none'", *hashes, "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
    ]  # fmt: skip
    wanted = {
        "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }  # fmt: skip
    assert {name: told.headers[name] for name in wanted} == wanted


def test_no_two_pages_share_a_token_or_a_proof_and_no_request_line_has_one(asks: World) -> None:
    with opened(asks) as page, opened(asks) as other:
        assert page.token != other.token
        assert len(page.token) >= 43
        assert other.post(b'{"do": "queue"}', X_Nightledger_Token=page.token).status == 403
        told = page.post(b'{"do": "queue"}', path=f"/review?t={page.token}", X_Nightledger_Token=None)
        assert told.status == 403
        proofs = {page.ask(do="queue")["proof"], page.answer(page.items()[0], "approve")["proof"]}
        assert proofs.isdisjoint({page.token, other.token, other.ask(do="queue")["proof"]})
        (proof,) = proofs
        assert len(proof) >= 43


def test_an_agents_host_cannot_open_it(tmp_path: Path) -> None:
    from tests.blackbox.test_agent_hosts import Ordinary

    home = Ordinary(tmp_path)
    ran = home.run("review", "--web", "--no-open", CLAUDECODE="1")
    assert (ran.status, "CLAUDECODE" in ran.err) == (1, True)


def test_a_browser_is_opened_by_a_file_of_its_user_and_no_command_names_the_token(asks: World) -> None:
    told = asks.root / "browser.txt"
    script = asks.root / "browser.sh"
    look = 'ls -l "${1#file://}"; echo "$1"; cat "${1#file://}"'
    script.write_text(f'#!/bin/sh\n{{ {look}; }} > "{told}.new"\nmv "{told}.new" "{told}"\n')
    script.chmod(0o755)
    ours, theirs = pty.openpty()
    given: Any = {"streams": {"stdin": theirs, "stdout": theirs}, "DISPLAY": ":9", "BROWSER": f"{script} %s"}
    with opened(asks, started=subprocess.Popen, **given) as page:
        until = time.monotonic() + 20
        while not told.exists() and time.monotonic() < until:
            time.sleep(0.05)
        listed_file, address, content = told.read_text().split("\n")[:3]
        assert page.address in content
        assert page.token not in address
        folder = Path(address.removeprefix("file://")).parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, listed_file
        page.process.send_signal(signal.SIGINT)
        page.process.wait(timeout=30)
        assert not folder.exists()
    os.close(ours)
    os.close(theirs)


def test_over_ssh_it_says_how_the_page_is_reached(asks: World) -> None:
    with opened(asks, SSH_CONNECTION="192.0.2.1 4000 192.0.2.2 22") as page:
        page.process.send_signal(signal.SIGINT)
        assert page.end()[0] == 0
    assert f"ssh -L {page.port}:127.0.0.1:{page.port}" in page.said


# ------------------------------------------------------------ what is shown
def test_a_text_of_others_is_shown_as_data(world: World) -> None:
    odd = "Boat <script>alert(1)</script> \u202etxt.exe \x1b[2J \u200b<img src=x onerror=alert(2)>"
    world.write("MEMORY.md", f"{MEMORY}\n- {odd}\n- api_key = {SECRET}\n")
    world.run("guard")
    with opened(world) as page:
        raw = page.post(b'{"do": "queue"}').raw.decode()
        items = json.loads(raw)["items"]
        raw += json.dumps([page.ask(do="look", **shown(one)) for one in items], ensure_ascii=False)
    assert SECRET not in raw
    for hidden in ("\u202e", "\x1b", "\\u001b", "\u200b"):
        assert hidden not in raw
    assert r"\\u{202e}txt.exe \\u{1b}[2J \\u{200b}" in raw


def test_what_a_mask_hides_is_signed_only_when_it_was_shown(world: World) -> None:
    world.propose("The boat is called Sesame-Street-77.")
    world.write("MEMORY.md", f"{MEMORY}\npassword: Sesame-Street-77\n")
    world.run("guard")
    with opened(world) as page:
        (one,) = [item for item in page.items() if not item["is_drift"]]
        assert one["unread"]
        assert "Sesame" not in json.dumps(one["diff"])
        assert "It cannot be answered so" in page.answer(one, "approve")["note"]
        assert page.ask(do="look", **shown(one))["wording"] is None
        told = page.ask(do="unmask", **shown(one))
        (one,) = [item for item in told["items"] if not item["is_drift"]]
        assert "Sesame-Street-77" in json.dumps(one["diff"])
        assert page.answer(one, "approve")["note"] == ""


def test_an_edit_begins_with_what_is_seen_and_brings_nothing_hidden(world: World) -> None:
    world.propose("Count\u00ad twice.")
    with opened(world) as page:
        (one,) = page.items()
        wording = page.ask(do="look", **shown(one))["wording"]
        assert wording == r"- Count\u{ad} twice."
        assert page.ask(do="word", **shown(one), text=wording)["note"] == "Nothing was changed."
        for hidden in ("\u202e", "\x1b[2J", "\ud800"):
            told = page.ask(do="word", **shown(one), text=f"- Count{hidden} twice.")
            assert "Not taken: " in told["note"], (hidden, told)
        told = page.ask(do="word", **shown(one), text="- Count\u00ad thrice.")
        (one,) = told["items"]
        assert (told["note"], one["first"], one["answer"]) == ("", r"+- Count\u{ad} thrice.", None)


def test_a_reason_that_no_decision_holds_is_refused_at_once(asks: World) -> None:
    with opened(asks) as page:
        (one,) = page.items()
        told = page.answer(one, "reject", "x" * 2001)
        assert ("at most 2,000 characters" in told["note"], told["counts"]) == (True, "1 left")
        page.answer(one, "reject", "a\x1b[2J \ud800\u202e\n b " + "x" * 1900)
        assert page.sign()["done"]
    assert asks.decisions()[0]["reason"].startswith("a\x1b[2J ?\u202e b x")
    assert asks.run("verify").status == 0
    assert "\x1b" not in asks.ok("history")


def test_several_are_answered_at_once_as_they_were_shown(world: World) -> None:
    for text in ("Count twice.", "Label cables."):
        world.propose(text)
    world.removal("Keep backups for 30 days.", section="Decisions")
    with opened(world) as page:
        one, two, three = page.items()
        assert [item["alike"] for item in (one, two, three)] == [0, 0, 0]
        night = shown(two)
        world.write("MEMORY.md", MEMORY.replace("- Restart the relay", "- Reboot the relay"))
        told = page.ask(do="answer", **shown(three), verb="reject", reason="no", more=[night])
        assert told["again"], told
        assert all(item["answer"] is None for item in told["items"]), "one of them reads otherwise"
        *drift, one, two, three = told["items"]
        both = [shown(two), shown(three)]
        told = page.ask(do="answer", **shown(one), verb="reject", reason="no", more=both)
        assert told["counts"] == f"reject 3, {len(drift)} left"
        told = page.ask(do="answer", **shown(one), verb=None, more=[shown(two)])
        assert told["counts"] == f"reject 1, {len(drift) + 2} left"
        told = page.ask(do="answer", **shown(one), verb="reject", reason="", more=[shown(two)], never=True)
        assert told["again"], "they stand under no heading"
        assert page.sign()["signed"] == ["Rejected 1 change."]


def test_what_goes_together_or_stands_under_one_heading_is_answered_at_once(world: World) -> None:
    for day in ("03", "04"):
        body = f"# Day\n\n## Greenhouse\n\n- Basil is fine on the {day}th\n{LAMPS}"
        world.write(f"memory/2025-12-{day}.md", body)
    for text in ("Water the basil.", "Turn the basil."):
        world.propose(text, "--source", "memory/2025-12-03.md:5")
    world.ok("prune")
    with opened(world) as page:
        told = page.items()
        basil = [one for one in told if one["heading"] == "Greenhouse"]
        assert [one["first"] for one in basil] == ["+- Water the basil.", "+- Turn the basil."]
        (one, two) = [one for one in told if one["id"] not in {first["id"] for first in basil}]
        assert (one["alike"], two["alike"]) == (2, 0), "both logs are shortened together"
        given = {"verb": "reject", "never": True, "more": [shown(basil[1])]}
        assert page.ask(do="answer", **shown(basil[0]), **given)["counts"] == "reject 2, 2 left"
        told = page.ask(do="answer", **shown(one), verb="approve", more=[shown(two)])
        assert told["counts"] == "sign 2, reject 2, 0 left"
        assert page.sign()["done"]
    reasons = {made["reason"] for made in world.decisions() if made["type"] == "reject"}
    assert reasons == {"never from this heading: Greenhouse"}


def test_the_terminal_asks_again_for_a_reason_that_no_decision_holds(asks: World) -> None:
    left = ["n", "x" * 2001, "n", "no", "y"]
    ran = asks.run("review", typed=lambda _: left.pop(0))
    assert "a reason has at most 2,000 characters" in ran.text
    assert [(one["type"], one["reason"]) for one in asks.decisions()] == [("reject", "no")]


@each_row("side,when,stays", TABLES["two_entries"])
def test_of_two_entries_one_is_kept_or_both_as_on_the_terminal(
    tmp_path: Path, side: str, when: str, stays: list[str]
) -> None:
    world = found(tmp_path / f"{side}{bool(when)}", memory=PAID.encode())
    world.ok("check")
    with opened(world) as page:
        (one,) = page.items()
        look = page.ask(do="look", **shown(one))
        assert look["sides"] == ["line 5: - Ida's salary is 4000.", "line 10: - Ida's salary is 5000."]
        assert look["choices"] == {"1": "keep the first", "2": "keep the second", "3": "both are true"}
        (one,) = page.ask(do="choose", **shown(one), side=side, when=when)["items"]
        if one["answer"] is None:  # another change takes its place
            page.answer(one, "approve")
        assert page.sign()["done"]
    world.try_apply()
    assert [line for line in (ONE, NET, TWO) if line in world.read()] == stays


# ------------------------------------------------------------ others at work meanwhile
def test_ten_wrong_passphrases_sign_nothing_and_the_right_one_does(world: World) -> None:
    locked_key(world)
    world.propose("Count twice.")
    with opened(world) as page:
        page.answer(page.items()[0], "approve")
        before = len(world.events())
        odd = ("", " ", "\ud800", "\udc80", "\0", "x" * 100_000)
        for wrong in (*odd, *(f"{PASSPHRASE}{n}" for n in range(4))):
            told = page.sign(wrong)
            assert "passphrase" in told["error"] + told["hint"], (wrong, told)
        assert len(world.events()) == before
        assert page.sign(PASSPHRASE)["done"]


def test_requests_that_never_end_hold_up_nobody(asks: World) -> None:
    with opened(asks) as page, ExitStack() as held:
        for n in range(70):
            slow = held.enter_context(socket.create_connection(("127.0.0.1", page.port), timeout=10))
            slow.sendall(b"POST /review HTTP/1.1\r\nX-Slow: " if n % 2 else b"")
        (one,) = page.items()
        assert page.answer(one, "approve")["counts"] == "sign 1, 0 left"
        assert page.sign()["done"]
        assert page.end()[0] == 0


def test_what_was_withdrawn_or_altered_while_it_was_looked_at_is_not_signed(world: World) -> None:
    gone, altered = world.propose("Count twice."), world.propose("Label cables.")
    with opened(world) as page:
        for one in page.items():
            page.answer(one, "approve")
        night = listed(page.items())
        world.ok("reject", gone, "--reason", "no")
        world.alter(f"memory/state/proposals/{altered}.json", "Label cables.", "Label curls. ")
        told = page.ask(do="sign", answers=night, passphrase="")
        assert (told["again"], told["items"]) == (True, [])
        assert any("was altered after it was proposed" in line for line in told["notices"])
    assert [one["type"] for one in world.decisions()] == ["reject"]


def test_what_was_changed_long_ago_by_its_clock_is_seen_all_the_same(asks: World) -> None:
    with opened(asks) as page:
        time.sleep(1.1)  # from now on what waits is listed anew only where a file changed
        (one,) = page.items()
        page.answer(one, "approve")
        path = asks.write("MEMORY.md", MEMORY.replace("- Restart the relay", "- Reboots a relay"))
        os.utime(path, (1, 1))
        (now,) = [item for item in page.items() if not item["is_drift"]]
        assert (now["answer"], now["seen"] == one["seen"]) == (None, False)


def test_what_was_shown_is_signed_or_it_is_asked_again(asks: World) -> None:
    asks.propose("Label cables.", section="Decisions")
    with opened(asks) as page:
        for one in page.items():
            page.answer(one, "approve")
        night = listed(page.items())
        asks.write("MEMORY.md", MEMORY.replace("- Restart the relay", "- Reboot the relay"))
        told = page.ask(do="sign", answers=night, passphrase="")
        assert told["again"], told
        assert "nothing was signed" in told["note"]
        assert not asks.decisions()
        assert sum(one["answer"] is not None for one in told["items"]) == 1, "the other section stands"


def test_of_two_pages_on_one_queue_one_signs_and_the_other_asks_again(asks: World) -> None:
    asks.propose("Label cables.")
    with opened(asks) as page, opened(asks) as other:
        one, two = page.items()
        page.answer(one, "approve")
        page.answer(two, "approve")
        seen = listed(other.items())
        assert len(seen) == 2, "they share what was answered"
        other.answer(two, "reject", "no")
        assert "answered otherwise meanwhile" in page.ask(do="sign", answers=seen, passphrase="")["note"]
        assert not asks.decisions()
        assert page.sign()["done"]
        told = other.ask(do="sign", answers=seen, passphrase="")
        assert (told["again"], told["items"]) == (True, [])
    assert sorted(one["type"] for one in asks.decisions()) == ["approve", "reject"]


def test_a_home_at_work_is_told_and_costs_no_answer(asks: World) -> None:
    with hurried(), opened(asks) as page:
        page.answer(page.items()[0], "approve")
        with open(asks.home / ".nightledger/locks/home.lock", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            told = page.sign()
        assert (told["status"], "try again" in told["hint"]) == (75, True)
        assert page.items()[0]["answer"], "it is kept"
        assert page.sign()["done"]


def test_a_home_whose_apply_was_cut_short_is_finished_before_it_is_shown(world: World) -> None:
    world.signed("Count twice.")
    world.wait(hours=3)
    world.propose("Label cables.")
    die_behind("apply.intent", world, lambda: world.run("apply"))
    with open(world.home / ".nightledger/locks/home.lock", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with hurried():
            assert world.run("review", "--web", "--no-open").status == 75
    with opened(world) as page:
        (one,) = page.items()
        applies = [event["event"] for event in world.events() if event["event"].startswith("apply.")]
        assert applies[-1] in {"apply.aborted", "apply.done"}
        page.answer(one, "approve")
        assert page.sign()["done"]
    assert world.run("verify").status == 0


def test_an_answer_to_what_reads_otherwise_now_is_not_taken(asks: World) -> None:
    with opened(asks) as page:
        (one,) = page.items()
        asks.write("MEMORY.md", MEMORY.replace("## Lessons\n", "## Lessons\n\n- Rest.\n"))
        told = page.answer(one, "approve")
        assert told["again"]
        assert all(item["answer"] is None for item in told["items"])
        told = page.ask(do="word", **shown(one), text="- Else.")
        assert told["again"]
        told = page.ask(do="answer", id="p-none", n=1, seen="", verb="approve")
        assert told["again"]

"""Two machines and a shared directory: each message is taken in once, and what was refused stays refused."""

import shutil

import pytest
from tests.blackbox.post import Post, answer_of, home_id


def test_a_message_is_taken_in_once_and_its_copies_are_told_what_became_of_it(post: Post) -> None:
    letter = post.send("propose_behavioral_change", {"text": "- Ask first.", "reason": "a transfer was cut"})
    first = post.deliver(letter)
    assert (first[0], post.done()) == ("queued", ["queued", "peer"])
    (made,) = post.agent.proposals()
    again = answer_of(post.deliver(letter)[1])
    assert (again["status"], again["body"]["proposal"]) == ("queued", made["id"])
    post.wait(hours=30)  # it has expired
    assert post.deliver(letter)[0] == "queued"
    shutil.rmtree(post.agent.home / ".nightledger")
    assert post.deliver(letter)[0] == "queued"
    assert post.done() == ["queued", "peer"]


def test_what_was_sent_before_a_message_that_came_is_refused_for_good(post: Post) -> None:
    old, new = post.beat("old"), post.beat("new")
    assert post.deliver(new)[0] == "executed"
    for _ in range(2):
        assert post.deliver(old)[0] == "rejected"
    assert post.deliver(new)[0] == "executed"
    assert (post.done(), '"new"' in post.heartbeat()) == (["executed"], True)


def test_what_was_made_in_the_future_stays_refused_and_shuts_nothing_out(post: Post) -> None:
    post.ops.wait(hours=2)
    held = post.beat("held")
    post.ops.wait(hours=-2)
    assert post.deliver(held)[0] == "rejected"
    post.wait(hours=2.5)
    assert post.deliver(held)[0] == "rejected"
    assert post.deliver(post.beat("good"))[0] == "executed"
    assert post.done() == ["executed"]


def test_what_has_expired_stays_refused_though_the_clock_is_set_back(post: Post) -> None:
    now = int(post.ops.now.timestamp())
    held = post.letter("update_heartbeat", {"state": {}}, exp=now + 600, seq=now * 1000 - 1)
    post.wait(hours=1)
    assert post.deliver(held)[0] == "rejected"
    post.wait(hours=-1)
    assert post.deliver(held)[0] == "rejected"
    assert post.deliver(post.beat("good"))[0] == "executed"
    assert post.done() == ["executed"]


def test_a_message_for_another_home_is_refused_and_spends_no_number(post: Post) -> None:
    mine, other = post.beat("mine"), post.beat("other", to="third")
    assert post.deliver(other)[0] == "rejected"
    assert post.deliver(mine)[0] == "executed"
    assert post.done() == ["executed"]


def test_a_record_that_is_lost_opens_nothing_that_the_log_does_not_answer(post: Post) -> None:
    old, new = post.beat("old"), post.beat("new")
    assert post.deliver(new)[0] == "executed"
    post.record.unlink()
    assert [post.deliver(letter)[0] for letter in (old, new)] == ["rejected", "executed"]
    assert (post.done(), '"new"' in post.heartbeat()) == (["executed"], True)


def test_a_record_put_back_from_before_does_nothing_twice(post: Post) -> None:
    post.deliver(post.beat("first"))
    kept = post.record.read_bytes()
    letter = post.beat("second")
    post.deliver(letter)
    post.deliver(post.beat("third"))
    post.record.write_bytes(kept)
    assert post.deliver(letter)[0] == "executed"
    assert (post.done(), '"third"' in post.heartbeat()) == (["executed"] * 3, True)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"senders":[{"iss":7}]}', b"\xff"])
def test_a_damaged_record_is_an_alarm_and_the_message_waits(post: Post, raw: bytes) -> None:
    letter = post.beat("x")
    post.deliver(post.beat("later"))
    kept = post.record.read_bytes()
    post.record.write_bytes(raw)
    box = post.spool / home_id(post.agent) / "new" / letter.name
    box.write_bytes(letter.content)
    assert (post.agent.run("channel", "receive").status, box.exists()) == (4, True)
    post.record.write_bytes(kept)
    post.agent.ok("channel", "receive")
    assert post.done() == ["executed"]


def test_letters_of_one_round_are_dealt_with_in_the_order_in_which_they_were_put(post: Post) -> None:
    letters = [post.beat(str(n)) for n in range(6)]
    box = post.spool / home_id(post.agent) / "new"
    for letter in letters:
        (box / letter.name).write_bytes(letter.content)
    post.agent.ok("channel", "receive")
    assert (post.done(), '"5"' in post.heartbeat()) == (["executed"] * 6, True)

"""What was forgotten is never learned again, however often and in whatever words the logs repeat it."""

from datetime import timedelta

import pytest
from tests.jobs.nights import DAY, Nights, log_of, texts

from nightledger.domain.proposal import Op
from nightledger.gate.forgetting.letting_go import forget
from nightledger.gate.memory.naming import find_standing

PLANTED = "**Lesson learned:** `rsync` without `--checksum` misses edits within one second; always pass it to backups."
RETOLD = (
    "always pass `--checksum` to `rsync` in backups, because without it edits within one second are missed.",
    "`rsync` misses edits made within one second unless `--checksum` is passed, so backups always need it.",
    "backups must always run `rsync --checksum`: without it, edits within the same second are missed.",
    "never run `rsync` backups without `--checksum`; edits within one second are missed.",
    "edits within one second are missed by `rsync` without `--checksum`, always pass it to every backup.",
)
LABELS = (
    "**Lesson learned:**",
    "**Rule:**",
    "**Decision:**",
    "**Remember:**",
    "**Important:**",
    "**Standing rule:**",
)
NIGHTS = 30
SUBJECTS = (
    "relay",
    "proxy",
    "camera",
    "ledger",
    "mailer",
    "garden",
    "printer",
    "router",
    "archive",
    "scanner",
)
FAULTS = ("cron zone", "stale lock", "full disk")


def retellings() -> list[str]:
    return [f"{label} {text}" for label in LABELS for text in RETOLD]


def says_it(text: str) -> bool:
    return "rsync" in text or "checksum" in text


def plant_and_forget(nights: Nights) -> None:
    """Learn the sentence in the first night, sign it, and have it forgotten."""
    desk = nights.desk
    nights.write(f"{DAY}.md", log_of(PLANTED))
    proposal = nights.night().proposal
    assert proposal is not None
    assert [says_it(change.after) for change in proposal.changes] == [True]
    desk.approve(proposal)
    desk.wait(hours=3)
    desk.apply()
    standing = find_standing(desk.home, desk.ledger().book).entries
    (placed,) = [one for one in standing.values() if says_it(one.entry.text)]
    made = forget(desk.gate, desk.ledger(), placed, desk.moment, period="2026-03-02").proposal
    assert made is not None
    desk.approve(made)
    desk.wait(hours=3)
    desk.apply()
    assert not says_it(desk.text())


@pytest.mark.slow
def test_a_forgotten_sentence_is_never_proposed_again_over_thirty_nights_that_repeat_it(
    nights: Nights,
) -> None:
    plant_and_forget(nights)
    learned = 0
    for n, text in enumerate(retellings()):
        day = DAY + timedelta(days=1 + n)
        other = f"**Lesson learned:** the {SUBJECTS[n % 10]} hangs after a {FAULTS[n // 10]}; always restart unit {n} first."
        nights.write(f"{day}.md", log_of(text, other))
        done = nights.night(day)
        assert not any(
            says_it(change.after) for change in (done.proposal.changes if done.proposal else ())
        ), text
        learned += bool(done.proposal)
    assert len(retellings()) == NIGHTS
    assert learned > 0


def test_a_home_that_never_knew_it_learns_it_from_the_very_retellings(nights: Nights) -> None:
    found = 0
    for n, text in enumerate(retellings()[:5]):
        day = DAY + timedelta(days=n)
        nights.write(f"{day}.md", log_of(text))
        done = nights.night(day)
        found += any(says_it(one) for one in texts(done))
        if done.proposal:
            assert all(change.op is Op.ADD for change in done.proposal.changes)
            break
    assert found == 1


def test_what_stands_beside_a_forgotten_lesson_is_learned(nights: Nights) -> None:
    plant_and_forget(nights)
    day = DAY + timedelta(days=1)
    beside = "**Lesson learned:** the relay hangs after a full disk; always restart its unit first."
    nights.write(f"{day}.md", f"# Notes\n\n## Backups\n- **Lesson learned:** {RETOLD[0]}\n- {beside}\n")
    (learned,) = texts(nights.night(day))
    assert "restart its unit" in learned
    assert not says_it(learned)

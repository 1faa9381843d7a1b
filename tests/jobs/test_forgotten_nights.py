"""What was forgotten is never learned again, however often and in whatever words the logs repeat it."""

from datetime import timedelta

from tests.jobs.nights import DAY, LESSON, Nights, log_of, texts

from nightledger.gate.forgetting.letting_go import forget
from nightledger.gate.memory.naming import find_standing

RETOLD = (
    "always pass `--checksum` to `rsync` in backups, because without it edits within one second are missed."
)


def says_it(text: str) -> bool:
    return "rsync" in text or "checksum" in text


def plant_and_forget(nights: Nights) -> None:
    """Learn the sentence in the first night, sign it, and have it forgotten."""
    desk = nights.desk
    nights.write(f"{DAY}.md", log_of(LESSON))
    learned = nights.night().proposal
    standing = find_standing(desk.home, desk.ledger().book).entries
    assert learned is not None
    assert not any(says_it(one.entry.text) for one in standing.values())
    desk.approve(learned)
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


def test_a_home_that_never_knew_it_learns_it_and_one_that_forgot_it_what_stands_beside(
    nights: Nights,
) -> None:
    beside = "**Lesson learned:** the relay hangs after a full disk; always restart its unit first."
    plant_and_forget(nights)  # it was learned in the first night
    day = DAY + timedelta(days=1)
    nights.write(f"{day}.md", f"# Notes\n\n## Backups\n- **Lesson learned:** {RETOLD}\n- {beside}\n")
    (learned,) = texts(nights.night(day))
    assert "restart its unit" in learned
    assert not says_it(learned)

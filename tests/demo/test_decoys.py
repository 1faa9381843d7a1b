from datetime import date

from nightledger.demo.cast import Cast, slots_of
from nightledger.demo.decoys import add_decoys, idle_chat
from nightledger.demo.dice import Dice
from nightledger.demo.phrases import load_phrases
from nightledger.demo.plot import Day, Pace
from nightledger.demo.world import make_world

DATE = date(2026, 2, 1)
PHRASES = load_phrases()


def decoyed(seed: int, pace: Pace) -> Day:
    dice, today = Dice(seed, "d"), Day(date=DATE, pace=pace)
    world = make_world(Dice(seed, "w"), PHRASES.words)
    add_decoys(today, Cast(world, dice, DATE), dice, PHRASES)
    return today


def test_nothing_of_it_is_planted() -> None:
    for seed in range(50):
        today = decoyed(seed, Pace.BUSY)
        assert today.topics
        assert all(not topic.beats and topic.block for topic in today.topics)
        assert all(beat.mark is None for section in today.sections for beat in section.beats)


def test_quiet_days_have_fewer_of_them_than_busy_ones() -> None:
    quiet = sum(len(decoyed(seed, Pace.QUIET).topics) for seed in range(50))
    assert quiet < sum(len(decoyed(seed, Pace.BUSY).topics) for seed in range(50)) / 2


def test_every_slot_is_filled() -> None:
    for seed in range(50):
        lines = [line for topic in decoyed(seed, Pace.BUSY).topics for line in topic.block]
        assert not any(slots_of(line) for line in lines)


def test_an_idle_chat_says_nothing_that_lasts() -> None:
    world = make_world(Dice(1, "w"), PHRASES.words)
    chats = [idle_chat(Cast(world, Dice(seed, "c"), DATE), Dice(seed, "c"), PHRASES) for seed in range(30)]
    assert all(turn.mark is None for turns in chats for turn in turns)
    assert {turn.speaker for turns in chats for turn in turns} == {"user", "assistant", "system"}

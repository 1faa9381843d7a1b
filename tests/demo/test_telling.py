from datetime import date

from nightledger.demo.cast import Cast
from nightledger.demo.dice import Dice
from nightledger.demo.phrases import load_phrases
from nightledger.demo.plot import Beat, Day, Pace, Role
from nightledger.demo.sample import SHOWN, PlantKind, Told
from nightledger.demo.telling import Teller, add_to_section
from nightledger.demo.world import make_world

DATE = date(2026, 2, 1)
PHRASES = load_phrases()
STATEMENT = next(item for item in PHRASES.statements["rule"] if item.said)


def day() -> Day:
    return Day(date=DATE, pace=Pace.NORMAL)


def told(seed: int, kind: PlantKind = PlantKind.RULE) -> Day:
    """A day on which one statement was told."""
    dice, today = Dice(seed, "t"), day()
    world = make_world(Dice(seed, "w"), PHRASES.words)
    Teller(PHRASES, Cast(world, dice, DATE), dice, today).tell(STATEMENT, kind, "name")
    return today


def main_mark(today: Day) -> Told | None:
    beats = [beat for topic in today.topics for beat in topic.beats]
    beats += [beat for section in today.sections for beat in section.beats]
    marks = [*(beat.mark for beat in beats), *(turn.mark for turn in today.turns)]
    (main,) = (mark for mark in marks if mark is not None and mark.main)
    return main.told


DAYS = [told(seed) for seed in range(400)]


def test_each_statement_is_told_once_with_one_main_place_and_in_every_way() -> None:
    assert {main_mark(today) for today in DAYS} == set(Told)


def test_the_share_that_shows_it_is_the_one_counted_in_public_logs() -> None:
    shown = sum(main_mark(today) in SHOWN for today in DAYS) / len(DAYS)
    assert abs(shown - PHRASES.frames.shown["rule"] / 100) < 0.06


def test_facts_show_it_less_often_than_rules() -> None:
    facts = [main_mark(told(seed, PlantKind.FACT)) in SHOWN for seed in range(400)]
    assert abs(sum(facts) / len(facts) - PHRASES.frames.shown["fact"] / 100) < 0.06


def test_a_statement_told_twice_on_a_day_has_other_words_the_second_time() -> None:
    twice = [today for today in DAYS if today.sections and today.topics]
    assert twice
    for today in twice:
        assert today.topics[0].beats[0].text != today.sections[0].beats[0].text


def test_a_lesson_of_a_triplet_comes_after_context_and_reflection() -> None:
    triplets = [
        topic
        for today in DAYS
        for topic in today.topics
        if any(beat.role is Role.REFLECTION for beat in topic.beats)
    ]
    assert triplets
    assert all(
        [beat.label for beat in topic.beats] == ["CONTEXT", "REFLECTION", "LESSON"] for topic in triplets
    )


def test_sections_of_like_titles_are_one() -> None:
    today, dice = day(), Dice(1, "t")
    for text in ("one", "two"):
        add_to_section(today, ["Decisions", "Key Decisions"], Beat(role=Role.WORK, text=text), dice)
    add_to_section(today, ["Rules"], Beat(role=Role.WORK, text="three"), dice)
    assert [sorted(beat.text for beat in section.beats) for section in today.sections] == [
        ["one", "two"],
        ["three"],
    ]

from datetime import date

import pytest

from nightledger.demo.cast import Cast
from nightledger.demo.dice import Dice
from nightledger.demo.phrases import load_phrases
from nightledger.demo.world import World, make_world

DAY = date(2026, 2, 1)


def world(seed: int = 1) -> World:
    return make_world(Dice(seed, "world"), load_phrases().words)


def test_a_story_keeps_its_people_machines_and_sites() -> None:
    cast = Cast(world(), Dice(2, "c"), DAY)
    template = "{person} {person2} {host} {project} {service} {site} {folder}"
    assert cast.fill(template) == cast.fill(template)


def test_counts_are_drawn_anew_for_each_sentence_and_agree_within_one() -> None:
    cast = Cast(world(), Dice(2, "c"), DAY)
    first, again = cast.fill("{count}/{count}"), cast.fill("{count}/{count}")
    assert first != again
    assert first.split("/")[0] == first.split("/")[1]


def test_a_role_belongs_to_its_person() -> None:
    here = world()
    roles = {person.name: person.role for person in here.people}
    for seed in range(20):
        name, role = Cast(here, Dice(seed, "c"), DAY).fill("{person}|{person_role}").split("|")
        assert roles[name] == role


def test_two_people_of_a_story_are_two() -> None:
    for seed in range(50):
        first, second = Cast(world(), Dice(seed, "c"), DAY).fill("{person}|{person2}").split("|")
        assert first != second


def test_past_days_lie_before_the_story() -> None:
    cast = Cast(world(), Dice(2, "c"), DAY)
    assert date.fromisoformat(cast.fill("{past}")) < DAY
    assert date.fromisoformat(cast.fill("{day}")) < DAY


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError):
        Cast(world(), Dice(2, "c"), DAY).fill("{nobody}")

import pytest

from nightledger.domain.retention import (
    Use,
    centralities,
    confidence_of_use,
    network_of,
    well_connected_from,
)

LINKS = network_of([("cron", "time_zone"), ("cron", "path"), ("mail", "path")])


@pytest.mark.parametrize(
    ("useful", "harmful", "stated", "confidence"),
    [
        (0, 0, 0.5, 0.5),
        (0, 0, 0.8, 0.8),
        (2, 0, 0.5, 0.75),
        (0, 2, 0.5, 0.25),
        (8, 0, 0.5, 0.9),
        (1, 1, 0.8, 0.65),
    ],
)
def test_confidence_is_what_was_stated_until_outcomes_tell(
    useful: int, harmful: int, stated: float, confidence: float
) -> None:
    assert confidence_of_use(Use(useful=useful, harmful=harmful), stated) == pytest.approx(confidence)


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("", 0),
        ("water the fern", 0),
        ("cron has no path", 4),
        ("cron and cron again", 2),
        ("the time zone of cron", 3),
        ("time and zone", 0),
        ("mail", 1),
    ],
)
def test_an_entry_stands_with_the_tags_that_its_words_name(text: str, degree: int) -> None:
    assert LINKS.degree(text.split()) == degree


def test_centrality_is_a_share_of_the_best_connected() -> None:
    assert centralities([4, 2, 0]) == [1.0, 0.5, 0.0]
    assert centralities([0, 0]) == [0.0, 0.0]
    assert centralities([]) == []


@pytest.mark.parametrize(
    ("degrees", "least"),
    [
        ([], 1),
        ([0] * 10, 1),
        ([7, 0, 0, 0, 0], 7),
        ([9, 7, 7, 1, 0, 0, 0, 0, 0, 0], 7),
        ([3, 2, 1], 4),
        ([1] * 10, 1),
    ],
)
def test_the_top_fifth_is_one_in_five_and_never_without_a_link(degrees: list[int], least: int) -> None:
    assert well_connected_from(degrees) == least

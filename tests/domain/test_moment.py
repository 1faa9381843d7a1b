from tests.domain.gate_values import START, at

from nightledger.domain.moment import Moment


def test_a_moment_without_boot_clock_has_an_empty_one() -> None:
    assert at() == Moment(at=START, boot="", boot_s=0)
    assert at() != Moment(at=START, boot="one", boot_s=0)


def test_the_clocks_of_an_entry_are_those_it_tells_and_of_an_older_one_its_time_alone() -> None:
    assert Moment.of_entry({"boot": "one", "boot_s": 7}, START) == Moment(at=START, boot="one", boot_s=7)
    assert Moment.of_entry({"n": 1}, START) == Moment(at=START)

from tests.domain.gate_values import START, at

from nightledger.domain.moment import Moment


def test_a_moment_without_boot_clock_has_an_empty_one() -> None:
    assert at() == Moment(at=START, boot="", boot_s=0)
    assert at() != Moment(at=START, boot="one", boot_s=0)

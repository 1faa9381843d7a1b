"""What `verify` finds: each way to damage a log, with its class and its first bad place."""

import pytest
from tests.trust.worlds import World

from nightledger.trust import event as scan
from nightledger.trust.audit import verify
from nightledger.trust.report import Damage, Finding, Report


@pytest.fixture
def signed(world: World) -> World:
    """Nine entries under a checkpoint; heads of 1, 4, 7 and 9 entries were kept."""
    for numbers in ((1, 2, 3), (4, 5, 6), (7, 8)):
        world.append(*numbers)
        world.sign(keep=True)
    return world


def first_alarm(report: Report) -> Finding:
    return report.alarms[0]


# ------------------------------------------------------------------ all is well


def test_without_a_pin_form_and_roots_are_checked_and_the_rest_is_said(signed: World) -> None:
    report = verify(signed.home, None)
    assert (report.ok, report.signed_size) == (True, 9)
    assert report.unchecked == ("signatures: this machine has not pinned the log's keys",)
    signed.edit_line(5, b'"n":4', b'"n":5')
    assert first_alarm(verify(signed.home, None)).damage is Damage.EDITED


# ------------------------------------------------------------------ edited


# ------------------------------------------------------------------ entries are judged when they are read


@pytest.mark.parametrize("block", [1, 7, 256])
@pytest.mark.parametrize("tail", [b"half\rof\rit", b"a line\r\n\x0b\x0c\nanother\n", b"\n\n", b"\0" * 400])
def test_closed_tails_are_passed_over_whatever_they_hold(
    signed: World, monkeypatch: pytest.MonkeyPatch, block: int, tail: bytes
) -> None:
    monkeypatch.setattr(scan, "_BATCH", block)
    signed.write_log(signed.log_bytes() + tail)
    signed.append(50)
    signed.append(51)
    log = signed.check()
    assert log.report.ok
    assert [event.fields.get("n") for event in log.events[-3:-1]] == [None, 50]
    assert [event.seq for event in log.events][:9] == list(range(9))
    assert log.events[-1].seq == log.size - 1
    assert [name for name, _, _ in log.entries()].count("log.tail_closed") == 1
    signed.sign()
    assert signed.check().events == log.events

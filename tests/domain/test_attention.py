"""What of the operator's attention is asked for, and when it is asked for again."""

from datetime import UTC, datetime, timedelta

from tests.rows import corpus

from nightledger.domain.attention import AGAIN, Item, Need, list_needs, news

NOW = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)


def item(need: Need, key: str = "p-1", hours: float = 1) -> Item:
    return Item(need=need, key=key, since=NOW - timedelta(hours=hours))


def test_news_is_what_was_not_told_and_a_day_later_what_stands_once_more_and_an_alarm_always() -> None:
    known, new = item(Need.WAITING, "p-1"), item(Need.WAITING, "p-2")
    assert news([known, new], {known.mark: NOW}, NOW) == (new,)
    assert news([item(Need.FAILED, "p-1")], {known.mark: NOW}, NOW) != ()
    alarm = item(Need.ALTERED, "EDITED audit/log")
    told = {known.mark: NOW, alarm.mark: NOW}
    assert news([known, alarm], told, NOW + timedelta(hours=23)) == ()
    assert news([known, alarm], told, NOW + timedelta(days=1)) == (known, alarm)
    told[AGAIN + known.mark] = told[AGAIN + alarm.mark] = NOW
    assert news([known, alarm], told, NOW + timedelta(days=1)) == (alarm,)
    assert news([known, alarm], told, NOW - timedelta(minutes=1)) == (alarm,)


def test_the_page_names_each_need_with_its_command_and_no_age() -> None:
    items = [item(Need.MISSED, "2026-02-27", 36), item(Need.MISSED, "2026-02-26", 60)]
    items += [item(Need.WAITING, "p-2"), item(Need.WAITING, "p-1", 75), item(Need.DRIFT, "MEMORY.md")]
    items += [item(Need.ALTERED, "EDITED audit/log"), item(Need.REWRITTEN, "outcomes")]
    items += [item(Need.FAILED, f"link 2026-02-2{n}") for n in range(5)]
    assert list_needs(items) == corpus("domain-attention.txt")
    assert list_needs(list(reversed(items))) == list_needs(items)

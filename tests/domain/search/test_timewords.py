"""Times in queries: what they bound, in four languages, and what is no time."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain.search.timewords import TOLD_LATER, Times, read_times
from nightledger.text.dates import find_dates, time_words

TODAY = date(2026, 3, 11)
"""A Wednesday."""


def read(text: str, today: date = TODAY) -> Times:
    dates = {(found.start, found.end): found.day for found in find_dates(text, near=today)}
    return read_times(text, today=today, words=time_words(), dates=dates)


def days(text: str) -> tuple[str, str]:
    times = read(text)
    return str(times.since or ""), str(times.until or "")


@each_row(
    ("text", "since", "until"),
    [
        ("what broke yesterday?", "2026-03-10", "2026-03-10"),
        ("the day before yesterday the disk was full", "2026-03-09", "2026-03-09"),
        ("what did we decide last week", "2026-03-02", "2026-03-08"),
        ("what did we decide this week", "2026-03-09", "2026-03-11"),
        ("who joined last year", "2025-01-01", "2025-12-31"),
        ("outages in the last 3 days", "2026-03-08", "2026-03-11"),
        ("the outage 3 days ago", "2026-03-08", "2026-03-08"),
        ("the outage two weeks ago", "2026-02-22", "2026-02-28"),
        ("the outage a month ago", "2026-02-01", "2026-02-28"),
        ("what happened in February", "2026-02-01", "2026-02-28"),
        ("what happened in May", "2025-05-01", "2025-05-31"),
        ("invoices of early January 2025", "2025-01-01", "2025-01-11"),
        ("travel during summer 2025", "2025-06-01", "2025-08-31"),
        ("what did we learn in 2024?", "2024-01-01", "2024-12-31"),
        ("changes since February", "2026-02-01", ""),
        ("changes after February", "2026-03-01", ""),
        ("changes before February", "", "2026-01-31"),
        ("changes before 2026-02-03", "", "2026-02-02"),
        ("changes from 2026-02-03 to 2026-02-09", "2026-02-03", "2026-02-09"),
        ("between 9 February 2026 and 3 February 2026", "2026-02-03", "2026-02-09"),
        ("meeting on 3 March", "2026-03-03", "2026-03-03"),
        ("the call on Wednesday", "2026-03-04", "2026-03-04"),
        ("last weekend", "2026-03-07", "2026-03-08"),
    ],
)
def test_english_times(text: str, since: str, until: str) -> None:
    assert days(text) == (since, until)


@pytest.mark.parametrize(
    ("text", "as_if"),
    [
        ("faturalar in KASIM 2025", "faturalar in November 2025"),
        ("s\u0131x days ago", "six days ago"),
        ("LAST SİX DAYS", "last six days"),
        ("on FRİDAY", "on friday"),
        ("m\u0131d-January 2025", "mid-January 2025"),
        ("UNTİL March", "until March"),
    ],
)
def test_an_i_is_one_with_its_dot_and_without(text: str, as_if: str) -> None:
    assert days(text) == days(as_if) != ("", "")


@pytest.mark.parametrize(
    "words",
    [
        "between 2026-02-03 and 2026-02-09",
        "from 2026-02-03 to 2026-02-09",
        "zwischen 2026-02-03 und 2026-02-09",
        "vom 2026-02-03 bis 2026-02-09",
        "entre 2026-02-03 et 2026-02-09",
    ],
)
def test_what_stands_before_two_dates_is_no_word_to_look_for(words: str) -> None:
    assert read(f"crane {words}").rest.split() == ["crane"]
    assert read(f"crane {words}").said == words


@each_row(
    ("text", "since", "until"),
    [
        ("was war gestern kaputt", "2026-03-10", "2026-03-10"),
        ("was war letzte Woche", "2026-03-02", "2026-03-08"),
        ("was geschah vor 3 Tagen", "2026-03-08", "2026-03-08"),
        ("Änderungen seit Montag", "2026-03-09", ""),
        ("que s'est-il passé hier", "2026-03-10", "2026-03-10"),
        ("la semaine dernière", "2026-03-02", "2026-03-08"),
        ("la réunion lundi dernier", "2026-03-09", "2026-03-09"),
        ("el mes pasado", "2026-02-01", "2026-02-28"),
        ("cambios desde febrero", "2026-02-01", ""),
        ("vorige Woche", "2026-03-02", "2026-03-08"),
        ("la settimana scorsa", "2026-03-02", "2026-03-08"),
        ("\u0432\u0447\u0435\u0440\u0430", "2026-03-10", "2026-03-10"),
    ],
)
def test_times_of_other_languages(text: str, since: str, until: str) -> None:
    assert days(text) == (since, until)


NO_TIMES = [
    "", "how do we march through the list", "she may come", "port 2024 is taken", "the last resort", "week numbers",
    "以上周期", "网上周边", "船上月亮", "前年度预算", "3个月的合同", "每周一备份", "毎週月曜日", "매주 월요일", "很久以前的事", "5개월 계약", "バックアップ",
]  # fmt: skip


@each_row("text", NO_TIMES)
def test_words_that_tell_no_time_are_left_alone(text: str) -> None:
    assert read(text) == Times(rest=text)


def test_what_told_the_time_is_no_word_of_the_query_any_more() -> None:
    times = read("what broke in the proxy since last week?")
    assert times.said == "since last week"
    assert times.rest.split() == ["what", "broke", "in", "the", "proxy", "?"]


@pytest.mark.parametrize(
    "text", ["yesterday's backup", "backup, last week\u2019s", "March's backup of 2026-03-02's"]
)
def test_what_belongs_to_a_time_leaves_no_letter_behind(text: str) -> None:
    assert "s" not in read(text).rest.split()


def test_what_happened_is_told_of_for_a_fortnight() -> None:
    times = read("what happened in February")
    assert times.holds(date(2026, 2, 1))
    assert not times.holds(date(2026, 1, 31))
    assert times.holds(date(2026, 2, 28) + TOLD_LATER)
    assert not times.holds(date(2026, 2, 28) + TOLD_LATER + timedelta(days=1))


@given(st.text(max_size=60), st.dates(min_value=date(2000, 1, 1), max_value=date(2100, 1, 1)))
def test_any_text_is_read_and_bounds_are_in_order(text: str, today: date) -> None:
    times = read(text, today)
    if times.since and times.until:
        assert times.since <= times.until


# ---------------------------------------------------------------- Chinese, Japanese, Korean


@each_row(
    "text, since, until, rest",
    [
        ("昨天部署失败了什么", "2026-03-10", "2026-03-10", "部署失败了什么"),
        ("上周部署", "2026-03-02", "2026-03-08", "部署"),
        ("这周部署", "2026-03-09", "2026-03-11", "部署"),
        ("上周三的会议", "2026-03-04", "2026-03-04", "会议"),
        ("周一的会议", "2026-03-09", "2026-03-09", "会议"),
        ("上个月的账单", "2026-02-01", "2026-02-28", "账单"),
        ("去年谁加入了", "2025-01-01", "2025-12-31", "谁加入了"),
        ("3月的账单", "2026-03-01", "2026-03-31", "账单"),
        ("去年三月份的账单", "2025-03-01", "2025-03-31", "账单"),
        ("三天前的断电", "2026-03-08", "2026-03-08", "断电"),
        ("3个月之前的断电", "2025-12-01", "2025-12-31", "断电"),
        ("最近三天的断电", "2026-03-08", "2026-03-11", "断电"),
        ("2月之后的断电", "2026-03-01", "", "断电"),
        ("2026年2月3日到2026年2月9日断电", "2026-02-03", "2026-02-09", "断电"),
        ("昨日の障害", "2026-03-10", "2026-03-10", "障害"),
        ("先週デプロイしたもの", "2026-03-02", "2026-03-08", "デプロイしたもの"),
        ("先週の金曜日の会議", "2026-03-06", "2026-03-06", "会議"),
        ("月曜日の会議", "2026-03-09", "2026-03-09", "会議"),
        ("昨年の請求書", "2025-01-01", "2025-12-31", "請求書"),
        ("3月の請求書", "2026-03-01", "2026-03-31", "請求書"),
        ("昨年の5月の請求書", "2025-05-01", "2025-05-31", "請求書"),
        ("3日前の停電", "2026-03-08", "2026-03-08", "停電"),
        ("3ヶ月前の停電", "2025-12-01", "2025-12-31", "停電"),
        ("過去3日間の停電", "2026-03-08", "2026-03-11", "停電"),
        ("先週からの停電", "2026-03-02", "", "停電"),
        ("2月までの停電", "", "2026-02-28", "停電"),
        ("어제 배포", "2026-03-10", "2026-03-10", "배포"),
        ("지난주에 배포한 것", "2026-03-02", "2026-03-08", "배포한 것"),
        ("지난주 월요일 회의", "2026-03-02", "2026-03-02", "회의"),
        ("월요일 회의", "2026-03-09", "2026-03-09", "회의"),
        ("지난달 청구서", "2026-02-01", "2026-02-28", "청구서"),
        ("작년 청구서", "2025-01-01", "2025-12-31", "청구서"),
        ("3월 청구서", "2026-03-01", "2026-03-31", "청구서"),
        ("3일 전 정전", "2026-03-08", "2026-03-08", "정전"),
        ("일주일 전 정전", "2026-03-01", "2026-03-07", "정전"),
        ("최근 3일 동안 정전", "2026-03-08", "2026-03-11", "정전"),
        ("2월까지 정전", "", "2026-02-28", "정전"),
        ("2월 이후 정전", "2026-03-01", "", "정전"),
    ],
)
def test_times_of_east_asia(text: str, since: str, until: str, rest: str) -> None:
    assert (*days(text), read(text).rest.strip()) == (since, until, rest)

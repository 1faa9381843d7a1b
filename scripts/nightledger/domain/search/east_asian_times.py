"""Words of Chinese, Japanese and Korean that tell a time, as days: last week, March, three days ago, until Monday.

These have no blanks to tell a word by, so a word that is also the end of one word and the beginning of another is read
only where no such word is known (``_NOT_BEFORE``, ``_NOT_AFTER``).

Invariant: what a table does not hold is no time.
"""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from nightledger.domain.search.days import (
    DAY,
    MONTH,
    WEEK,
    YEAR,
    ago,
    month_of,
    period,
    weekday_before,
    year_of,
)

_NUMBERS = {one: n for n, one in enumerate("一二三四五六七八九十", 1)} | {
    "两": 2, "兩": 2, "十一": 11, "十二": 12, "한": 1, "두": 2, "세": 3, "네": 4, "일": 1,
}  # fmt: skip
_UNITS = {
    "天": DAY, "日": DAY, "日間": DAY, "일": DAY,
    "周": WEEK, "週": WEEK, "週間": WEEK, "星期": WEEK, "礼拜": WEEK, "禮拜": WEEK, "주": WEEK, "주일": WEEK, "주간": WEEK,
    "个月": MONTH, "個月": MONTH, "か月": MONTH, "ヶ月": MONTH, "カ月": MONTH, "ヵ月": MONTH, "달": MONTH, "개월": MONTH,
    "年": YEAR, "년": YEAR,
}  # fmt: skip
_DAYS_AGO = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "열흘": 10}
_WORDS: tuple[tuple[str, int, int], ...] = (
    ("前天|一昨日|おととい|그저께", DAY, 2),
    ("昨天|昨日|昨晚|昨夜|昨晩|きのう|어제|어젯밤", DAY, 1),
    ("今天|今日|今早|今晚|今朝|오늘", DAY, 0),
    ("上上个?(?:周|星期|礼拜)|上上個?(?:週|星期|禮拜)|先々週|지지난 ?주", WEEK, 2),
    ("上个?(?:周|星期|礼拜)|上個?(?:週|星期|禮拜)|先週|(?:지난|저번) ?주", WEEK, 1),
    ("[这本]个?(?:周|星期|礼拜)|[這本]個?(?:週|星期|禮拜)|今週|이번 ?주", WEEK, 0),
    ("上上个月|上上個月|先々月|지지난 ?달", MONTH, 2),
    ("上个月|上個月|上月|先月|(?:지난|저번) ?달", MONTH, 1),
    ("[这這][个個]月|本月|今月|이번 ?달|이달", MONTH, 0),
    ("前年|一昨年|おととし|재작년", YEAR, 2),
    ("去年|昨年|작년|지난 ?해", YEAR, 1),
    ("今年|올해", YEAR, 0),
)
"""What says it, the period, and how many of them back."""
_NOT_BEFORE = "(?<![日目之以晚网網线線])"
"""After these the first letter belongs to another word: ``日本周…``, ``网上周…``, ``目前年…``."""
_NOT_AFTER = "(?![边邊围圍期转轉知全刊密岁歲亮球光色饼餅度輪])"
"""Before these the last letter does: ``上周边``, ``上月亮``, ``前年度``."""
_WEEKDAYS = ("一月월", "二火화", "三水수", "四木목", "五金금", "六土토", "日天일")
_NAMED_DAY = re.compile(
    "(?<![每毎一매])(?:(?:周|週|星期|礼拜|禮拜)(?P<zh>[一二三四五六日天])(?![次个個天年月直])"
    "|(?<!毎週)(?P<ja>[月火水木金土日])曜日?|(?<!매주 )(?P<ko>[월화수목금토일])요일)"
)
_WEEKEND = re.compile("の?末|말| ?주말")
_IN_MONTH = re.compile(
    r"(?:(?P<year>20\d\d)\s?[年년]\s?|(?P<named>去年|昨年|今年|작년|올해)\s?的?の?)?"
    r"(?<![\d一二十])(?P<month>1[0-2]|0?[1-9]|十[一二]|[一二三四五六七八九十])\s?[月월]份?"
    r"(?!\s?\d|[日号號間间饼亮球光天드曜])(?P<part>初|上旬|초|中旬|중순|底|末|下旬|말)?"
)
_IN_YEAR = re.compile(r"(?<!\d)(?P<year>20\d\d)\s?[年년](?!\s?\d|[前전間间])")
_NUMBER = "|".join((r"\d{1,3}", *sorted(_NUMBERS, key=len, reverse=True)))
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_COUNTED = rf"(?<![\d月월])(?P<n>{_NUMBER})\s?[个個]?(?P<unit>{_UNIT})"
_AGO = re.compile(rf"{_COUNTED}\s?(?:[之以]?前(?![天后後])|전)|(?P<days>{'|'.join(_DAYS_AGO)})\s?전")
_WITHIN = re.compile(
    rf"(?:最近|过去|過去|直近|近|这|這|최근|지난)的?の?\s?{_COUNTED}(?:間|间|内|內|以内|以來|来|里|\s?동안|간)?"
)
_PARTS = {"初": 1, "上旬": 1, "초": 1, "中旬": 2, "중순": 2, "底": 3, "末": 3, "下旬": 3, "말": 3}
_SIDES = (
    ("since", "以来|以來|から|以降|부터|이래|起|开始|開始"),
    ("after", "之后|之後|以后|以後|이후|후"),
    ("before", "之前|以前|より前|の前|이전|전|前"),
    ("until", "为止|為止|まで|까지"),
)
_SIDE = re.compile(rf"\s?(?:{'|'.join(f'(?P<{side}>{words})' for side, words in _SIDES)})(?:に|の|的|에)?")
_PARTICLE = re.compile("的|の|には?|は|에는?|의|은|는")
_LETTERS = "\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_EVENT = re.compile(
    rf"(?P<event>[{_LETTERS}]{{2,16}}?)"
    r"(?:(?P<before>之前|以前|(?<!の)前に|\s전에)|(?P<after>之后|之後|以后|以後|以降|た後|の後|\s후에|\s이후))"
)
_NO_EVENT = re.compile("很久|不久|多年|多久|从|從|今$|昔|ずっと|[几幾]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A time that was told.

    Attributes:
        start: First character, from 0.
        end: One past the last.
        days: First and last day.
    """

    start: int
    end: int
    days: tuple[date, date]


def read_east_asian(text: str, today: date) -> Told | None:
    """Read the time that a text tells in Chinese, Japanese or Korean; None where it tells none.

    Args:
        text: The query.
        today: The day it is asked on.
    """
    if text.isascii():
        return None
    return (
        _within(text, today)
        or _counted(text, today)
        or _month(text, today)
        or _word(text, today)
        or _day(text, today)
    )


def side_after(text: str, end: int) -> tuple[str, int]:
    """Give how what follows a time bounds it, and where that ends.

    Returns:
        ``since``, ``after``, ``before``, ``until``, or "" for the time itself.
    """
    if match := _SIDE.match(text, end):
        return next(name for name, _ in _SIDES if match[name]), match.end()
    match = _PARTICLE.match(text, end)
    return "", match.end() if match else end


def event_of(text: str) -> tuple[str, str, str] | None:
    """Give what bounds a time by what happened: ``before`` or ``after``, its words, and all that says it."""
    match = _EVENT.search(text)
    if match is None or _NO_EVENT.search(match["event"]):
        return None
    return "before" if match["before"] else "after", match["event"], match[0]


def _told(match: re.Match[str], days: tuple[date, date]) -> Told:
    return Told(start=match.start(), end=match.end(), days=days)


def _within(text: str, today: date) -> Told | None:
    match = _WITHIN.search(text)
    if match is None:
        return None
    return _told(match, (today - timedelta(days=_number(match["n"]) * _UNITS[match["unit"]]), today))


def _counted(text: str, today: date) -> Told | None:
    match = _AGO.search(text)
    if match is None:
        return None
    if match["days"]:
        return _told(match, ago(today, _DAYS_AGO[match["days"]], DAY))
    return _told(match, ago(today, _number(match["n"]), _UNITS[match["unit"]]))


def _month(text: str, today: date) -> Told | None:
    if match := _IN_MONTH.search(text):
        number = _number(match["month"])
        year = year_of(number, today)
        if match["year"]:
            year = int(match["year"])
        elif match["named"]:
            year = today.year - (match["named"] in ("去年", "昨年", "작년"))
        return _told(match, month_of(year, number, _PARTS.get(match["part"] or "", 0)))
    if match := _IN_YEAR.search(text):
        number = int(match["year"])
        return _told(match, (date(number, 1, 1), date(number, 12, 31)))
    return None


def _word(text: str, today: date) -> Told | None:
    for words, unit, back in _WORDS:
        if match := re.search(f"{_NOT_BEFORE}(?:{words}){_NOT_AFTER}", text):
            first, last = period(today, unit, back)
            if unit == WEEK and (inner := _in_week(text, match.end(), first)):
                return Told(start=match.start(), end=inner[0], days=inner[1])
            return _told(match, (first, last))
    return None


def _in_week(text: str, end: int, monday: date) -> tuple[int, tuple[date, date]] | None:
    """Read the day or the weekend of a week that was named: ``上周三``, ``先週の金曜日``, ``지난주 월요일``."""
    if match := _WEEKEND.match(text, end):
        return match.end(), (monday + timedelta(days=5), monday + timedelta(days=6))
    match = re.compile(
        "[ の]?(?P<day>[一二三四五六日天](?![次个個天年])|[月火水木金土日]曜日?|[월화수목금토일]요일)"
    ).match(text, end)
    if match is None:
        return None
    day = monday + timedelta(days=_weekday(match["day"][0]))
    return match.end(), (day, day)


def _day(text: str, today: date) -> Told | None:
    match = _NAMED_DAY.search(text)
    if match is None:
        return None
    day = weekday_before(today, _weekday(match["zh"] or match["ja"] or match["ko"]))
    return _told(match, (day, day))


def _weekday(letter: str) -> int:
    return next(n for n, letters in enumerate(_WEEKDAYS) if letter in letters)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]

"""The signs by which an item of memory shows that it no longer belongs: the rows.

Invariant: a sign looks at one item and where it stands, and says nothing about its
subject. Weights are log-odds; ``docs/decisions/0010-check-up.md`` says how they were found.
"""

# ruff: noqa: RUF001 - marks and words of other scripts are part of these rows
import re
from collections.abc import Callable
from dataclasses import dataclass

from nightledger.domain.doubt import DoubtLabel
from nightledger.text.checkup.timing import (
    duty_passed,
    had_a_deadline,
    has_ended,
    holds_since,
    is_fresh,
    last_looked,
    missed_deadline,
    opens_with_last,
    was_appointed,
    was_looked_at,
    was_temporary,
)
from nightledger.text.checkup.units import UnitKind
from nightledger.text.checkup.view import View
from nightledger.text.checkup.words import closes, has, is_heading, reports, rests, starts, states, tells
from nightledger.text.dates import find_dates

BIAS = -2.5
"""Log-odds that an item without any sign is doubtful: one in thirteen."""

_STALE, _CLOSED, _JUNK, _GENERATED = (
    DoubtLabel.STALE,
    DoubtLabel.CLOSED,
    DoubtLabel.JUNK,
    DoubtLabel.GENERATED,
)
_TICK = re.compile("(?<!/)(?:[✅☑✔✓🎉]\ufe0f?|:white_check_mark:)(?!\\s?/)")
"""A tick; between slashes it explains a mark instead of giving one."""
_WAITS = re.compile("(?<!/)[⏳🔄🚧🔭🆕](?!\\s?/)")
_PROMOTED = re.compile(r"memory-promotion:|\[score=\d|\brecalls=\d|dreaming:(?:light|rem|deep)")
_HASH = re.compile(r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w.-])")
_VERSION = re.compile(
    r"(?<![\w./:-])(?!\d{1,3}(?:\.\d{1,3}){3}(?![.\d]))(?!\d\d?\.\d\d?\.20\d\d)(?:v?\d+\.\d+\.\d+[\w.-]*|v\d+(?:\.\d+)+)"
)
"""Three numbers and more, or a v; an address of a machine or a date is none."""
_VERSION_LABEL = re.compile(
    r"\bvers(?:ion|ión|ão|ione|ie)\b|версия|sürüm|版本|バージョン|버전", re.IGNORECASE
)
_LIMIT = re.compile(r"[<>≤≥]\s?\d")
"""A label with a limit explains what a state means."""
_SCORE = re.compile(r"(?<![\d.])0\.\d{3,4}(?!\d|\s?%)|\bQ=0\.\d+")
_MEASURE = re.compile(
    r"[<>~≈]\s?\d[\d.,]*\s?(?:ms|s|sec|min|x|%)(?!\w)|(?<!\d)\d+\s?%\s?(?:recall|uptime|confidence|complete|done|success|coverage|accuracy|fertig)"
    r"|(?<![\w.])\d+\s?(?:errors?|passed|failures?|failed)\b|\d\s?ms\b|\(\d+/\d+\)|\((?:was|vs\.?|war|était|antes|era) [^)]*\d[^)]*\)|(?<!\d)\d+ tests? (?:passed|passent)",
    re.IGNORECASE,
)
"""What is measured, not set: approximate, compared, or a share of success."""
_ASIDE = re.compile(r"^[\s*_]*[(\[（【].*[)\]）】][\s*_.]*$", re.DOTALL)
_ANSWER = re.compile(r"[?？]\s*(?:[✅☑✔✓]\ufe0f?|→|->|:)\s*\w")
"""A question with its answer, which is what somebody wanted to remember."""
_STRUCK = re.compile(r"~~[^~\n]+~~")
_OVER_ON = re.compile(
    r"(?<![\w-])(?:done|closed|resolved|fixed|answered|settled|cancell?ed|withdrawn|erledigt|geklärt|gelöst|storniert"
    r"|clos[e]?|résolue?|réglée?|annulée?|hech[oa]|cerrad[oa]|resuelt[oa]|cancelad[oa]|feit[oa]|resolvid[oa]|encerrad[oa]|chius[oa]"
    r"|risolt[oa]|afgerond|opgelost|gesloten|закрыто|сделано)[*_]*[:,]?\s\(?(?:(?:on|am|le|el|em|il|op)\s)?$"
    r"|(?:已解决|已解決|已关闭|完了|終了|완료|해결됨)[(（：:]?\s?$",
    re.IGNORECASE,
)
_STORY = re.compile(r"\)?\s*(?::|→|->|[-–—]\s)")
"""What leads from the day of an end to what was found out."""
_BUILD = re.compile(
    r"\b(?:build|commit|rev(?:ision)?|сборка)\b[:#]?\s?(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"(?<![\w.:/–-])\d{1,5}\s+(?:(?![ap]m\b)\w+\s)?(?:total|enabled|disabled|active|errors?|files?|tests?|jobs?|docs?|items?|entries|tasks?|commits?|runs?)\b",
    re.IGNORECASE,
)
UPDATED = re.compile(
    r"(?:last )?(?:updated?|reviewed?|sync(?:ed)?|consolidat\w+|refreshed|modified|generated)\b|(?:last|next) (?:\w+ )?(?:update|review|run|check|sync)"
    r"|letzte\w* \w+|zuletzt|aktualisiert|stand$|dernière \w+|mise? à jour|última \w+|actualizad\w*|atualizad\w*|ultimo \w+|aggiornat\w*|обновлен\w*"
    r"|последнее \w+|son güncelleme|cập nhật|最[后後]更新|最近更新|更新(?:日期|時間|时间)?$|最終更新|마지막 \w+",
    re.IGNORECASE,
)
_AS_OF = re.compile(
    r"\b(?:as of|stand|état au|a fecha de|em|al|на) (?=20\d\d-)|截至|時点|현재", re.IGNORECASE
)
_POINTER = re.compile(r"memory/(?:\w+/)?20\d\d-\d\d-\d\d\.md")
_FORMER = re.compile(
    r"\W*(?:(?:previous|former|früher\w*|ehemalig\w*|précédent\w*|anterior|precedente|прежн\w*|бывш\w*)\b|以前的|原先的|이전의)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?<!\bget )(?<!\bgets )(?<!\bbe )(?<!\bto )\b(?:removed|deleted|retired|dropped|gelöscht|entfernt|supprimée?s?|eliminad[oa]s?|removid[oa]s?|rimoss[oaie]|удален[аоы]?)\s*(?:\([^)]*\)|20\d\d-\d\d-\d\d|[.,;—–]|$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[./_]|\w-\w|^$")
"""A file or a name instead of a word; or nothing."""
_SHORT = 120
"""Characters up to which an item says one thing: half of the kept lines of public logs are under 84."""
_LONG = 200
"""Characters from which an item holds more than the sign that it shows."""
_POINTS = re.compile(
    r"`[^`]+`|\]\(|https?://|(?<!\w)~?/[\w.-]+/|\b[\w-]+/[\w.-]+\.\w{1,4}\b|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"
)
"""A name in backticks, a link, a path or an address: what somebody will look up here."""
_SENTENCE = 6
"""Words from which a cell tells more than a state."""
_WIDE_TABLE = 3
"""Columns beyond which a row tells more than the state of its subject."""
_ENUMERATION = re.compile(r"[\w-]+(?:\s*[,/|、]\s*[\w-]+){2,}$")
"""Words in a row: the states that there are, not the state that there is."""
_LONG_ENUMERATION = re.compile(r"(?:^|\s)[\w-]+(?:\s*[,/|、]\s*[\w-]+){3,}$")
_ABOUT_FILE = re.compile(
    r"\b(?:files?|memory|daily|logs?|datei|protokolle|fichiers?|mémoire|archivos?|memoria|arquivos?|memória|файл\w*|память)\b|文件|檔案|记忆|記憶|ファイル|メモリ|파일|메모리",
    re.IGNORECASE,
)
_FOR_A_WHILE = re.compile(
    r"(?<!\w)(?:until|till|for now|meanwhile|for the time being|temporar\w+|bis|vorerst|vorläufig|jusqu['’]\w*|provisoire\w*|hasta|por ahora|até|por enquanto"
    r"|per ora|fino a|tot|voorlopig|пока|временно)(?!\w)|暂时|暫時|临时|直到|当面|一時的",
    re.IGNORECASE,
)
_ITALIC = re.compile(r"^([_*])(?!\1).*\1$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One row.

    Attributes:
        name: Enumerated word.
        label: What an item that shows it is.
        weight: Log-odds that it adds; negative for what rules and wishes look like.
        reason: Clause for the operator; empty for a shield.
        test: Whether an item shows it.
    """

    name: str
    label: DoubtLabel
    weight: float
    reason: str
    test: Callable[[View], bool]


def _row(name: str, label: DoubtLabel, weight: float, reason: str, test: Callable[[View], bool]) -> Sign:
    return Sign(name=name, label=label, weight=weight, reason=reason, test=test)


def _is_row(view: View) -> bool:
    return view.unit.kind is UnitKind.ROW


def _columns(kind: str, view: View) -> int:
    return sum(is_heading(kind, column) for column in view.unit.columns)


def _is_date_alone(view: View) -> bool:
    return bool(view.headings) and view.headings[-1].is_date_alone


def _ends_in_version(view: View) -> bool:
    short = bool(view.label) and len(view.plain) <= 48  # noqa: PLR2004 - a name and its version
    return (
        short
        and not any(mark in view.value for mark in "/,，")
        and not _VERSION.match(view.value)
        and bool(_VERSION.search(view.value))
    )


def _is_struck(view: View) -> bool:
    """Say whether all is struck out but a word about the end; what is struck for something new was corrected."""
    rest = _STRUCK.sub(" ", view.unit.text)
    if rest == view.unit.text:
        return False
    left = re.sub(r"[\W\d_]+", " ", rest).strip()
    over = not left or rests(rest) or starts("gone", rest)
    dated = len(left.split()) <= 3 and any(day.day < view.today for day in find_dates(rest))  # noqa: PLR2004 - "booked on", "paid by Anna"
    return over or dated


def _is_under_open_work(view: View) -> bool:
    """Say whether a heading says that what stands under it waits, and the item says neither that nor that it is over."""
    if not any(heading.waits for heading in view.headings):
        return False
    over = view.unit.box == "x" or _TICK.search(view.plain) or any(rests(cell) for cell in view.unit.cells)
    return not over and not _is_struck(view) and not tells("waiting", view.prose)


def _is_over_on(view: View) -> bool:
    """Say whether a word of end has its past date right behind it, and no story of how it was ended."""
    return any(
        day.day < view.today
        and _OVER_ON.search(view.plain[max(0, day.start - 32) : day.start])
        and not _STORY.match(view.plain, day.end)
        for day in view.dates
    )


def _tells_more(view: View) -> bool:
    """Say whether a cell besides the name of the row and its state points somewhere or tells a sentence."""
    cells = (cell for cell in view.unit.cells[1:] if not (states(cell) or closes(cell) or _TICK.search(cell)))
    return any(_POINTS.search(cell) or len(cell.split()) >= _SENTENCE for cell in cells)


def _is_footer(view: View) -> bool:
    if not view.is_last:
        return False
    about = bool(view.dates) or _ABOUT_FILE.search(view.plain) is not None
    return about and _ITALIC.match(view.unit.text.strip()) is not None


def _only_points(view: View) -> bool:
    return _POINTER.search(view.plain) is not None and len(_POINTER.sub("", view.plain)) <= 24  # noqa: PLR2004 - a name for the file


SIGNS: tuple[Sign, ...] = (
    _row("promoted", _GENERATED, 5.0, "it is the note of a tool that promotes memories by score", lambda v: bool(_PROMOTED.search(v.unit.text))),
    _row("run_note", _GENERATED, 3.0, "it reports on the run that wrote it", lambda v: has("run", v.prose)),
    _row("box", _CLOSED, 3.4, "its box is ticked", lambda v: v.unit.box == "x"),
    _row("tick_first", _CLOSED, 2.3, "it begins with a tick", lambda v: bool(_TICK.match(v.plain)) and v.unit.box != "x"),
    _row("tick_row", _CLOSED, 1.0, "it is a row with a tick", lambda v: _is_row(v) and bool(_TICK.search(v.plain))),
    _row("row_state", _STALE, 1.6, "a cell of it is a state of the day", lambda v: any(states(cell) or closes(cell) for cell in v.unit.cells[1:])),
    _row("tick", _CLOSED, 2.3, "it carries a tick", lambda v: not _is_row(v) and bool(_TICK.search(v.plain)) and not _TICK.match(v.plain)),
    _row("gone", _CLOSED, 3.1, "it says that its subject is gone", lambda v: len(v.plain) <= _SHORT and tells("gone", v.prose)),
    _row("gone_in", _CLOSED, 1.6, "something in it is gone", lambda v: len(v.plain) > _SHORT and tells("gone", v.prose)),
    _row("ended", _CLOSED, 2.6, "it says that something was taken away", lambda v: len(v.plain) <= _LONG and bool(_ENDED.search(v.plain))),
    _row("former", _CLOSED, 3.0, "it speaks of what was before", lambda v: bool(_FORMER.match(v.prose))),
    _row("done", _CLOSED, 0.6, "it reports work that is over", lambda v: reports("done", v.prose)),
    _row("done_end", _CLOSED, 1.4, "a clause of it ends in work that is over", lambda v: not v.unit.cells and closes(v.prose)),
    _row("did", _CLOSED, 1.6, "it reports what was done that day", lambda v: not v.label and starts("did", v.prose)),
    _row("struck", _CLOSED, 3.4, "it is struck out", _is_struck),
    _row("over_label", _CLOSED, 2.8, "it is marked as over", lambda v: rests(v.label or v.plain)),
    _row("over_value", _CLOSED, 1.4, "its status is that it is over", lambda v: is_heading("status", v.label) and rests(v.value)),
    _row("over_on", _CLOSED, 1.6, "it names the day on which it was over", _is_over_on),
    _row("over_end", _CLOSED, 1.4, "it closes with that day", lambda v: _is_over_on(v) and v.dates[-1].end >= len(v.plain.rstrip(" .)"))),
    _row("status_row", _STALE, 1.8, "it is a row of a table that shows a state", lambda v: _is_row(v) and _columns("status", v) > 0),
    _row("timer_row", _STALE, 3.6, "it is a row of a table that a timer keeps", lambda v: _is_row(v) and _columns("timer", v) > 0),
    _row("task_row", _STALE, 2.5, "it is a row of a list of work, which drifts", lambda v: _is_row(v) and _columns("task", v) > 1),
    _row("updated", _STALE, 3.0, "it says when something was last or next updated", lambda v: bool(UPDATED.match(v.label)) and bool(v.dates)),
    _row("status_line", _STALE, 1.0, "it is a line of status", lambda v: not _NAME.search(v.label) and is_heading("status", v.label)),
    _row("state", _STALE, 3.3, "its value is a state of the day", lambda v: bool(v.label) and not _LIMIT.search(v.label) and states(v.value)),
    _row("version", _STALE, 3.3, "its value is a version, which drifts", lambda v: bool(v.label) and not _VERSION_LABEL.search(v.label) and bool(_VERSION.match(v.value.lstrip("(~≈= ")))),
    _row("version_label", _STALE, 3.3, "it names a version, which drifts", lambda v: bool(_VERSION_LABEL.search(v.label)) and bool(re.match(r"v?\d", v.value))),
    _row("version_end", _STALE, 3.1, "it ends in a version, which drifts", _ends_in_version),
    _row("score", _STALE, 3.0, "it holds a score of one day", lambda v: bool(_SCORE.search(v.plain))),
    _row("measures", _STALE, 3.4, "it holds measurements", lambda v: len(v.plain) <= _LONG and len(_MEASURE.findall(v.plain)) > 1),
    _row("measure", _STALE, 0.9, "it holds a measurement", lambda v: len(_MEASURE.findall(v.plain)) == 1 or (len(v.plain) > _LONG and bool(_MEASURE.search(v.plain)))),
    _row("counts", _STALE, 2.9, "it holds counts that change", lambda v: len(_COUNT.findall(v.plain)) > 1),
    _row("waits", _STALE, 3.3, "it waits for something", lambda v: len(v.plain) <= _SHORT and tells("waiting", v.prose)),
    _row("waits_in", _STALE, 1.8, "something in it waits", lambda v: len(v.plain) > _SHORT and tells("waiting", v.prose)),
    _row("wait_mark", _STALE, 1.5, "it carries a mark of work under way", lambda v: bool(_WAITS.search(v.plain))),
    _row("as_of", _STALE, 3.2, "it holds as of a past date", lambda v: bool(_AS_OF.search(v.plain))),
    _row("now", _STALE, 0.7, "it speaks of its own day", lambda v: has("now", v.prose)),
    _row("missed", _STALE, 1.5, "its date has passed", missed_deadline),
    _row("ended_on", _STALE, 3.2, "the end that it names has passed", has_ended),
    _row("duty", _STALE, 4.6, "the day on which it was to be done has passed", duty_passed),
    _row("deadline", _STALE, 1.6, "the day by which it was to be has passed", lambda v: had_a_deadline(v) and not reports("done", v.prose) and not starts("did", v.prose)),
    _row("appointed", _STALE, 3.2, "it is about an hour that has passed", was_appointed),
    _row("temporary", _STALE, 1.6, "it was temporary", was_temporary),
    _row("last_look", _STALE, 2.5, "it tells of a last look, which drifts", last_looked),
    _row("last_first", _STALE, 1.2, "it is about a last look or run", opens_with_last),
    _row("looked_at", _STALE, 0.7, "it names the day on which it was looked at", was_looked_at),
    _row("since", _STALE, 1.6, "it tells since when a state lasts", lambda v: holds_since(v) and has("state", v.prose)),
    _row("build", _STALE, 1.6, "it names a build, which drifts", lambda v: bool(_BUILD.search(v.plain))),
    _row("day_file", _STALE, 3.6, "it points to the log of one past day", _only_points),
    _row("date_heading", _CLOSED, 2.6, "it stands under a date", _is_date_alone),
    _row("report_day", _CLOSED, 0.7, "it stands under the report of one day", lambda v: v.reports and bool(v.heading_dates)),
    _row("report", _CLOSED, 1.3, "it stands under a report", lambda v: v.reports),
    _row("today", _CLOSED, 0.3, "it stands under the work of a day", lambda v: any(heading.is_of_now for heading in v.headings)),
    _row("hash", _JUNK, 4.0, "it is a commit, which git remembers", lambda v: bool(_HASH.match(v.plain)) or (bool(v.label) and bool(_HASH.match(v.value)))),
    _row("empty", _JUNK, 4.0, "it is a placeholder", lambda v: (len(v.plain) <= _SHORT or bool(_ASIDE.match(v.unit.text))) and has("empty", v.prose)),
    _row("footer", _JUNK, 3.0, "it is a footer about the file itself", _is_footer),
    _row("fresh", _JUNK, -3.2, "", lambda v: is_fresh(v) and (tells("waiting", v.prose) or bool(_AS_OF.search(v.plain)))),
    _row("answer", _JUNK, -4.5, "", lambda v: bool(_ANSWER.search(v.plain))),
    _row("open_heading", _JUNK, -1.3, "", _is_under_open_work),
    _row("tick_label", _JUNK, -0.9, "", lambda v: bool(_TICK.match(v.plain)) and bool(v.label) and not reports("done", v.plain)),
    _row("open_box", _JUNK, -1.5, "", lambda v: v.unit.box == " "),
    _row("rule", _JUNK, -1.5, "", lambda v: has("rule", v.plain)),
    _row("lasting", _JUNK, -0.3, "", lambda v: v.lasts),
    _row("long", _JUNK, -0.8, "", lambda v: len(v.plain) > _LONG),
    _row("ahead", _JUNK, -1.5, "", lambda v: not _is_row(v) and any(day.exact and day.day > v.today for day in v.dates)),
    _row("decision", _JUNK, -0.5, "", lambda v: _is_row(v) and _columns("decision", v) > 0),
    _row("wide_row", _JUNK, -2.2, "", lambda v: len(v.unit.columns) > _WIDE_TABLE and _columns("task", v) < 2 and not _columns("timer", v)),  # noqa: PLR2004 - a list of work
    _row("telling_row", _JUNK, -1.6, "", lambda v: _is_row(v) and not v.reports and _tells_more(v)),
    _row("points", _JUNK, -1.6, "", lambda v: bool(v.label) and bool(_TICK.match(v.value)) and not reports("done", v.prose) and bool(_POINTS.search(v.unit.text))),
    _row("enumeration", _JUNK, -4.0, "", lambda v: bool(_ENUMERATION.match(v.value)) or (not _is_row(v) and bool(_LONG_ENUMERATION.search(v.value)))),
)  # fmt: skip
"""Order is free: what an item shows is added up."""

DECISION_SIGNS: tuple[Sign, ...] = (
    _row("settled", _CLOSED, 3.2, "its status says that the matter is over", lambda v: rests(v.unit.status)),
    _row("passing", _CLOSED, 0.8, "it was meant for a while", lambda v: rests(v.unit.status) and bool(_FOR_A_WHILE.search(v.plain))),
)  # fmt: skip
"""What a decision block shows: as long as its status does not close it, it is meant to last."""

"""What an item says about time: an end that has passed, a duty that is over, a last look.

Invariant: only a date before the check-up counts, and only where a word of end, duty or
last look stands at it; that a date is past says nothing by itself.
"""

# ruff: noqa: RUF001 - words of other scripts are part of these tables
import re
from collections.abc import Iterator
from datetime import timedelta

from nightledger.text.checkup.view import View
from nightledger.text.dates import FoundDate

FRESH_DAYS = 14
"""What waits is left alone for two weeks after the last date that it or its heading gives."""
_REACH = 48
"""Characters before a date in which the word that it belongs to is looked for."""
_ARTICLE = r"(?:(?:the|on|am|den|le|el|o|il|op|\w{3,12}day|\w{3,10}tag),?\s){0,2}"
_END = re.compile(
    r"(?:(?<!\w)(?:until|till|due(?: by| on)?|no later than|ends?|ended|expires?|valid (?:to|through)|bis(?: zum)?|endete?"
    r"|läuft ab|spätestens|jusqu['’]?(?:au|à|en)?|expire|prend fin|hasta|vence|termina|caduca|até|fino al?"
    r"|scade|tot(?: en met)?|verloopt|до|истекает|đến|hết hạn)\s*[:(]?\s*" + _ARTICLE + r"|[至到]|截止|有效期"
    r"|(?:deadline|\w*frist|échéance|plazo|prazo|scadenza|срок|締切|마감)[^.;:：]{0,24}[:：]?)[:：(]?\s*$",
    re.IGNORECASE,
)
"""Words of an end, right before its date."""
_END_OF_CLAUSE = re.compile(
    r"(?<!\w)(?:until|bis|jusqu['’]à ce que|hasta que|até que|finché|totdat|пока)\s[^.;:,]{3,40}\s(?:on|am|le|el|em|il|op|в)\s$",
    re.IGNORECASE,
)
"""An end that something else marks: until that happens on its date."""
_END_BEHIND = re.compile(r"[)\s]{0,2}(?:まで|までに|까지|之前|以前|tarihine kadar)")
"""Words of an end that stand behind the date."""
_DEADLINE = re.compile(
    r"\b(?:next|due|until|by|deadline|expires?|bis|fällig|échéance|avant le|hasta|vence|até|prazo|entro|до|срок)\b[^.]{0,24}$|截止|期限|まで|까지",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"(?<!\w)(?:(?:must|needs? to|ha(?:s|ve) to) be \w+|(?:muss|müssen) [^.;]{0,60}(?:werden|sein)|doi(?:t|vent) être|debe[n]? (?:ser|estar)"
    r"|hay que|deve(?:m)? ser|dev(?:e|ono) essere|moet(?:en)? [^.;]{0,60}worden|долж(?:ен|на|но|ны) быть)(?!\w)",
    re.IGNORECASE,
)
"""Something that was to be done to its subject."""
_EVER = re.compile(
    r"(?<!\w)(?:never|always|each|every|any|not|jede\w*|immer|nie(?:mals)?|toujours|jamais|chaque|siempre|nunca|cada|sempre|mai|ogni|altijd|nooit|elke"
    r"|всегда|никогда|каждый)(?!\w)",
    re.IGNORECASE,
)
"""A duty that comes back."""
_ON = re.compile(
    r"(?<!\w)(?:on|by|of|before|until|for|due|am|bis|vor|zum|le|avant le|pour le|el|antes del?|hasta|para el|em|até|il|entro il|per il|op|vóór|к|до)\s\(?$",
    re.IGNORECASE,
)
_BY = re.compile(r"(?<!\w)(?:by|before|bis|vor|avant le|antes del?|entro il|vóór|к)\s\(?$", re.IGNORECASE)
_LAST = re.compile(
    r"(?<!\w)(?:last|latest|zuletzt|letzte[rsnm]?|derni[eè]re?s?|últim[oa]s?|ultim[oa]|laatste?|последн\w+|son)(?:\s[\w-]+){1,2}[:：]?\s\(?$"
    r"|(?:最[后後]|最近|上次|最終|前回|마지막)\s?\w{1,6}[:：]?\s?$",
    re.IGNORECASE,
)
"""The last time that something was looked at or ran, right before its date."""
_LOOKED = re.compile(
    r"(?<!\w)(?:confirmed|verified|tested|checked|measured|geprüft|bestätigt|getestet|gemessen|vérifié[es]*|confirmé[es]*|testé[es]*|verificad[oa]|confirmad[oa]"
    r"|probad[oa]|testad[oa]|verificat[oa]|confermat[oa]|gecontroleerd|bevestigd|проверено|подтверждено)[:,]?\s(?:(?:on|am|le|el|em|il|op)\s)?$"
    r"|(?:已验证|已驗證|已确认|已確認|確認済み|확인됨)[:：]?\s?$",
    re.IGNORECASE,
)
_TIME = r"(?:[T ]|,? (?:at|um|à|a las|às|alle|om|в) )\d\d?[:h]\d\d(?::\d\d)?(?: ?(?:UTC|GMT|Z|Uhr))?"
_CLOCK = re.compile(rf"{_TIME}|[,.;)]|$")
"""What stands behind the date of an observation: the hour, or nothing."""
_AT = re.compile(rf"{_TIME}[.)]?$")
_CLOSE = re.compile(r"[.)]*$|[,;]")
_TASK = re.compile(
    r"\W*(?:ask|book|bring|buy|call|collect|fetch|order|pay|pick up|prepare|print|register|remind|renew|reserve|return|send|sign|submit|write"
    r"|anrufen|besorgen|bestelle\w*|bezahle\w*|buche\w*|erinnere\w*|kaufe\w*|sende\w*|appeler|acheter|commander|envoyer|payer|réserver|comprar|llamar|enviar|pagar"
    r"|reservar|chiamare|comprare|inviare|prenotare|bellen|bestellen|kopen|купить|заказать|позвонить|отправить|оплатить)(?!\w)",
    re.IGNORECASE,
)
"""An item that begins with what is to be done."""
_BREAK = re.compile(r"[,;:(]|\s[-–—]\s")
"""What ends the clause of a task: a day behind it is another's."""
_APPOINTMENT = 60
"""Characters up to which a day with its hour is what an item is about."""
_SINCE = re.compile(
    r"(?<!\w)(?:since|seit(?: dem)?|depuis(?: le)?|desde(?: el)?|dal|sinds|с)\s$", re.IGNORECASE
)
_TEMPORARY = re.compile(
    r"(?<!\w)(?:temporar(?:y|ily)|provisional(?:ly)?|for the time being|vorübergehend|vorläufig|provisorisch|übergangsweise"
    r"|temporaire(?:ment)?|provisoire(?:ment)?|temporal(?:mente)?|provisional(?:mente)?|temporári[oa]|provisóri[oa]|temporane[oa]"
    r"|provvisori[oa]|tijdelijk\w?|временн\w+|geçici|tạm thời)(?!\w)|临时|臨時|暂时|暫時|一時的|暫定|임시",
    re.IGNORECASE,
)


def missed_deadline(view: View) -> bool:
    """Say whether a past date stands behind a word of deadline."""
    return any(_DEADLINE.search(view.plain[max(0, day.start - 28) : day.start + 1]) for day in _past(view))


def has_ended(view: View) -> bool:
    """Say whether the item names its own end, and the end has passed and is its last date."""
    return _all_past(view) and any(day.exact and _is_end(view, day) for day in _past(view))


def duty_passed(view: View) -> bool:
    """Say whether something had to be done by or on a day that has passed, once."""
    if not view.dates or not _all_past(view) or _EVER.search(view.plain):
        return False
    days = [day for day in _past(view) if day.exact and _ON.search(_before(view, day))]
    task = _TASK.match(view.plain)
    own = any(task and not _BREAK.search(view.plain, task.end(), day.start) for day in days)
    return own or (bool(days) and _DUTY.search(view.plain) is not None)


def had_a_deadline(view: View) -> bool:
    """Say whether the item closes with the day by which, or before which, something was to be."""
    return any(
        day.exact and _BY.search(_before(view, day)) and _CLOSE.match(view.plain, day.end)
        for day in _past(view)
    )


def was_appointed(view: View) -> bool:
    """Say whether the item is little more than a past day with its hour."""
    short = len(view.plain) <= _APPOINTMENT and _all_past(view)
    return short and any(
        day.exact and _ON.search(_before(view, day)) and _AT.match(view.plain, day.end) for day in _past(view)
    )


def was_temporary(view: View) -> bool:
    """Say whether the item calls itself temporary and all its dates have passed."""
    return bool(view.dates) and _all_past(view) and _TEMPORARY.search(view.plain) is not None


def last_looked(view: View) -> bool:
    """Say whether the item names the day of a last look or run."""
    return any(day.exact and _LAST.search(_before(view, day)) for day in _past(view))


def opens_with_last(view: View) -> bool:
    """Say whether a last look or run and its day are what the item is about."""
    for day in _past(view):
        found = _LAST.search(_before(view, day))
        if found and day.exact and max(0, day.start - _REACH) + found.start() == 0:
            return _CLOCK.match(view.plain, day.end) is not None
    return False


def was_looked_at(view: View) -> bool:
    """Say whether the item names the past day on which somebody made sure of it; by itself that speaks for it."""
    return any(_LOOKED.search(_before(view, day)) for day in _past(view))


def holds_since(view: View) -> bool:
    """Say whether a day is named since which something goes on."""
    return any(_SINCE.search(_before(view, day)) for day in _past(view))


def is_fresh(view: View) -> bool:
    """Say whether the newest date of the item, or of its headings, is of these two weeks."""
    days = [found.day for found in view.dates or view.heading_dates]
    return bool(days) and timedelta() <= view.today - max(days) <= timedelta(days=FRESH_DAYS)


def _is_end(view: View, day: FoundDate) -> bool:
    """Say whether a date is an end; the end of a span between two dates is history."""
    before = _before(view, day)
    found = _END.search(before) or _END_OF_CLAUSE.search(before)
    if not found:
        return _END_BEHIND.match(view.plain, day.end) is not None
    start = max(0, day.start - _REACH) + found.start()
    return not any(start - 2 <= other.end <= start for other in view.dates)


def _past(view: View) -> Iterator[FoundDate]:
    return (day for day in view.dates if day.day < view.today)


def _all_past(view: View) -> bool:
    return all(day.day < view.today for day in view.dates)


def _before(view: View, day: FoundDate) -> str:
    return view.plain[max(0, day.start - _REACH) : day.start]

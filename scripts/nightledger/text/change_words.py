"""Words by which a sentence shows that something changed, and those that say nothing of its subject.

Invariant: only function words, negations and verbs of change stand here; no name of a product,
person or place.
"""

import re

from nightledger.text.statements.cue_words import cue_words

_ENGLISH = """
a an the and or of to in on at by for with from as is are was were be been being it its this that these those he she they
we you i me my your our their his her them us do does did done has have had having will would can could may might shall
should must so than then there here when where who whom which what how if but into onto up down out over under off about
per via all any each every both not no never only just also too very more most much many some such own same other another
now new get gets got getting go goes going gone let want wants wanted make makes use uses used using always please after
before again still yet once longer anymore instead rather
"""
FUNCTION_WORDS: frozenset[str] = frozenset(_ENGLISH.split()).union(*cue_words().stop_words.values())
"""Words that most sentences share."""
WEEKDAYS: frozenset[str] = frozenset(
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonntag",
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
    ]
)
OPPOSITES: dict[str, str] = {
    "disabl": "enabl",
    "disallow": "allow",
    "forbidden": "allow",
    "prohibit": "allow",
    "inactiv": "activ",
    "deactivat": "activat",
    "unsupport": "support",
}
"""Stems that deny another one."""
NEGATIONS = re.compile(
    r"\b(?:not|no|never|without|cannot|\w+n't|stops?|stopped|nicht|kein\w*|nie(?:mals)?|ohne|ne|pas|jamais|aucune?|sans|nunca"
    r"|jamás|sin|não|sem|не|нет|никогда|без|non|niet|geen|nooit|không)\b|[不没沒勿禁]|ない|않|안 ",
    re.IGNORECASE,
)
"""Words that turn a claim round, `stop` among them."""

_END = (
    r"(?=$|[,;()\u2014\u2013]|[.:](?!\w)|\s-\s|\s(?:->|\u2192)"
    r"|\s(?:but|and|because|so|since|sondern|sino|weil|aber|pero|mais|mas)\s)"
)
_OLD = r"(?P<old>(?:[^.;:()]|[.:](?=\w)){2,80}?)"
"""A phrase; the points and colons of its values do not end it."""
_CHANGE_VERB = r"\b(?:move|change|switch|rename|migrate|shift|go|relocate|transfer)(?:s|d|es|ed|ing)?|\bwent"
_NO_LONGER = r"\b(?:no longer|not any ?more|nicht mehr|nicht länger|ya no|já não|больше не|niet meer|non più)"
_INSTEAD_OF = (
    r"\b(?:instead of|rather than|in place of|anstatt|anstelle von|statt|en (?:lugar|vez) de|au lieu d[e']|em vez de"
    r"|invece di|in plaats van|вместо|thay vì)"
)
DENIALS: tuple[tuple[re.Pattern[str], bool], ...] = (
    (re.compile(rf"{_NO_LONGER}\s+{_OLD}{_END}", re.IGNORECASE), True),
    (
        re.compile(rf"(?:\b(?:not|never|nicht|nie)|n't)\s+{_OLD}\s+any\s?(?:more|longer)\b", re.IGNORECASE),
        True,
    ),
    (
        re.compile(
            rf"(?:,|\band|\bbut|\bund|;|\u2014)\s+(?:not|never|nicht|nie|ya no)\s+{_OLD}(?:\s+any\s?(?:more|longer))?{_END}",
            re.IGNORECASE,
        ),
        False,
    ),
    (re.compile(rf"{_INSTEAD_OF}\s+{_OLD}{_END}", re.IGNORECASE), False),
    (
        re.compile(
            rf"(?:{_CHANGE_VERB})\b[^.;:]{{0,60}}?\sfrom\s+{_OLD}\s+(?:to|into|over to|->|\u2192)\s",
            re.IGNORECASE,
        ),
        True,
    ),
    (
        re.compile(
            rf"\b(?:replaces|supersedes|ersetzt|reemplaza|remplace|substitui|заменяет)\s+{_OLD}(?:\s(?:for|as|in|on|für|para|pour)\s|{_END})",
            re.IGNORECASE,
        ),
        True,
    ),
    (re.compile(rf"\breplaced\s+(?!by\b|with\b){_OLD}\s+(?:with|by)\b", re.IGNORECASE), True),
    (
        re.compile(
            r"(?:^|[.;:,]\s)(?P<old>[^.;:,]{2,80}?)\s+(?:(?:is|are|was|were|has been|have been)\s+)?(?:now\s+)?"
            r"(?:replaced|superseded|succeeded)\s+(?:by|with)\b",
            re.IGNORECASE,
        ),
        True,
    ),
    (re.compile(r"\b(?:renamed?|renames)\s+(?:from\s+)?(?P<old>[^.;:,]{2,60}?)\s+to\s", re.IGNORECASE), True),
)
"""Ways to name what is left behind, the group ``old``, and whether they tell of a change or only of a contrast."""
CHANGE_MARK = re.compile(
    r"\b(?:no longer|any ?more|any longer|from now on|instead|moved?|moves|changed?|changes|switch(?:ed|es)?|renamed|replaced"
    r"|migrated|now|new|starting|for good|ab jetzt|ab sofort|jetzt|künftig|nicht mehr|neu|ahora|ya no|désormais|maintenant"
    r"|agora|теперь|больше не)\b",
    re.IGNORECASE,
)
"""Words that say that it was otherwise before."""
PAST_MARK = re.compile(
    r"\u2192|->|\b(?:no longer|instead of|rather than|statt|anstatt|en (?:lugar|vez) de|au lieu|em vez de|вместо|formerly"
    r"|previously|used to|replaces|replaced|ersetzt|supersedes|outweigh\w*)\b",
    re.IGNORECASE,
)
"""Words of an entry that itself tells what was before: it has heard of the change."""
LIFTED = re.compile(
    r"\b(?:no longer|any ?more|any longer|from now on|stop|again|lifted|ab jetzt|ab sofort|nicht mehr|ya no|désormais"
    r"|больше не)\b",
    re.IGNORECASE,
)
"""Words that say that a rule is turned round, and not only put otherwise."""
ONE_OFF = re.compile(
    r"(?<!from )(?<!as of )(?<!starting )(?<!ab )\b(?:today|tonight|tomorrow|yesterday|this (?:time|week|morning|afternoon|evening|month|once)|just once|for now|by mistake"
    r"|accidentally|temporar(?:y|ily)|heute|morgen|gestern|diesmal|vorerst|versehentlich|hoy|mañana|esta vez|aujourd'hui|demain"
    r"|сегодня|завтра)\b|今天|明天|今日|明日|昨日|오늘|내일",
    re.IGNORECASE,
)
"""Words that say that it was otherwise once: memory stays right."""
RELATION = re.compile(
    r"\b(until|till|by|before|after|since|bis|vor|nach|hasta|antes de|después de|jusqu'à|avant|après)\s+(?:the\s+)?(\S+)",
    re.IGNORECASE,
)
"""How a value binds: "until 18:00" is not "at 18:00"."""
UNSETTLED = re.compile(
    r"[?\uff1f]|\b(?:could|might|maybe|perhaps|consider(?:ing)?|suggest(?:s|ed)?|propos(?:e|es|ed|al)|plan(?:s|ning)? to|if we"
    r"|would|vielleicht|könnte|quizás|podría|peut-être|pourrait|talvez|возможно)\b",
    re.IGNORECASE,
)
"""Words and marks of a question or a plan: nothing has changed yet."""

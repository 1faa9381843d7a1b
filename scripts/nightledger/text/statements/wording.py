"""How a statement is worded, filed and explained to the operator.

Invariant: an entry's text is made of the words of its lines and their heading; nothing is
added but punctuation, and no name, number or date of what is kept is dropped.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import LogLine, Region, StatementKind
from nightledger.files.home import shipped_config
from nightledger.text.markdown.blocks import introduces
from nightledger.text.patterns import pattern
from nightledger.text.similar import CJK_LETTER, fold, shingles
from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.daylog import TURN, without_stamp
from nightledger.text.statements.estimate import (
    is_told,
    split_label,
    tells_result,
    without_reply,
)
from nightledger.text.statements.sections import names_of
from nightledger.text.statements.sentences import sentences_of

_TICKS = "\u2600-\u27bf\u23e9-\u23fa\u231a\u231b\u2b05-\u2b55\U0001f000-\U0001faff"
"""Symbols and pictographs (Unicode blocks of Miscellaneous Symbols, Dingbats, and the emoji blocks)."""
_TICK = re.compile(f"[{_TICKS}]\ufe0f?")
VOID = "\u274c\u274e\u2716\u2717\u2718\u26d4\U0001f6ab\U0001f6d1\U0001f44e"
"""Symbols that take back what they stand before."""
_MARK = re.compile(rf"^(?![\W_]*[{VOID}])[\W_]*[{_TICKS}]\ufe0f?\s*")
_TAG = re.compile(r"^(?:\[\[[\w: -]+\]\]\s*)+")
_DATE = re.compile(r"\d{4}|\d{1,2}[./]\d{1,2}")
_GAP = re.compile(r"([\s:—\u2013|,-]*)\0([\s:—\u2013|,-]*)")
_TIGHT = re.compile(r"(?<=[(\[\uff08])\s+|\s+(?=[)\]\uff09])")
"""What is left within brackets of which a time is gone."""
_OPENING, _CLOSING = frozenset("([\uff08"), frozenset(")]\uff09")
_EDGES = "\0 \t*_:\uff1a—\u2013-|,;\u3001"
_CELL = re.compile(r"\s*\|\s*")
_BOLD = re.compile(
    r"`[^`]*`|(?<![A-Za-z0-9_*/])\*\*(?=[^\s*])((?:[^*`]|`[^`]*`|\*(?!\*))++)"
    r"(?:(?<=[\w:])|(?<=[^\w\s])(?!\*\*[A-Za-z0-9_]))\*\*(?![*/\d])"
    r"|(?<!\w)__(?!\w+__)(?=\S)((?:[^_]|_(?!_))++)(?<=\S)__(?!\w)"
)
"""Code, which stays as it is, and what is bold by CommonMark's rule of flanking (6.2), or nearly."""
_ENDED = re.compile(r"[.!?:;|\u3002\uff01\uff1f\uff1a][\"'*_`)\]\u201d\u2019]*\s*$")
_NARROWEST = 60
"""Columns that an editor uses at least before it wraps a line. Our choice: six terse lines without bullets are no sentence."""
_LONG = 320
"""A line longer than this many characters is cut to its best sentences."""
_NAMES_A_THING = re.compile(r"[`/\\@#_=<>\d\"]|(?<=[a-z,;:] )[A-Z]|\w[A-Z]|\w\.\w")
"""A code span, a path, an address, a number, a quotation, or a capital inside a sentence."""
_WORDS = re.compile(r"[^\W\d_]{2,}|\b[a-z](?:#|\+\+)", re.IGNORECASE)
_WORD_FIRST = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[\s,]")
_FEW = 3
_OWN_VOICE = re.compile(r"(?:I|my|we|our)\b", re.IGNORECASE)
"""Whose words these are has to be said where an agent reads them."""


class Kind(Struct, frozen=True, kw_only=True):
    """What a statement does, the cues that tell it, where it is filed, and what would change one's mind about it.

    Where it ``heads``, a heading called like that section tells it before a line's own words do.
    """

    kind: StatementKind
    cues: frozenset[str]
    section: str
    what_would_change_it: str
    heads: bool = False


class _Kinds(Struct, frozen=True, kw_only=True):
    """``config/words/statement-kinds.json``; of several kinds whose cues are there the first is meant.

    ``claiming`` are cues of a sentence that claims something, ``without_topic`` those of a title that names no
    topic: "Key decisions", "Lessons learned", and ``topicless`` words of no cue in it.
    ``maxim`` are cues of what holds always or never, ``says_whose`` of what tells who said so, ``says_what`` those of a name that tells what a line is. ``reasons_said`` and ``reasons_named`` are the reasons to keep
    a line, in it and in what names it; ``passing`` are cues of names of what a day did.
    """

    kinds: tuple[Kind, ...]
    reasons: dict[str, str]
    claiming: frozenset[str]
    without_topic: frozenset[str]
    topicless: frozenset[str]
    about_the_agent: frozenset[str]
    touches_the_agent: frozenset[str]
    maxim: frozenset[str]
    says_whose: frozenset[str]
    says_what: frozenset[str]
    reasons_said: frozenset[str]
    reasons_named: frozenset[str]
    passing: frozenset[str]


@cache
def _kinds() -> _Kinds:
    return msgspec.json.decode(shipped_config("words/statement-kinds.json"), type=_Kinds)


def entry_text(top: LogLine, members: Sequence[LogLine], languages: tuple[str, ...] = ()) -> str:
    r"""Give the entry for memory: one line, or a title and its lines as children.

    A line that names no topic itself gets the heading's; a long line is cut to the sentences
    that claim something, whole and in order.

    Returns:
        Text without the leading ``- ``; children start with ``\n  - ``, and where there is no title
        further lines with ``\n- ``.
    """
    title = topic_of(top, languages) or "User" * (is_told(top) and _OWN_VOICE.match(top.content) is not None)
    said = {fold(text): text for text in (clean_line(line, languages) for line in joined(members))}
    if len(said) > 1:
        said.pop(fold(title), None)
    lines = list(said.values())
    if len(lines) == 1:
        return _titled(title, lines[0])
    if not title:
        return "\n- ".join(lines)
    return "\n  - ".join([f"{title}:", *lines])


def _goes_on(line: LogLine, following: LogLine) -> bool:
    """Return whether a line is cut where its writer's editor wrapped it, and the next one goes on with its sentence.

    An editor wraps where the next word has no room; a line that ends with two blanks or a backslash was ended by hand.
    """
    if TURN.match(following.text.lstrip()) or line.text.endswith(("  ", "\\")):
        return False
    if len(line.text) + 1 + len(following.content.split(" ", 1)[0]) <= _NARROWEST:
        return False
    is_next = following.number == line.number + 1 and following.turn == line.turn
    is_prose = line.region is following.region is Region.PROSE and not following.marker
    is_cut = following.content[:1].islower() and not _ENDED.search(line.content)
    return is_next and is_prose and (is_cut or line.content.endswith(","))


def wrapped(lines: Iterable[LogLine]) -> list[list[LogLine]]:
    """Return lines, together those of which each goes on in the next."""
    groups: list[list[LogLine]] = []
    for line in lines:
        if not groups or not _goes_on(groups[-1][-1], line):
            groups.append([])
        groups[-1].append(line)
    return groups


def joined(lines: Iterable[LogLine]) -> list[LogLine]:
    """Return lines, those that go on in the next as one."""
    return [replace(group[0], content=" ".join(x.content for x in group)) for group in wrapped(lines)]


def clean_line(line: LogLine, languages: tuple[str, ...] = ()) -> str:
    """Give a line's words without ticks, tags, bold marks and table borders, nor what it answers; cut where long."""
    text = _without_reply(plain_line(line))
    return shorten(text, languages) if len(text) > _LONG else text


def _without_reply(text: str) -> str:
    """Return a text without the "No," or "That's wrong," that answers somebody; what is left begins as a sentence does."""
    left = without_reply(text)
    return left[:1].upper() + left[1:] if left != text and _WORD_FIRST.match(left) else left


def plain_line(line: LogLine) -> str:
    """Give a line's words without ticks, tags, bold marks and table borders, all of them."""
    text = _TAG.sub("", line.content)
    if line.marker == "|":
        text = _CELL.sub(" - ", text.strip(" |"))
    return _MARK.sub("", without_bold(text)).strip()


def without_bold(text: str) -> str:
    """Give a text without the marks of bold around its words; ``2**10``, ``a__b`` and code stay as they are."""
    return _BOLD.sub(lambda found: found[1] or found[2] or found[0], text)


def shorten(text: str, languages: tuple[str, ...] = ()) -> str:
    """Cut a long line to its sentences that claim something, whole and in order.

    One that tells what was done ("Patched ...") stays only where no other claims anything. A sentence
    that leans on the one before ("It ...", "so ...") takes that one along. The text is given unchanged
    where none claims anything or nothing would be saved.
    """
    sentences = sentences_of(text)
    claiming = {at for at, part in enumerate(sentences) if claims_something(part, languages)}
    kept = {at for at in claiming if not tells_result(sentences[at], languages)} or claiming
    for at in sorted(kept, reverse=True):
        while at > 0 and at - 1 not in kept and leans(sentences[at]):
            at -= 1  # noqa: PLW2901 - it walks back to where the thought begins
            kept.add(at)
    if not kept or len(kept) == len(sentences):
        return text
    return " ".join(sentences[at] for at in sorted(kept))


def claims_something(sentence: str, languages: tuple[str, ...] = ()) -> bool:
    """Tell whether a sentence carries a cue of a claim."""
    return not find_cues(sentence, languages).isdisjoint(_kinds().claiming)


def leans(sentence: str) -> bool:
    """Whether a sentence leans on the one before: "It ...", "so ..."."""
    return sentence[:1].islower() or pattern("claim-words", "leans").match(sentence) is not None


def topic_of(line: LogLine, languages: tuple[str, ...] = ()) -> str:
    """Give what the line is about, by its lead, the nearest heading or the one above; empty where these name no topic.

    One that says of what kind it is ("Permanent rules") has the next one before it.
    """
    candidates = [line.lead] if introduces(line.lead) else []
    # the heading above a turn of a chat export names the export, one that holds a date the day
    if not line.turn and line.headings:
        candidates += reversed(line.headings[_DATE.search(line.headings[0]) is not None :][-2:])
    titles = (_clean_title(one, languages) for one in candidates)
    named = [x for x in titles if x and _names_a_topic(x, languages)]
    if len(named) > 1 and _names_a_kind(named[0], languages) and fold(named[0]) not in fold(named[1]):
        return f"{named[1]}: {named[0]}"
    return named[0] if named else ""


def claims_of(text: str) -> tuple[str, ...]:
    """Give the lines of an entry that claim something: its children where it has a title, else all."""
    title, *children = text.split("\n  - ")
    return tuple(children or title.split("\n- "))


def _titles(name: str) -> re.Pattern[str]:
    """Return a pattern of what a title has beside its words (``config/words/titles.json``).

    ``timed_end`` is brackets with a day or a time of day and no word, "(21:38 UTC)": of words in capitals ``times`` has those
    of a time, for any other may be a machine's or a person's.
    """
    return pattern("titles", name)


def timeless(title: str) -> str:
    """Return a title without bold, ticks, its number, and the day or time of day that it begins or ends with."""
    plain = trimmed(_TICK.sub(" ", without_stamp(without_bold(title))))
    return trimmed(" ".join(_titles("number").sub("", _titles("timed_end").sub("", plain)).split()))


def trimmed(title: str) -> str:
    """Return a title without the signs around it; ``C#`` keeps its own."""
    return title.lstrip(f"{_EDGES}#").rstrip(_EDGES)


def _clean_title(text: str, languages: tuple[str, ...]) -> str:
    lasting = _titles("time").sub("\0", _TICK.sub(" ", without_bold(text)))
    plain = _TIGHT.sub("", _GAP.sub(_join, trimmed(lasting)))
    title = trimmed(" ".join(_titles("number").sub("", plain.strip()).split()))
    label, body = split_label(title)
    return body if _WORDS.search(label) and not _names_a_topic(label, languages) else title


def _join(gap: re.Match[str]) -> str:
    """Give what stands between two parts of a title when the time between them is gone; nothing at the edge of brackets."""
    before, behind = gap.string[: gap.start()][-1:], gap.string[gap.end() :][:1]
    is_edge = before in _OPENING or behind in _CLOSING
    return "" if is_edge else ": " if (gap[1] + gap[2]).strip() else " "


def judge_kind(line: LogLine, languages: tuple[str, ...] = ()) -> StatementKind:
    """Say what the statement does: by somebody's order, its label, a heading that is a section's name, its words."""
    label, body = split_label(line.content)
    above = (line.lead, *line.headings[-1:])
    named = [_kind_of(name, languages, is_name=True) for name in above]
    wishes = is_told(line) and _has_shape("wished", body)
    if not any(named) and (wishes or _is_order(line, languages)):
        return StatementKind.PREFERENCE
    told = (_kind_of(text, languages) for text in (body, " ".join(above)))
    return next(filter(None, (_kind_of(label, languages), *named, *told)), StatementKind.FACT)


def _kind_of(text: str, languages: tuple[str, ...], *, is_name: bool = False) -> StatementKind | None:
    """Return the kind that a text's cues tell; of a name only one that says so of what stands below it."""
    cues = find_cues(text, languages)
    told = (row for row in _kinds().kinds if not row.cues.isdisjoint(cues))
    return next(
        (row.kind for row in told if not is_name or (row.heads and names_of(text, row.section))), None
    )


def _is_order(line: LogLine, languages: tuple[str, ...]) -> bool:
    """Return whether a line tells what somebody asks for from now on: "Ann clarified that ... must not ..."."""
    text = "".join(plain_line(line).split("`")[::2])
    is_asked = pattern("line-shapes", "asked").match(text)
    return bool(is_asked) and not find_cues(text, languages).isdisjoint(_kinds().maxim)


_TOLD = "the user told the agent so"


def reasons_for(line: LogLine, languages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Give at most three reasons, in words for the operator."""
    own = find_cues(line.content, languages)
    said = [_TOLD] * is_told(line) + [reason for cue, reason in _kinds().reasons.items() if cue in own]
    kept = {"lesson", "rule", "decide", "wish"}
    said += [f"it stands under {name!r}" for name in line.headings[-1:] if find_cues(name, languages) & kept]
    return tuple(said[:3]) or ("it reads like a fact that outlasts its day",)


_LONGEST_NAME, _LONGEST_SAID = 20, 40
"""Chinese, Japanese or Korean letters of a name and of a sentence, in which words still mean what they are looked for:
in longer ones most stand by chance, since none is divided from its neighbours. Our choice, after a diary in Chinese."""


def _cues_in_short(text: str, longest: int, languages: tuple[str, ...]) -> frozenset[str]:
    """Return the cues of a text; none where it is one long run of letters that nothing divides into words."""
    return frozenset() if len(CJK_LETTER.findall(text)) > longest else find_cues(text, languages)


def has_reason(line: LogLine, languages: tuple[str, ...] = ()) -> bool:
    """Return whether a line gives a reason to keep it: it forbids, wishes or corrects, or is named a lesson, a rule or a decision.

    What a user told their agent for good does; a slogan gives none.
    """
    if is_told(line):
        return True
    label, body = split_label(line.content)
    if _is_maxim(line, languages):
        return False
    named = {cue for name in _above(line) for cue in _cues_in_short(name, _LONGEST_NAME, languages)}
    sentences = sentences_of("".join(body.split("`")[::2]))
    said = {cue for one in sentences for cue in _cues_in_short(one, _LONGEST_SAID, languages)}
    return bool(named & _kinds().reasons_named or said & _kinds().reasons_said) or _is_named(label, languages)


def is_of_its_day(
    line: LogLine, languages: tuple[str, ...] = (), file: str = "", *, in_session: bool = False
) -> bool:
    """Return whether a line only tells what its day read, said or left open, or leans on a line that it would leave behind.

    What is labelled a lesson, rule, decision or wish does not.
    What somebody says in a chat does, unless it is labelled so and no more ("Rule: ..."), or stands under a name of such. What stands in what somebody studied or drafted does, and what an agent that reviews itself writes, unless it is labelled a lesson.

    Args:
        line: Of a log.
        languages: Of the log, beside English.
        file: What the log is named for beside its day.
        in_session: Whether the log is of sessions alone (`EXTRACTS`): there a heading of an assistant's is one of its report.
    """
    if is_told(line):
        return False
    label, body = split_label(line.content)
    if line.turn:
        own = "" if _names_a_topic(label, languages) else label
        above = () if in_session else (line.lead, *line.headings[-1:])
        return not any(_kind_of(x, languages, is_name=True) for x in (own, *above))
    reviews = any("introspection" in find_cues(name, languages) for name in (file, *line.headings))
    # a heading that names research may stand over what was found out by trying; a file is one whole
    if reviews or ("inquiry" in find_cues(file, languages) and not _lasts(file, languages)):
        return "lesson" not in find_cues(label, languages)
    studied = _is_studied((file, *line.headings, line.lead, label), languages)
    if studied or _is_named(label, languages):
        return studied
    said = _without_reply(plain_line(line)), line.lead
    is_open = any("open" in find_cues(name, languages) for name in _above(line)) or _has_shape("owed", body)
    return is_open or _leans_or_replies(line, said, languages)


def reports_work(line: LogLine, languages: tuple[str, ...] = ()) -> bool:
    """Return whether a line is labelled as of its day, or tells what was done, or stands under a name of such, and gives no reason to keep it."""
    label, body = split_label(line.content)
    told = tells_result(body, languages) or any(_is_passing(name, languages) for name in _above(line))
    return told and (_is_passing(label, languages) or not has_reason(line, languages))


def _leans_or_replies(line: LogLine, said: tuple[str, str], languages: tuple[str, ...]) -> bool:
    """Return whether a line leans on one before it, or is a move in a talk: a reply, an offer, what is about to be done."""
    leans_back = pattern("claim-words", "leans").match(said[0]) and not topic_of(line, languages)
    moves = any(_has_shape(one, *said) for one in ("replied", "offered"))
    return bool(leans_back) or _has_shape("follows", said[0]) or moves


def _has_shape(name: str, *texts: str) -> bool:
    """Return whether one of the texts has what a row of ``config/words/line-shapes.json`` describes."""
    return any(pattern("line-shapes", name).search(text) for text in texts)


def _is_studied(names: Sequence[str], languages: tuple[str, ...]) -> bool:
    """Return whether the innermost name that tells is of a study: there "always" is its authors'; a heading of lessons, rules or decisions ends it.

    Args:
        names: From the file's to the label.
        languages: Of the log, beside English.
    """
    last = max((at for at, name in enumerate(names) if _is_study(name, languages)), default=len(names))
    return last < len(names) and not any(_lasts(name, languages) for name in names[last + 1 :])


def _lasts(name: str, languages: tuple[str, ...]) -> bool:
    cues = _cues_in_short(name, _LONGEST_NAME, languages)
    return bool(cues & _kinds().reasons_named or names_of(name, "Decisions"))


def _is_passing(name: str, languages: tuple[str, ...]) -> bool:
    """Return whether a heading or label tells of a day's work, and of nothing else that is known."""
    cues = find_cues(name, languages)
    return set() < cues <= _kinds().passing and (cues != {"vague"} or not _names_a_topic(name, languages))


def _is_study(name: str, languages: tuple[str, ...]) -> bool:
    """Return whether a name is of an analysis, a draft or reading notes, and of no lesson, rule, decision, wish or cause."""
    cues = find_cues(name, languages)
    return "study" in cues and cues.isdisjoint(_kinds().says_what | _kinds().reasons_named | {"cause"})


def _is_named(label: str, languages: tuple[str, ...]) -> bool:
    """Return whether a label says that its line is a lesson, a rule, a wish, a decision, or stands from now on."""
    return not find_cues(label, languages).isdisjoint(_kinds().says_what | _kinds().reasons_named)


def _is_maxim(line: LogLine, languages: tuple[str, ...]) -> bool:
    """Return whether a line says always or never, names no thing, and is nobody's word: a slogan, for all that can be told.

    What stands under a name that tells a topic or what it is (a rule, a lesson, a wish) is none; nor is a text in other letters
    than ASCII, whose names cannot be told by their capitals.
    """
    own = find_cues(line.content, languages)
    text, says = line.content, own & _kinds().maxim and not own & _kinds().says_whose
    names = line.turn, split_label(text)[0], topic_of(line, languages), _NAMES_A_THING.search(text)
    is_named = any(names) or any(_is_named(name, languages) for name in _above(line))
    return bool(says) and text.isascii() and not is_named


def _above(line: LogLine) -> tuple[str, ...]:
    return (*line.headings[-1:], line.lead, split_label(line.content)[0])


def kind_told_by(what: str) -> StatementKind | None:
    """Return the kind of a statement by what would change one's mind about it; None where no kind says so."""
    return next((row.kind for row in _kinds().kinds if row.what_would_change_it == what), None)


def alignment_of(text: str) -> float:
    """Return how much a text is about how the agent works: 0 unrelated, .3 adjacent, .7 close to what it is."""
    cues = find_cues(text)
    about = cues & _kinds().about_the_agent
    if len(about) > 1 and cues & _kinds().touches_the_agent:
        return 0.7
    return 0.3 if about else 0.0


def row_of(kind: StatementKind) -> Kind:
    """Return where a statement of a kind is filed, and what would change one's mind about it."""
    return next(row for row in _kinds().kinds if row.kind is kind)


def _titled(title: str, text: str) -> str:
    if not title or len(shingles(title) & shingles(text)) * 2 > len(shingles(title)):
        return text
    return f"{title}: {text}"


def _names_a_topic(title: str, languages: tuple[str, ...]) -> bool:
    said = set(_WORDS.findall(title.lower())).difference(_kinds().topicless)
    return any(find_cues(word, languages).isdisjoint(_kinds().without_topic) for word in said)


def _names_a_kind(title: str, languages: tuple[str, ...]) -> bool:
    """Return whether a title says what stands below it, a rule, a lesson or a cause, and `_FEW` words more at most: of what, the heading above may say."""
    kinds = _kinds().says_what | {"cause", "key"}
    others = [word for word in _WORDS.findall(title.lower()) if find_cues(word, languages).isdisjoint(kinds)]
    return len(others) <= _FEW and not find_cues(title, languages).isdisjoint(kinds)

"""The chance that a line of a daily log is worth keeping: what can be seen of it and around it, and what each such feature adds.

Invariant: the estimate depends on the line and its file alone, and is a sum of named features, present or absent,
so that it can be explained feature by feature. No feature names a product, person or topic, so that what is fitted on
one owner's logs says something about another's. Siblings are lines of prose under the same headings at the same indent, at
most `_NEAR` lines of prose away.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import exp, fsum

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.consolidation import DayLog, LogLine, Region
from nightledger.domain.proposal import Origin
from nightledger.files.home import shipped_config
from nightledger.text.markdown.blocks import introduces
from nightledger.text.patterns import pattern, words
from nightledger.text.statements.cues import find_cues, languages_of, words_of
from nightledger.text.statements.sentences import sentences_of

_LABEL = re.compile(
    r"^(?:\*\*|__)?([^:\uff1a*_`|]{2,48}?)(?:[:\uff1a](?:\*\*|__)?|(?:\*\*|__)\s*[:\uff1a—-]|(?:\*\*|__)$)\s*"
)
_TICK = re.compile("[✅☑✔✓❌✗✘⏳⌛🟢🟡🔴🚀🎉⚠🔄🏁💥📊📈]")
_LENGTHS = (40, 70, 110, 170, 300, 600)
"""Steps of length in characters; kept lines are longer than others (median 139 against 70 on one half)."""
_NUMBER = re.compile(r"\d+")
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z]\w")
_SENTENCE_END = re.compile(r"[.!?;\u3002\uff01\uff1f\uff1b](?:\s|$)")
_MOST = 3
"""Counts go up to this; more says nothing more."""
_NEAR = 4
_AFTER = 3
"""So many following siblings may tell how a thing ended."""
_FORM = 3
"""A label that stands so often in one file is a field of a form."""
_SIZES = (10, 30, 80)
"""Steps of lines of prose in a file."""
_TIME = re.compile(r"\d{1,2}:\d\d")
_DONE = re.compile("[✅☑✔]")
_FIRST_WORDS = re.compile(
    r"^\W*((?:(?:i|we|also|then|and|now|newly|successfully)\s+)*)([^\W\d_]+)", re.IGNORECASE
)


def line_features(text: str, languages: tuple[str, ...] = ()) -> frozenset[str]:
    """Give the features of a line's content.

    Prefixes: ``b.`` cue in the text, ``l.`` in its own label, ``w.`` word of the text, ``wl.`` of the
    label, ``t.`` shape, ``s.`` surface, ``len.`` at least so many characters.

    Args:
        text: A line without its list marker, or a sentence.
        languages: What `cues.languages_of` says of its file.
    """
    label, body = split_label(text)
    features = {f"b.{cue}" for cue in find_cues(body, languages)}
    features.update(f"l.{cue}" for cue in find_cues(label, languages))
    features.update(f"w.{word}" for word in words_of(text))
    features.update(f"wl.{word}" for word in words_of(label))
    features.update(f"t.{shape}" for shape, found in _shapes() if found.search(text[:_SHAPED]))
    features.update(f"len.{length}" for length in _LENGTHS if len(text) >= length)
    features.update(_surface(text))
    result = tells_result(body, languages)
    marks = {"s.result": result, "s.label": label[:1].isupper(), "s.label-result": result and bool(label)}
    features.update(name for name, is_so in marks.items() if is_so)
    return frozenset(features)


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the shapes that a line may hold: paths, addresses, commands, quotations, orders."""
    return tuple((name, pattern("line-shapes", name)) for name in words("line-shapes"))


def split_label(text: str) -> tuple[str, str]:
    """Split ``**Cause:** the fan`` into its label and its body; the label is empty where there is none."""
    match = _LABEL.match(text)
    if match is None or not text[match.end() :].strip():
        return "", text
    return match[1].strip(), text[match.end() :]


def tells_result(text: str, languages: tuple[str, ...] = ()) -> bool:
    """Say whether a text begins by telling what was done: "Fixed ...", "we then moved ...", "Se actualizó ..."."""
    match = _FIRST_WORDS.match(text)
    if match is None:
        return False
    word = match[2].lower()
    return (word.endswith("ed") and len(word) > len("need")) or _is_work(word, languages)


@lru_cache(maxsize=4096)
def _is_work(word: str, languages: tuple[str, ...]) -> bool:
    return "work" in find_cues(word, languages)


def _surface(text: str) -> set[str]:
    marks = {
        "s.tick": _TICK.search(text) is not None,
        "s.question": text.endswith(("?", "\uff1f")),
        "s.colon": introduces(text),
    }
    found = {name for name, is_so in marks.items() if is_so}
    found.add(f"s.numbers-{min(_MOST, len(_NUMBER.findall(text)) // 2)}")
    found.add(f"s.capitals-{min(_MOST, len(_CAPITAL.findall(text)))}")
    found.add(f"s.sentences-{min(_MOST, len(_SENTENCE_END.findall(text)))}")
    return found


class _Item(Struct, frozen=True, kw_only=True):
    """A line with what its siblings want to know of it."""

    line: LogLine
    label: str
    result: bool


def surroundings(lines: Sequence[LogLine], languages: tuple[str, ...] = ()) -> Iterator[frozenset[str]]:
    """Give the features of each line's surroundings, in order.

    Prefixes: ``h.`` cue in the nearest heading, ``wh.`` word of it, ``hh.`` cue in one further out, ``ld.`` in the lead,
    ``p.`` place.

    Args:
        lines: The lines of prose of one file that are long enough to hold a claim.
        languages: What `cues.languages_of` says of the file.
    """
    items = [_item(line, languages) for line in lines]
    labels = Counter(item.label for item in items if item.label)
    size = f"p.file-{sum(len(items) >= step for step in _SIZES)}"
    for at, item in enumerate(items):
        headings = item.line.headings
        yield frozenset(
            {size, *_place(item.line, languages), *_siblings(items, at, labels)}
            | (_heading(headings[-1], languages) if headings else {"p.no-heading"})
        )


def _item(line: LogLine, languages: tuple[str, ...]) -> _Item:
    label, body = split_label(line.content)
    return _Item(line=line, label=label.lower(), result=tells_result(body, languages))


@lru_cache(maxsize=256)
def _heading(heading: str, languages: tuple[str, ...]) -> frozenset[str]:
    found = {f"h.{cue}" for cue in find_cues(heading, languages)} | {
        f"wh.{word}" for word in words_of(heading)
    }
    marks = {"p.heading-time": _TIME.search(heading), "p.heading-done": _DONE.search(heading)}
    return frozenset(found | {name for name, match in marks.items() if match})


def _place(line: LogLine, languages: tuple[str, ...]) -> Iterator[str]:
    yield f"p.marker-{line.marker or 'none'}"
    if line.turn:
        yield f"p.{line.turn}"
    if line.indent > 1:
        yield "p.indented"
    for prefix, names in (("hh", line.headings[:-1]), ("ld", (line.lead,))):
        yield from (f"{prefix}.{cue}" for name in names for cue in find_cues(name, languages))


def _siblings(items: Sequence[_Item], at: int, labels: Counter[str]) -> Iterator[str]:
    item = items[at]
    near = range(max(0, at - _NEAR), min(len(items), at + _NEAR + 1))
    siblings = [n for n in near if n != at and _are_siblings(items[n].line, item.line)]
    told = sum(items[n].result for n in siblings)
    yield f"p.siblings-{min(_NEAR, len(siblings))}"
    if siblings:
        yield f"p.results-{0 if not told else 1 if told * 2 < len(siblings) else 2}"
    if any(items[n].result for n in [n for n in siblings if n > at][:_AFTER]):
        yield "p.result-follows"
    if item.label:
        yield "p.label-form" if labels[item.label] >= _FORM else "p.label-own"
    if any(labels[items[n].label] >= _FORM for n in siblings):
        yield "p.form-around"


def _are_siblings(one: LogLine, other: LogLine) -> bool:
    return one.indent == other.indent and one.headings == other.headings


TOLD = 0.9
"""Of 15 lines of users that say so in four public projects' sessions an owner would sign 11 as they stand and 2 with other words;
the patterns were made with them in view."""
_SHAPED = 4_000
"""Characters of a line in which shapes are looked for: some take a time that grows with the square of its length."""
SHORTEST_CHARACTERS = 12
"""A shorter line holds no claim about a named thing."""


class Model(Struct, frozen=True, kw_only=True):
    """A logistic regression over `line_features` and `surroundings`.

    Attributes:
        bias: Log-odds of a line without any known feature.
        weights: What each feature adds to them.
    """

    bias: float
    weights: Mapping[str, float]

    def chance(self, features: frozenset[str]) -> float:
        """Give ``1 / (1 + exp(-(bias + sum of weights)))``."""
        # fsum: a plain floating-point sum depends on its order, and a set has none that lasts
        return 1 / (1 + exp(-self.bias - fsum(self.weights.get(name, 0.0) for name in features)))


def _shipped() -> Model:
    told = msgspec.json.decode(shipped_config("words/statement-weights.json"))
    return Model(bias=told["bias"], weights=told["weights"] | told["words"])


SHIPPED = _shipped()
"""Logistic regression (L2), fitted by ``bench/fit_statements.py`` on 41,797 lines of daily logs of 97 public workspaces,
4,342 of them worth keeping; how well it does on a workspace that was not in the fit is measured by
``bench/bench_consolidate.py --folds``. No word of it is a name; what has no weight counts nothing."""


def log_languages(log: DayLog) -> tuple[str, ...]:
    """Give the languages, beside English, that the log is written in."""
    return languages_of("\n".join(line.content for line in log.lines if line.region is Region.PROSE))


def features_by_line(log: DayLog) -> dict[int, frozenset[str]]:
    """Give the features of every line of prose that is long enough to hold a claim, by line number."""
    prose = [
        line for line in log.lines if line.region is Region.PROSE and len(line.content) >= SHORTEST_CHARACTERS
    ]
    languages = log_languages(log)
    around = surroundings(prose, languages)
    return {
        line.number: line_features(line.content, languages) | place
        for line, place in zip(prose, around, strict=True)
    }


def estimate_lines(log: DayLog, model: Model = SHIPPED) -> dict[int, float]:
    """Give for each such line the chance, 0..1, that its owner is glad to find it in memory months later.

    What a user tells their agent for good ("from now on ...", "my accountant is ...") is `TOLD` at least: the weights are
    of logs, which agents write, and know hardly any such line.
    """
    chances = {number: model.chance(features) for number, features in features_by_line(log).items()}
    told = {number for number in chances if is_told(log.lines[number - 1])}
    return {number: max(chance, TOLD) if number in told else chance for number, chance in chances.items()}


def is_told(line: LogLine) -> bool:
    """Return whether a user tells their agent what is to hold from now on, or what is so about them."""
    return bool(_told(line))


def as_told(line: LogLine) -> LogLine:
    """Return a user's line with nothing left but what is to hold from now on; a line that tells no such thing as it is."""
    told = _told(line)
    return replace(line, content=" ".join(told)) if told else line


def _told(line: LogLine) -> list[str]:
    """Return the sentences of a user that last, each with one behind it that limits it; none of a line that tells what others say.

    What asks, is of the moment or points at what is not in it does not last.
    """
    is_framed = pattern("line-shapes", "framing").search
    if line.turn != "user" or line.origin not in {Origin.OWNER, Origin.AGENT} or is_framed(line.content):
        return []
    sentences = _whole(sentences_of(line.content)) if line.marker != "|" else [line.content]
    lasts = [*map(_lasts, sentences)]
    limits = pattern("line-shapes", "limiting").match
    return [one for n, one in enumerate(sentences) if lasts[n] or (n > 0 and lasts[n - 1] and limits(one))]


def _lasts(sentence: str) -> bool:
    if len(sentence) > _LENGTHS[-1] or not pattern("line-shapes", "standing").search(sentence):
        return False
    is_passing = pattern("line-shapes", "momentary").search(sentence)
    return not is_passing and "s.question" not in _surface(sentence)


def _whole(sentences: list[str]) -> list[str]:
    """Return sentences, none cut behind an abbreviation or before a number, a brief "No, that's wrong." with what is right."""
    is_short = pattern("line-shapes", "abbreviated").search
    joined: list[str] = []
    for one in sentences:
        last = joined[-1] if joined else ""
        is_cut = last and (one[:1].isdigit() or is_short(last[-_LENGTHS[0] :]))
        is_answer = last and len(last) < _LENGTHS[0] and without_reply(f"{last} {one}") == one
        joined[-1:] = [f"{last} {one}"] if is_cut or is_answer else [*joined[-1:], one]
    return joined


def without_reply(text: str) -> str:
    """Return a text without the "No," or "That's wrong," that answers somebody."""
    while reply := pattern("line-shapes", "reply").match(text):
        text = text[reply.end() :]
    return text

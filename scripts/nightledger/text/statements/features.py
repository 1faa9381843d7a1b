"""What can be seen of a line by itself: named features, present or absent.

Invariant: no feature names a product, person or topic, so that what is fitted on one owner's
logs says something about another's; what stands around the line is in `surroundings`.
"""

import re
from functools import lru_cache

from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.shapes import shapes_of
from nightledger.text.statements.words import words_of

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
    features.update(f"t.{shape}" for shape in shapes_of(text))
    features.update(f"len.{length}" for length in _LENGTHS if len(text) >= length)
    features.update(_surface(text))
    result = tells_result(body, languages)
    marks = {"s.result": result, "s.label": label[:1].isupper(), "s.label-result": result and bool(label)}
    features.update(name for name, is_so in marks.items() if is_so)
    return frozenset(features)


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
        "s.colon": text.rstrip("*_ ").endswith((":", "\uff1a")),
    }
    found = {name for name, is_so in marks.items() if is_so}
    found.add(f"s.numbers-{min(_MOST, len(_NUMBER.findall(text)) // 2)}")
    found.add(f"s.capitals-{min(_MOST, len(_CAPITAL.findall(text)))}")
    found.add(f"s.sentences-{min(_MOST, len(_SENTENCE_END.findall(text)))}")
    return found

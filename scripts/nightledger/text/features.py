"""What can be seen of a line in its place: named features, present or absent.

Invariant: no feature names a product, person or topic, so that what is fitted on one
owner's logs says something about another's. Shapes (bold, code, hashes, indent, position
in the file, wording of earlier days) were tried and left out: on workspaces that were not
in the fit they cost more than they gave.
"""

import re

from nightledger.domain.daylog import LogLine
from nightledger.text.cues import find_cues

_LABEL = re.compile(
    r"^(?:\*\*|__)?([^:\uff1a*_`|]{2,48}?)(?:[:\uff1a](?:\*\*|__)?|(?:\*\*|__)\s*[:\uff1a—-]|(?:\*\*|__)$)\s*"
)
_TICK = re.compile("[✅☑✔✓❌✗✘⏳⌛🟢🟡🔴🚀🎉⚠🔄🏁💥📊📈]")
_CARRIER = re.compile(
    r"`[^`]+`|https?://|\b[\w.+-]+@[\w-]+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:^|\s)[~.]{0,2}/\w|\w/\w|\w\.\w{2,4}\b"
)
_DIGIT = re.compile(r"\d")
_LENGTHS = (40, 70, 110, 170, 300, 600)
"""Steps of length in characters; kept lines are longer than others (median 139 against 70 on one half)."""
_CLAIM = frozenset({"absolute", "duty", "ban", "unable", "cause", "correct", "standing", "retire", "wish"})
"""Cues of a sentence that says how things are or must be, whatever the day."""
_SOURCE = ("lesson", "rule", "decide", "wish", "correct", "cause", "standing", "key", "setup", "fix", "fault")
"""Cues of a heading or label under which such sentences are expected."""


def line_features(
    line: LogLine, heading_cues: frozenset[str], languages: tuple[str, ...] = ()
) -> frozenset[str]:
    """Give the features that the line has.

    Prefixes: ``b.`` cue in the text, ``l.`` in its own label, ``h.`` in the nearest heading,
    ``s.`` surface, ``len.`` at least so many characters, ``x.`` several of these together.

    Args:
        line: A line of prose.
        heading_cues: Cues of the nearest heading.
        languages: What `cues.languages_of` says of its file.
    """
    return sentence_features(line.content, heading_cues, languages) | _place(line)


def sentence_features(
    text: str, heading_cues: frozenset[str] = frozenset(), languages: tuple[str, ...] = ()
) -> frozenset[str]:
    """Give the features that the words alone have, wherever they stand."""
    label, body = split_label(text)
    body_cues, label_cues = find_cues(body, languages), find_cues(label, languages)
    features = {f"b.{cue}" for cue in body_cues}
    features.update(f"l.{cue}" for cue in label_cues)
    features.update(f"h.{cue}" for cue in heading_cues)
    features.update(f"len.{length}" for length in _LENGTHS if len(text) >= length)
    features.update(_surface(text))
    features.update(_together(text, body_cues, heading_cues | label_cues, ticked="s.tick" in features))
    return frozenset(features)


def split_label(text: str) -> tuple[str, str]:
    """Split ``**Cause:** the fan`` into its label and its body; the label is empty where there is none."""
    match = _LABEL.match(text)
    if match is None or not text[match.end() :].strip():
        return "", text
    return match[1].strip(), text[match.end() :]


def _place(line: LogLine) -> set[str]:
    marks = {
        "s.table": line.marker == "|",
        "s.user": line.turn == "user",
        "s.assistant": line.turn == "assistant",
    }
    return {name for name, is_so in marks.items() if is_so}


def _surface(text: str) -> set[str]:
    marks = {
        "s.tick": _TICK.search(text) is not None,
        "s.question": text.endswith(("?", "\uff1f")),
        "s.colon": text.rstrip("*_ ").endswith((":", "\uff1a")),
    }
    return {name for name, is_so in marks.items() if is_so}


def _together(text: str, cues: frozenset[str], around: frozenset[str], *, ticked: bool) -> set[str]:
    claims = cues & _CLAIM
    works = "work" in cues
    marks = {
        "x.carrier-claim": bool(claims) and _CARRIER.search(text) is not None,
        "x.claims2": len(claims) > 1,
        "x.claims3": len(claims) > 2,  # noqa: PLR2004 - the feature's name says it
        "x.done-only": not claims and (ticked or "done" in cues),
        "x.work-only": not claims and works,
        "x.timeless-claim": bool(claims) and _DIGIT.search(text) is None,
        "x.ban-absolute": "ban" in cues and "absolute" in cues,
        "x.scoped-rule": "scope" in cues and not cues.isdisjoint({"absolute", "duty", "ban"}),
    }
    found = {name for name, is_so in marks.items() if is_so}
    expected = [cue for cue in _SOURCE if cue in around]
    found.update(f"x.{cue}-claim" for cue in expected if claims)
    found.update(f"x.{cue}-work" for cue in expected if works)
    return found

"""The words of a text, as the model of `estimate` counts them.

Invariant: the same text gives the same words; scripts without spaces give pairs of neighbouring
characters, so that a line in any language has words.
"""

import re

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[^\W\d_{_UNSPACED}]+(?:['-][^\W\d_{_UNSPACED}]+)*")
_RUN = re.compile(f"[{_UNSPACED}]{{2,}}")


def words_of(text: str) -> frozenset[str]:
    """Give the words of a text in lower case, and the character pairs of Chinese, Japanese and Korean runs."""
    found = set(_WORD.findall(text.lower().replace("\u2019", "'")))
    if not text.isascii():
        for run in _RUN.findall(text):
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)

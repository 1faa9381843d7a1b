"""How many tokens a text is taken for: stated and stable, where each model has a count of its own.

Four letters of the Latin alphabet count one (FACTS, elfmem). What tokenizers cut finer counts more: other
scripts, symbols and pictures by the character, and long runs without a blank (addresses, digests, code)
by two characters. The classes were chosen so that no kind of text takes much more than it counts:
``docs/decisions/0048-prompt-hook.md`` has them beside three tokenizers.

Invariant: pure, and cheap to import: the prompt hook counts with it at each prompt.
"""

from bisect import bisect_right

CHARACTERS_A_TOKEN = 4
LONG_RUN = 24
"""Characters without a blank; more are no word of a language that has blanks. Our choice."""
_CLASSES = (
    (0x0000, 1),  # ASCII
    (0x0080, 2),  # Latin with marks
    (0x0250, 6),  # phonetic signs, combining marks
    (0x0370, 3),  # Greek
    (0x0400, 2),  # Cyrillic
    (0x0530, 3),  # Armenian, Hebrew, Arabic
    (0x0900, 4),  # Indic scripts, Thai, Burmese, Georgian
    (0x1100, 4),  # parts of Korean
    (0x1200, 7),  # Ethiopic, Cherokee, Khmer, Mongolian
    (0x1E00, 3),  # more Latin and Greek with marks
    (0x2000, 4),  # dashes, quotes
    (0x2030, 7),  # signs, arrows, mathematics, lines, dingbats
    (0x2E80, 4),  # Chinese, Japanese
    (0xA000, 7),  # Yi and others
    (0xA960, 4),  # parts of Korean
    (0xA980, 7),  # Javanese and others
    (0xAC00, 4),  # Korean
    (0xD800, 7),  # halves of characters, private use
    (0xF900, 4),  # Chinese
    (0xFB00, 7),  # forms of Arabic
    (0xFE00, 4),  # variants, full-width forms
    (0x10000, 8),  # pictures, rare scripts
)
_STARTS = [start for start, _ in _CLASSES]
_COSTS = [cost for _, cost in _CLASSES]


def quarters_of(text: str) -> int:
    """Give what a text costs in quarters of a token; a letter of ASCII costs one."""
    cost = len(text) + sum(len(run) for run in text.split() if len(run) > LONG_RUN)
    if text.isascii():
        return cost
    return cost + sum(_COSTS[bisect_right(_STARTS, ord(one)) - 1] - 1 for one in text if one > "\x7f")


def tokens_of(text: str) -> int:
    """Give how many tokens a text is taken for, rounded up."""
    return -(-quarters_of(text) // CHARACTERS_A_TOKEN)

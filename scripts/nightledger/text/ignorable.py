"""Which characters show nothing at all: ranges of Unicode, and a few that it does not count among them.

Invariant: data and a lookup only; cheap to import, as what is shown depends on it.
"""

import re

IGNORABLE = (
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point: first and last of each range (DerivedCoreProperties.txt, Unicode 16)."""
BLANK = "\u2800\U00013441\U00013442\U00016fe4\U0001d159"
"""Symbols, letters and a note that are drawn as nothing, though Unicode counts them as seen."""
SHOWS_NOTHING = re.compile(
    f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in IGNORABLE)}{BLANK}\U000e1000-\U0010ffff]"
)
"""All of them, and the planes of private use behind the last."""

"""One planted sentence in other writing, each in a log of its own: the words are the same, what is between them is not."""

from tests.gate.homes import Desk
from tests.recall.asking import put
from tests.recall.test_withheld import BESIDE, PLANTED

_UPRIGHT, _WIDE = ord("!"), ord("\uff01")
WRITINGS: dict[str, tuple[str, ...]] = {
    "in capitals": (f"- {PLANTED.upper()}",),
    "full width": ("- " + "".join(chr(ord(c) - _UPRIGHT + _WIDE) if c > " " else c for c in PLANTED),),
    "accented": ("- The c\u00e9llar key hangs behind the blu\u00eb marmot clock.",),
    "soft hyphen": ("- The cel\u00adlar key hangs behind the blue mar\u00admot clock.",),
    "selector": ("- The cellar\ufe0f key hangs behind the blue mar\ufe0fmot clock.",),
    "picture": ("- The cellar key \U0001f5dd\ufe0f hangs behind the blue marmot clock.",),
    "entities": ("- The c&#101;llar&nbsp;key hangs behind the blue marmot&#32;clock.",),
    "hyphenated": ("- The cellar key hangs behind the blue mar-", "  mot clock."),
    "emphasis": ("- The **cellar** key *hangs* behind the _blue_ mar**mot** clock.",),
    "tags": ("- The <b>cellar</b> key hangs<br>behind the <i>blue</i> marmot clock.",),
    "comment": ("- The cellar key hangs <!-- so --> behind the blue marmot clock.",),
    "link": ('- The [cellar key](http://keys.example/(a) "of brass") hangs behind the blue marmot clock.',),
    "reference": ("- The [cellar key][1] hangs behind[^2] the blue marmot clock.",),
    "wiki link": ("- The [[Keys/Brass|cellar key]] hangs behind the blue marmot clock.",),
    "address": ("- [where](http://keys.example/the-cellar-key-hangs-behind-the-blue-marmot-clock)",),
    "address in codes": ("- keys.example/The%20cellar%20key%20hangs%20behind%20the%20blue%20marmot%20clock",),
    "title of a link": (f'- [where](k.png "{PLANTED}")',),
    "attribute": (f'- <img alt="{PLANTED}">',),
    "two items": ("- The cellar key hangs", "- behind the blue marmot clock."),
    "two numbers": ("1. The cellar key hangs", "2. behind the blue marmot clock."),
    "two boxes": ("- [x] The cellar key hangs", "- [x] behind the blue marmot clock."),
    "two times": ("- 10:01 The cellar key hangs", "- **[10:02]** behind the blue marmot clock."),
    "two turns": ("User: The cellar key hangs", "", "User: behind the blue marmot clock."),
    "heading and line": ("### The cellar key hangs", "", "behind the blue marmot clock."),
    "table": ("| what | where |", "|---|---|", "| The cellar key | hangs behind | the blue marmot clock. |"),
    "head of a table": ("| The cellar key hangs | behind the blue marmot clock |", "|---|---|"),
    "identifier": ("- the_cellar_key_hangs_behind_the_blue_marmot_clock",),
    "one word": ("- TheCellarKeyHangsBehindTheBlueMarmotClock",),
    "spelled": ("- " + " ".join(PLANTED),),
    "code": ("- `The cellar key hangs behind the blue marmot clock`",),
    "indented": ("", f"    {PLANTED}"),
    "carriage return": ("- The cellar key hangs\rbehind the blue marmot clock.\r",),
    "fields": ("", "- note: The cellar key hangs", "", "- behind the blue marmot clock: yes"),
}


def write_all(desk: Desk) -> None:
    """Put each writing into a log of its own, with a line that may be said."""
    for n, lines in enumerate(WRITINGS.values()):
        text = "\n".join(["# Day", "", *lines, "", f"- {BESIDE}", ""])
        put(desk, f"memory/2026-01-{n % 28 + 1:02}{'-more' * (n // 28)}.md", text)


def telling(text: str) -> list[str]:
    """Give the lines that tell of the planted sentence, whatever stands between its letters."""
    plain = {line: "".join(c for c in line.casefold() if c.isalnum()) for line in text.split("\n")}
    return [
        line for line, letters in plain.items() if any(word in letters for word in ("hangs", "mari", "blue"))
    ]

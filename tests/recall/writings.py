"""One planted sentence in other writing, each in a log of its own: the words are the same, what is between them is not."""

import json

from tests.gate.homes import Desk
from tests.recall.asking import put
from tests.recall.test_withheld import BESIDE
from tests.rows import corpus

WRITINGS: dict[str, list[str]] = json.loads(corpus("recall-writings.json"))


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

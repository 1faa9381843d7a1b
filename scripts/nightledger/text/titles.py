"""The titles of headings as what stands below them carries them.

Each chunk of the index and each line of a daily log carries the titles above it. Without a bound
a heading of 100 KB would be spelled, scanned and stored once for each of them.
"""

TITLE_CHARACTERS = 240
"""Of a longer title the rest is not carried; the heading's own line keeps it. Twice what a proposal's section may have."""


def carried(title: str) -> str:
    """Give a title; a longer one than the bound ends at its last blank within it, and is empty without one.

    No word is cut: a part of a secret would no longer be known for one.
    """
    if len(title) <= TITLE_CHARACTERS:
        return title
    return title[: TITLE_CHARACTERS + 1].rpartition(" ")[0].rstrip()

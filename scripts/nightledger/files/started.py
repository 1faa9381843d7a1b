"""Which steps of ``start`` were done: one word a line, for those that leave no other trace.

Disposable: whoever writes there has a step offered again or skipped, no more.
"""

from nightledger.files.atomic import replace_file
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

MAX_BYTES = 4096


def read_started(home: Home) -> set[str]:
    """Return the names of the steps that were done.

    Raises:
        UnreadableError: It is no regular file, or too large.
    """
    return set((read_optional(home.started, MAX_BYTES) or b"").decode("utf-8", "replace").splitlines())


def add_started(home: Home, name: str) -> None:
    """Write down that a step was done."""
    text = "".join(f"{one}\n" for one in sorted({*read_started(home), name}))
    replace_file(home.started, text.encode(), disposable=True)

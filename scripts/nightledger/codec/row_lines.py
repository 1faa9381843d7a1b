"""Whether rows that were decoded in bulk stood one to a line, as JSONL has it.

msgspec's ``decode_lines`` takes two objects on one line for two rows, and one that is spread over two lines for
one; every other reader of such files counts these lines as bad.
"""


def are_one_a_line(chunk: bytes, count: int) -> bool:
    r"""Tell whether the rows of a chunk are one to a line, without a blank line among them.

    No string of JSON holds a line end. So where each line begins with ``{`` and ends with ``}``, no object goes on
    behind a line end: inside of one, a comma, a colon or a bracket stands between ``}`` and ``{``.

    Args:
        chunk: Whole lines, decoded as objects.
        count: How many rows they gave.
    """
    whole = chunk.startswith(b"{") and chunk.endswith(b"}\n")
    return whole and chunk.count(b"}\n{") + 1 == chunk.count(b"\n") == count

"""A log as static files that anybody can serve and check (c2sp.org/tlog-tiles).

Invariant: pure; what is given out for a size never changes as the log grows, partial
tiles apart, which are named by their width.
"""

from collections.abc import Iterator, Sequence

from nightledger.domain.errors import NightledgerError
from nightledger.trust.event import MAX_LEAF_BYTES
from nightledger.trust.merkle import Tree

HEIGHT = 8
WIDTH = 1 << HEIGHT
"""C2SP tlog-tiles: tiles are 256 hashes wide."""


def hash_tiles(tree: Tree, size: int) -> Iterator[tuple[str, bytes]]:
    """Give path and bytes of every tile of the first ``size`` leaves, level by level.

    The n-th hash of level l is the root of leaves ``n * 256**l`` to ``(n + 1) * 256**l``.

    Args:
        tree: The log's tree.
        size: At most ``tree.size``.
    """
    level = 0
    while (count := size >> (HEIGHT * level)) > 0:
        hashes = tree.levels[HEIGHT * level]
        for start in range(0, count, WIDTH):
            end = min(start + WIDTH, count)
            yield _path(str(level), start // WIDTH, end - start), b"".join(hashes[start:end])
        level += 1


def entry_bundles(leaves: Sequence[bytes]) -> Iterator[tuple[str, bytes]]:
    """Give path and bytes of every bundle of entries: ``u16 length || leaf``, 256 a bundle.

    Args:
        leaves: Every line of the log, from the first.

    Raises:
        NightledgerError: When a leaf is longer than its length field can say; a torn line may be.
    """
    for start in range(0, len(leaves), WIDTH):
        bundle = leaves[start : start + WIDTH]
        for index, leaf in enumerate(bundle, start):
            if len(leaf) > MAX_LEAF_BYTES:
                raise NightledgerError(
                    f"line {index + 1} has {len(leaf)} bytes; a tile holds at most {MAX_LEAF_BYTES}"
                )
        content = b"".join(len(leaf).to_bytes(2, "big") + leaf for leaf in bundle)
        yield _path("entries", start // WIDTH, len(bundle)), content


def _path(level: str, number: int, width: int) -> str:
    """Give ``tile/<L>/<N>[.p/<W>]``, N in groups of three digits, all but the last with an ``x``."""
    digits = f"{number:03d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    name = "/".join([f"x{group}" for group in groups[:-1]] + groups[-1:])
    return f"tile/{level}/{name}" + (f".p/{width}" if width < WIDTH else "")

r"""The association view, ``memory/system/hebbian-links.json``.

Invariant: one fold of outcomes, one sequence of bytes. The file is one JSON object: the key
names a link, the value is canonical JSON (RFC 8785); one link a line, sorted as RFC 8785
sorts, so that people can search it and programs can compare it.
"""

import json
from collections.abc import Iterable

import msgspec

from nightledger.codec.link_record import link_record
from nightledger.domain.links import Link

VIEW_LINKS = 5_000
"""Links in the view at most: those of most sessions. More would help nobody who reads it, and
``recall`` reads the index, which has all."""


def dump_view(links: Iterable[Link]) -> bytes:
    """Give the bytes of the view of some links."""
    encode = msgspec.json.Encoder(order="sorted").encode
    members = {link.key: encode(link_record(link)) for link in links}
    lines = (
        json.dumps(key, ensure_ascii=False).encode() + b":" + members[key]
        for key in sorted(members, key=lambda key: key.encode("utf-16-be"))
    )
    return b"{\n" + b",\n".join(lines) + b"\n}\n" if members else b"{}\n"

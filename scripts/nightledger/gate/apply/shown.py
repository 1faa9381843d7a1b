"""The bytes of a file against which a change was shown that was signed.

Invariant: what is given as shown has the hash that was signed, or is the text on which what was
signed with it began; of bytes that nobody ever accepted and that are kept nowhere nothing is guessed.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass

from nightledger.codec.records import parse_record
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.states import Book
from nightledger.gate.apply.around import read_bytes
from nightledger.gate.apply.writing import Write
from nightledger.gate.opening import Gate
from nightledger.gate.signed import read_signed
from nightledger.text.changes.masked import mask_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How a file was shown.

    Attributes:
        text: Its text; None where it is kept nowhere.
        accepted: Whether it was as it was accepted then, so that no label in it had drifted in.
    """

    text: str | None
    accepted: bool


def read_shown(gate: Gate, book: Book, write: Write, decision: Decision) -> Shown:
    """Read how a file was shown when a change of it was signed.

    Changes that are signed together are all shown against the file of that time, and each names
    the result of the one before; another machine is shown a file with its secrets masked.

    Args:
        gate: The home.
        book: What its log adds up to.
        write: What is to be written to the file.
        decision: As signed, and recorded.
    """
    at = book.decisions[decision.id].recorded.at
    known = book.accepted.get(write.path, {})
    past = (sha256 for sha256, since in reversed(known.items()) if since <= at)
    accepted = next(past, None)
    base = next((target.base for target in decision.targets if target.path == write.path), "")
    sha256 = base if base == accepted else _root(gate, book, write.path, base, decision)
    kept = read_bytes(gate.home, sha256)
    masked = (mask_lines(_text(one)) for one in (write.before, write.accepted_before or write.before))
    text = next((one for one in masked if _sha256(one) == sha256), None) if kept is None else _text(kept)
    return Shown(text=text, accepted=sha256 == accepted)


def _root(gate: Gate, book: Book, path: str, sha256: str, decision: Decision) -> str:
    """Give what the first of the changes began with that were signed together; what is kept begins there itself."""
    before: dict[str, str] | None = None
    while read_bytes(gate.home, sha256) is None:
        before = _signed_with(gate, book, path, decision) if before is None else before
        if sha256 not in before:
            break
        sha256 = before.pop(sha256)
    return sha256


def _signed_with(gate: Gate, book: Book, path: str, decision: Decision) -> dict[str, str]:
    """Give the result and base of each approval of a file that names the same head; one that was altered says nothing."""
    found: dict[str, str] = {}
    for status in book.decisions.values():
        if status.type is DecisionType.APPROVE and status.id != decision.id:
            with suppress(NightledgerError):
                other = parse_record(Decision, read_signed(gate.home, status).content, where=status.id)
                targets = other.targets if other.log == decision.log else ()
                found |= {target.result: target.base for target in targets if target.path == path}
    return found


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

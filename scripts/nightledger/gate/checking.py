"""Compare what the log names with what lies on disk: trust files, proposals, decisions, gated files.

Invariant: damage is named, never raised, so that one look tells everything.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nightledger.codec.records import decode_record
from nightledger.domain.decision import Decision
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.states import Book
from nightledger.files.home import Home
from nightledger.gate.deciding import read_signed, signer_of
from nightledger.gate.gated import sha256_gated
from nightledger.gate.opening import Ledger, read_signers, trust_files
from nightledger.gate.stored import is_altered, read_logged


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """A file that is not what the log says of it.

    Attributes:
        path: Relative to the home.
        message: What is wrong with it.
    """

    path: str
    message: str


def find_altered(home: Home, ledger: Ledger) -> tuple[Altered, ...]:
    """Name every trust file, proposal and decision that is not what was logged or signed.

    A proposal that the operator closed for that is left out: :func:`find_closed` names it.
    Where a trust file is not, decisions are not judged: nobody knows who may sign. Every
    signature is verified at each look: who can write the log cannot sign for the operator.
    """
    trust = tuple(_trust_files(home, ledger.book))
    return (*trust, *_proposals(home, ledger.book), *(() if trust else _decisions(home, ledger.book)))


def find_closed(home: Home, book: Book) -> tuple[str, ...]:
    """Name the proposals that are not what was logged, and that the operator closed for that."""
    closed = book.closed()
    return tuple(
        status.id for status in book.proposals.values() if status.id in closed and is_altered(home, status)
    )


def find_drift(home: Home, book: Book) -> tuple[str, ...]:
    """Name the gated files whose bytes are not those last accepted, or cannot be read."""
    return tuple(path for path in home.identity.gated if _sha256(home, path) != book.gated.get(path))


def _sha256(home: Home, path: str) -> str:
    try:
        return sha256_gated(home, path)
    except NightledgerError:
        return "unreadable"


def _trust_files(home: Home, book: Book) -> Iterator[Altered]:
    expected = {item["name"]: item["sha256"] for item in book.genesis.get("trust", ())}
    for name, sha256 in sorted(trust_files(home).items()):
        if sha256 != expected.get(name):
            yield Altered(path=f"config/nightledger/{name}", message="it is not the file that the log names")


def _proposals(home: Home, book: Book) -> Iterator[Altered]:
    closed = book.closed()
    for status in (status for status in book.proposals.values() if status.id not in closed):
        try:
            read_logged(home, status)
        except AlteredError as error:
            message = str(error) if error.__cause__ else "it was changed after it was proposed"
            yield Altered(path=home.relative(home.proposal(status.id)), message=message)


def _decisions(home: Home, book: Book) -> Iterator[Altered]:
    if not book.decisions:
        return
    try:
        signers = read_signers(home, book)
    except NightledgerError as error:
        yield Altered(path=home.relative(home.config_dir), message=str(error))
        return
    for status in book.decisions.values():
        path = home.decision(status.id)
        try:
            signed = read_signed(home, status)
            principal = decode_record(Decision, signed.content, where=path).principal
        except NightledgerError as error:
            yield Altered(path=home.relative(path), message=str(error))
            continue
        if signer_of(signed, signers, status.recorded) != principal:
            yield Altered(
                path=f"{home.relative(path)}.sig", message="it is no signature of who the decision names"
            )

"""What waits for an operator, as it travels to another machine.

Invariant: nothing in it is believed for where it comes from. Proposals travel as the bytes that
the log names, so that what is signed elsewhere is what waits here; files and evidence travel
masked, to be read.
"""

from datetime import datetime

from msgspec import Struct

from nightledger.domain.decision import LogHead


class Document(Struct, frozen=True, kw_only=True):
    """A gated file as it may be read elsewhere.

    Attributes:
        path: Relative to the home.
        sha256: Hex SHA-256 of its bytes.
        content: Its bytes with secrets masked, base64.
    """

    path: str
    sha256: str
    content: str


class Excerpt(Struct, frozen=True, kw_only=True):
    """Lines that a change rests on, as they are now.

    Attributes:
        n: The change.
        place: Where they stand: ``memory/2026-02-28.md:12``.
        same: Whether they are what they were when it was proposed.
        text: The lines, secrets masked; empty where the file cannot be read.
    """

    n: int
    place: str
    same: bool
    text: str


class Travelling(Struct, frozen=True, kw_only=True):
    """A proposal of which something waits.

    Attributes:
        record: The text of its file, byte for byte what the log names.
        created_at: Time of its entry in the log.
        changes: Numbers of the changes that wait for an answer.
        excerpts: What they rest on.
    """

    record: str
    created_at: datetime
    changes: tuple[int, ...]
    excerpts: tuple[Excerpt, ...]


class HomeTerms(Struct, frozen=True, kw_only=True):
    """What the home asks of a decision.

    Attributes:
        cooling_after_proposal_s: Seconds from a proposal to its earliest apply.
        cooling_after_signature_s: Seconds from its signature to its earliest apply.
        decision_expires_days: How long an approval stays good.
        cap_characters: What its host shows of a memory file; None where it shows all.
    """

    cooling_after_proposal_s: int
    cooling_after_signature_s: int
    decision_expires_days: int
    cap_characters: int | None


class Waiting(Struct, frozen=True, kw_only=True):
    """All that an operator needs to review and sign elsewhere; ``schemas/waiting.schema.json``.

    Attributes:
        v: Version of the record, 1.
        origin: Name of the home's log; decisions carry it.
        log: Head of the log; decisions name it.
        allowed_signers: Who may sign: public keys and names, as the trust file has them.
        terms: What the home asks of a decision.
        documents: The gated files that the proposals change.
        proposals: In order of their entries.
        left_out: Proposals that wait and do not travel: drift, a secret in them, no room in the answer.
    """

    v: int
    origin: str
    log: LogHead
    allowed_signers: str
    terms: HomeTerms
    documents: tuple[Document, ...]
    proposals: tuple[Travelling, ...]
    left_out: tuple[str, ...]

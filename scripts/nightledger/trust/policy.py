r"""Which logs and witnesses count, how many of them it takes (c2sp.org/tlog-policy), and proofs that are checked by that.

A proof of one line in the log is c2sp.org/tlog-proof@v1, ``c2sp.org/tlog-proof@v1\n[extra <base64>\n]index <n>\n
<base64 hash>*\n\n<checkpoint>``; one that a head continues another is the body that a witness is asked with
(c2sp.org/tlog-witness), ``old <size>\n<base64 hash>*\n\n<checkpoint>``. Invariant: what is parsed is dumped to the same
bytes, and nothing is verified by parsing it. Invariant: a policy that is not understood to the letter is refused with every problem
named: a slip of the pen must not lower a quorum. An address that a line carries is read
and never used: what is connected to stands outside homes.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from msgspec import Struct

from nightledger.domain.errors import ConfigurationError, IntegrityError, NightledgerError, RecordError
from nightledger.trust import note as notes
from nightledger.trust.event import MAX_LEAF_BYTES
from nightledger.trust.merkle import DIGEST_BYTES, leaf_hash, verify_consistency, verify_inclusion

T = TypeVar("T")
NONE = "none"
"""The quorum that asks for nobody; predefined, so nobody can be called that."""
MAX_POLICY_BYTES = 1 << 20
MAX_NAMES = 100
"""Of logs, of witnesses and of groups; the specification recommends at least 32."""
LOG_LINES = re.compile(rb"(?m)^[ \t]*(?:# until [0-9]+ )?log[ \t].*\n?")
"""What of a policy says which keys sign the log, or signed it: all that a loss of all keys changes in it."""
_FORMER = re.compile(rb"(?m)^# until ([1-9][0-9]{0,18}) log ([!-~]+)\n")
_LOG_TYPES = frozenset({notes.ED25519, notes.COSIGNATURE_MLDSA44})
_WITNESS_TYPES = frozenset({notes.COSIGNATURE_ED25519, notes.COSIGNATURE_MLDSA44})
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BLANKS = re.compile(r"[ \t]+")  # not str.split, which splits at Unicode's blanks too
_THRESHOLD = re.compile(r"[1-9][0-9]{0,3}")
_ANY_TIME = datetime.min.replace(tzinfo=UTC)
_HINT = "c2sp.org/tlog-policy says what a policy holds; 'nightledger witness keygen' prints lines for it"


class Witness(Struct, frozen=True, kw_only=True):
    """A key that may cosign.

    Attributes:
        name: What groups and the quorum call it; means nothing outside the policy.
        key: Its verifier key.
    """

    name: str
    key: notes.VerifierKey


class Group(Struct, frozen=True, kw_only=True):
    """Some witnesses or groups, of which a number must cosign.

    Attributes:
        name: What other groups and the quorum call it.
        threshold: How many members it takes, from 1 to all.
        members: Names of witnesses and groups.
    """

    name: str
    threshold: int
    members: tuple[str, ...]


class Policy(Struct, frozen=True, kw_only=True):
    """When a checkpoint counts: signed by one of the logs, cosigned by the quorum.

    Attributes:
        logs: Verifier keys of logs; a key's name is its log's origin.
        witnesses: Who may cosign.
        groups: In order; each names only what stands before it.
        quorum: Name of the witness or group that must cosign; ``none`` asks for nobody.
    """

    logs: tuple[notes.VerifierKey, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    groups: tuple[Group, ...] = ()
    quorum: str = NONE

    @property
    def asks(self) -> bool:
        """Whether anybody must cosign."""
        return self.quorum != NONE

    def is_met(self, names: Collection[str]) -> bool:
        """Tell whether cosignatures by these witnesses make the quorum."""
        return not self.asks or self._quorum_of(dict.fromkeys(names, _ANY_TIME), last=False) is not None

    def first_seen(self, times: Mapping[str, datetime]) -> datetime | None:
        """Give the time by which a quorum had cosigned; None where it has not, or none is asked for.

        The smallest time that enough witnesses had reached: as long as those who lie are too few
        for the quorum, an honest one cosigned at that time or before.

        Args:
            times: For each witness that cosigned, the time that it states.
        """
        return self._quorum_of(times, last=False) if self.asks else None

    def last_seen(self, times: Mapping[str, datetime]) -> datetime | None:
        """Give the last time at which a quorum still cosigned; None as :meth:`first_seen`.

        The largest time that enough witnesses reached: as long as those who lie are too few, an
        honest one cosigned at that time or later.
        """
        return self._quorum_of(times, last=True) if self.asks else None

    def _quorum_of(self, times: Mapping[str, datetime], *, last: bool) -> datetime | None:
        known = {witness.name for witness in self.witnesses}
        reached = {name: time for name, time in times.items() if name in known}
        for group in self.groups:
            members = sorted((reached[m] for m in group.members if m in reached), reverse=last)
            if len(members) >= group.threshold:
                reached[group.name] = members[group.threshold - 1]
        return reached.get(self.quorum)


def parse_policy(raw: bytes, *, where: str) -> Policy:
    """Read a policy.

    Args:
        raw: Lines ``log <vkey> [<url>]``, ``witness <name> <vkey> [<url>]``,
            ``group <name> all|any|<k> <name>...`` and one ``quorum <name>|none``; ``#`` comments.
        where: Name of the file, for messages.

    Raises:
        RecordError: With every bad line.
    """
    reader = _Reader()
    problems: list[str] = []
    text = raw.decode("utf-8", "surrogateescape")  # names are opaque octets
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            reader.take(line)
        except (_LineError, ConfigurationError) as error:
            problems.append(f"line {number}: {error}")
    if not problems and reader.quorum is None:
        problems.append("there is no quorum line; 'quorum none' asks for nobody")
    if problems:
        raise RecordError(where, tuple(problems), hint=_HINT)
    return Policy(
        logs=tuple(reader.logs),
        witnesses=tuple(reader.witnesses),
        groups=tuple(reader.groups),
        quorum=reader.quorum or NONE,
    )


def dump_policy(policy: Policy, former: Iterable[tuple[int, str]] = ()) -> bytes:
    """Give the lines; the inverse of :func:`parse_policy`, comments and addresses apart.

    Args:
        policy: What they say.
        former: As :func:`former_logs` gives them.
    """
    lines = [f"witness {witness.name} {witness.key.dump()}" for witness in policy.witnesses]
    lines += [f"group {group.name} {group.threshold} {' '.join(group.members)}" for group in policy.groups]
    lines.append(f"quorum {policy.quorum}")
    rest = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    return dump_logs((key.dump() for key in policy.logs), former) + rest


def former_logs(raw: bytes) -> tuple[tuple[int, str], ...]:
    """Return the verifier keys that signed a log until all its keys were lost, each with how long the log was then.

    They stand in comments, ``# until <size> log <vkey>``: whoever reads the policy as the specification says passes them over.
    """
    return tuple((int(size), vkey.decode()) for size, vkey in _FORMER.findall(raw))


def dump_logs(vkeys: Iterable[str], former: Iterable[tuple[int, str]]) -> bytes:
    """Return the lines of a policy that name a log's keys, and those of before; the first are :func:`parse_policy`'s."""
    lines = [f"# until {size} log {vkey}\n" for size, vkey in former]
    return "".join([*lines, *(f"log {vkey}\n" for vkey in vkeys)]).encode()


def cosigned_times(note: notes.Note, policy: Policy) -> dict[str, datetime]:
    """Give the times that the policy's witnesses state in a note, by the policy's names.

    Lines of type 0x06 are passed over where this platform has no ML-DSA: such a witness has,
    as far as can be told here, not cosigned.

    Raises:
        NoteError: A line by one of these witnesses does not hold.
    """
    names = {_place(witness.key): witness.name for witness in policy.witnesses}
    present = {(line.name, line.key_id) for line in note.signatures}
    verifiers = notes.verifiers_of(one.key for one in policy.witnesses if _place(one.key) in present)
    held = notes.verify_note(note, verifiers) if verifiers else ()
    return {names[line.name, line.key_id]: notes.cosigned_at(line.signature) for line in held}


def verify_log(note: notes.Note, origin: str, logs: Sequence[notes.VerifierKey]) -> None:
    """Check that a log of that name has signed a note: by one key of it that is known, and badly by none.

    Args:
        note: A checkpoint.
        origin: Its first line.
        logs: Verifier keys, also of other logs.

    Raises:
        NoteError: No key of that log has signed, or a line by one does not hold.
    """
    notes.verify_note(note, notes.verifiers_of(key for key in logs if key.name == origin))


def _place(key: notes.VerifierKey) -> tuple[str, bytes]:
    return key.name, key.key_id


class _LineError(NightledgerError):
    """A line is not what it should be; collected into one RecordError."""


class _Reader:
    """The running state of ``parse_policy``; lives only inside it."""

    def __init__(self) -> None:
        self.logs: list[notes.VerifierKey] = []
        self.witnesses: list[Witness] = []
        self.groups: list[Group] = []
        self.quorum: str | None = None
        self._names: set[str] = {NONE}
        self._grouped: set[str] = set()

    def take(self, line: str) -> None:
        if _FORBIDDEN.search(line):
            raise _LineError("it holds a control character")
        words = [word for word in _BLANKS.split(line) if word]
        if not words or words[0].startswith("#"):
            return
        kinds = {"log": self._log, "witness": self._witness, "group": self._group, "quorum": self._quorum}
        if words[0] not in kinds:
            raise _LineError(f"{words[0][:40]!r} is no word of a policy: log, witness, group, quorum")
        kinds[words[0]](words[1:])

    def _log(self, words: list[str]) -> None:
        _require(len(words) in (1, 2), "a log has a verifier key and perhaps an address")
        key = _key(words[0], _LOG_TYPES)
        _require(key.public not in {log.public for log in self.logs}, "this log's key is given twice")
        self._require_apart(key)
        self.logs.append(_within(key, self.logs))

    def _witness(self, words: list[str]) -> None:
        _require(len(words) in (2, 3), "a witness has a name, a verifier key and perhaps an address")
        key = _key(words[1], _WITNESS_TYPES)
        given = {witness.key.public for witness in self.witnesses}
        _require(key.public not in given, "this witness's key is given twice")
        self._require_apart(key)
        self.witnesses.append(_within(Witness(name=self._new(words[0]), key=key), self.witnesses))

    def _group(self, words: list[str]) -> None:
        _require(len(words) > 2, "a group has a name, a number (or all, any) and members")  # noqa: PLR2004 - these three
        name, number, *members = words
        for member in members:
            _require(member in self._names - {NONE}, f"{member[:40]!r} is not defined before this line")
            _require(member not in self._grouped, f"{member[:40]!r} is already a member of a group")
            self._grouped.add(member)
        threshold = {"all": len(members), "any": 1}.get(number)
        if threshold is None:
            _require(bool(_THRESHOLD.fullmatch(number)), f"{number[:40]!r} is no number of members")
            threshold = int(number)
        _require(threshold <= len(members), f"it asks for {threshold} of {len(members)} members")
        group = Group(name=self._new(name), threshold=threshold, members=tuple(members))
        self.groups.append(_within(group, self.groups))

    def _quorum(self, words: list[str]) -> None:
        _require(self.quorum is None, "there is more than one quorum line")
        _require(len(words) == 1, "a quorum has one name")
        _require(words[0] in self._names, f"{words[0][:40]!r} is not defined before this line")
        self.quorum = words[0]

    def _new(self, name: str) -> str:
        _require(name not in self._names, f"the name {name[:40]!r} is taken")
        self._names.add(name)
        return name

    def _require_apart(self, key: notes.VerifierKey) -> None:
        """A log that cosigns for itself witnesses nothing."""
        others = {log.public for log in self.logs} | {witness.key.public for witness in self.witnesses}
        _require(key.public not in others, "a log and a witness have the same key")


def _key(text: str, types: Collection[int]) -> notes.VerifierKey:
    _require(text.isprintable(), "a verifier key holds a character that no name has")
    key = notes.parse_vkey(text)
    _require(key.key_type in types, f"a key of type {key.key_type:#04x} cannot have this part")
    notes.verifier_of(text)
    return key


def _within(value: T, already: Sequence[object]) -> T:
    _require(len(already) < MAX_NAMES, f"more than {MAX_NAMES} of a kind are not read")
    return value


def _require(holds: bool, message: str) -> None:  # noqa: FBT001 - reads as an assertion
    if not holds:
        raise _LineError(message)


HEADER = "c2sp.org/tlog-proof@v1"
MAX_HASHES = 63
"""c2sp.org/tlog-witness; no tree of 2**63 leaves needs more."""
MAX_PROOF_BYTES = notes.MAX_NOTE_BYTES + (1 << 18)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")


class ProofFormError(IntegrityError):
    """A proof is not of its form."""

    hint = "ask for it again: 'nightledger verify --prove' and '--continues' write such files"


class QuorumError(IntegrityError):
    """Fewer witnesses have cosigned a checkpoint than the policy asks for."""

    hint = "a later checkpoint may carry their lines; ask for a proof from that one"


class LogProof(Struct, frozen=True, kw_only=True):
    """That some line is in a log.

    Attributes:
        index: Its leaf, from 0.
        hashes: Inclusion proof, 32 bytes each, the nearest sibling first.
        checkpoint: The signed note whose tree it is in, as bytes.
        extra: What came along; ours is the line itself. Proved only when it is the leaf.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes = b""


class Continuation(Struct, frozen=True, kw_only=True):
    """That a head continues a smaller one.

    Attributes:
        old_size: Size of the smaller one; 0 claims nothing.
        hashes: Consistency proof, 32 bytes each (RFC 6962 section 2.1.2).
        checkpoint: The signed note of the larger one, as bytes.
    """

    old_size: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes


class Proven(Struct, frozen=True, kw_only=True):
    """What a proof that holds has shown.

    Attributes:
        checkpoint: The head that the line is under.
        times: For each witness of the policy that cosigned it, when.
    """

    checkpoint: notes.Checkpoint
    times: Mapping[str, datetime]


def dump_proof(proof: LogProof) -> bytes:
    """Give the file; the inverse of :func:`parse_proof`."""
    extra = [f"extra {notes.encode_base64(proof.extra)}"] if proof.extra else []
    return _dump([HEADER, *extra, f"index {proof.index}"], proof.hashes, proof.checkpoint)


def parse_proof(raw: bytes) -> LogProof:
    """Read a proof file; nothing is verified.

    Raises:
        ProofFormError: When it is none by the letter of the specification.
    """
    lines, checkpoint = _split(raw)
    if not lines or lines.pop(0) != HEADER:
        raise ProofFormError(f"the proof does not begin with {HEADER!r}")
    extra: bytes | None = b""
    if lines and lines[0].startswith("extra "):
        extra = notes.decode_base64(lines.pop(0).removeprefix("extra "))
        if not extra:
            raise ProofFormError("what stands behind 'extra' is not base64")
        if len(extra) > MAX_LEAF_BYTES:
            raise ProofFormError(f"what stands behind 'extra' has more than {MAX_LEAF_BYTES} bytes")
    index = _number(lines, "index")
    return LogProof(index=index, hashes=_hashes(lines), checkpoint=checkpoint, extra=extra or b"")


def verify_proof(proof: LogProof, leaf: bytes, policy: Policy) -> Proven:
    """Check that a line stands where the proof says, in a log and under witnesses that the policy names.

    Args:
        proof: As parsed.
        leaf: The line, without its line end.
        policy: Whose signatures count.

    Raises:
        NoteError: The checkpoint is malformed, of no log of the policy, or badly signed.
        QuorumError: Too few witnesses have cosigned it.
        ProofError: The line is not there.
    """
    note, head = notes.parse_head(proof.checkpoint)
    if head.origin not in {log.name for log in policy.logs}:
        raise notes.NoteError(f"the checkpoint is of {head.origin[:80]!r}, which is no log of the policy")
    verify_log(note, head.origin, policy.logs)
    times = cosigned_times(note, policy)
    if not policy.is_met(times.keys()):
        cosigned = ", ".join(sorted(times)) or "nobody"
        raise QuorumError(
            f"the policy asks for {policy.quorum!r}, and the head of {head.size} entries is cosigned by: {cosigned}"
        )
    verify_inclusion(leaf_hash(leaf), proof.index, head.size, proof.hashes, head.root)
    return Proven(checkpoint=head, times=times)


def dump_continuation(proof: Continuation) -> bytes:
    """Give the body of a request to a witness; the inverse of :func:`parse_continuation`."""
    return _dump([f"old {proof.old_size}"], proof.hashes, proof.checkpoint)


def parse_continuation(raw: bytes) -> Continuation:
    """Read the body of a request to a witness; nothing is verified.

    Raises:
        ProofFormError: When it is none by the letter of the specification.
    """
    lines, checkpoint = _split(raw)
    return Continuation(old_size=_number(lines, "old"), hashes=_hashes(lines), checkpoint=checkpoint)


def verify_continuation(proof: Continuation, old: notes.Checkpoint, new: notes.Checkpoint) -> None:
    """Check that a head continues a smaller one of the same log.

    Args:
        proof: As parsed; its own checkpoint is not looked at.
        old: The smaller head, known from elsewhere.
        new: The larger one.

    Raises:
        ProofFormError: The heads are of two logs, or the proof begins at another size.
        ProofError: It does not.
    """
    if old.origin != new.origin:
        raise ProofFormError(f"the heads are of two logs: {old.origin[:80]!r} and {new.origin[:80]!r}")
    if proof.old_size != old.size:
        raise ProofFormError(f"the proof begins at {proof.old_size} entries, the old head at {old.size}")
    verify_consistency(old.size, new.size, proof.hashes, old.root, new.root)


def _dump(head: Sequence[str], hashes: Sequence[bytes], checkpoint: bytes) -> bytes:
    lines = [*head, *map(notes.encode_base64, hashes), ""]
    return "".join(f"{line}\n" for line in lines).encode("ascii") + checkpoint


def _split(raw: bytes) -> tuple[list[str], bytes]:
    """Give the lines before the first blank one, and what is behind it."""
    head, blank, checkpoint = raw.partition(b"\n\n")
    if not blank or not head.isascii():
        raise ProofFormError("the proof has no ASCII lines followed by a blank one and a checkpoint")
    return head.decode("ascii").split("\n"), checkpoint


def _number(lines: list[str], word: str) -> int:
    name, _, number = (lines.pop(0) if lines else "").partition(" ")
    if name != word or not _NUMBER.fullmatch(number) or int(number) > notes.MAX_SIZE:
        raise ProofFormError(f"the proof has no line '{word} <number>' in its place")
    return int(number)


def _hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    if len(lines) > MAX_HASHES:
        raise ProofFormError(f"the proof has {len(lines)} hashes; at most {MAX_HASHES} are needed")
    found = tuple(notes.decode_base64(line) or b"" for line in lines)
    if any(len(digest) != DIGEST_BYTES for digest in found):
        raise ProofFormError("a line of the proof is not a hash: 32 bytes in base64")
    return found

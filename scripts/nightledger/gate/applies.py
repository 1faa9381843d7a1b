"""Compare every apply that the log tells of with what an operator signed; say which bytes of a file are accepted.

Invariant: who holds the log's key and no operator's key can add no change to a gated file that
this finds nothing wrong with: the decision holds, it stood to be carried out at that place of
the log, the file began with what had been accepted, and what was signed leads from there to
what was put there. Only such an apply makes bytes accepted. What expired is counted and not guessed;
damage is named, never raised.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.records import decode_record
from nightledger.domain.decision import Decision, DecisionType, Moment
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import LINKS, files_of, is_kept, why_forbidden
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import AppliedTarget, Apply, Gone
from nightledger.files.atomic import BlobStore
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.gate.checking import Held, verify_decisions
from nightledger.gate.gated import places_of
from nightledger.gate.opening import Ledger
from nightledger.gate.stored import read_logged
from nightledger.gate.trusting import Trust
from nightledger.text.changes.diff import shows, trace_drift
from nightledger.text.markdown.document import decode, encode
from nightledger.trust.report import Damage, Finding

WINDOW = timedelta(days=7)
"""No blob goes earlier (DESIGN promise 2): one that the log says went before cannot excuse anything."""
AHEAD = timedelta(days=2)
"""How far ahead of the clock a removal may be dated: as much as one gap of the log may count for."""
_ACCEPTS = frozenset({"done", "raced"})
"""How an apply ends that put bytes into a file."""
OTHER_START = "what it began with is not what had been accepted"
OTHER_RESULT = "what was signed does not lead from what stood there to what it put there"


class AppliesLook(Struct, frozen=True, kw_only=True):
    """What a look at every apply found.

    Attributes:
        findings: Those that nobody signed, each an alarm.
        checked: How many are what was signed.
        expired: How many cannot be checked any more: bytes that it takes have expired, or were expunged.
    """

    findings: tuple[Finding, ...] = ()
    checked: int = 0
    expired: int = 0


class _ExpiredError(Exception):
    """Bytes that a check needs are gone, as they may be."""


class _UnsignedError(Exception):
    """An apply is not what was signed; the message says why."""


def look_at_applies(home: Home, ledger: Ledger, held: Held, at: Moment) -> AppliesLook:
    """Check every apply, undo, edit and settlement that the log tells of, unfinished ones included.

    Those that were taken back changed nothing, and are passed over.

    Args:
        home: Whose.
        ledger: Its log, as checked.
        held: Its decisions, each signature verified.
        at: The clocks.
    """
    applies = Applies(home, ledger, held=held, at=at)
    findings: list[Finding] = []
    checked = expired = 0
    for begin in (begin for begin in ledger.book.begun if begin.outcome != "aborted"):
        wrong = applies.judge(begin)
        checked += wrong is None
        expired += isinstance(wrong, _ExpiredError)
        if isinstance(wrong, _UnsignedError):
            message = f"{begin.id} is not what was signed: {wrong}"
            findings.append(_finding(home, begin.line, message))
    findings += [_finding(home, line, why) for line, why in ledger.book.unfounded.items()]
    return AppliesLook(findings=tuple(findings), checked=checked, expired=expired)


def read_for_accepted(home: Home, ledger: Ledger) -> frozenset[str]:
    """Return the hashes of the blobs and the ids of the proposals without which nobody could tell what is accepted."""
    applies = Applies(home, ledger)
    for path in ledger.book.gated:
        applies.accepted(path)
    return frozenset(applies.read)


def _finding(home: Home, line: int, message: str) -> Finding:
    path = home.relative(home.audit_log)
    return Finding(damage=Damage.UNSIGNED, path=path, line=line, message=f"line {line}: {message}")


class Applies:
    """The applies of a home's log, each compared with what was signed once it is asked about.

    Attributes:
        read: Hashes of the blobs and ids of the proposals that this took.
    """

    def __init__(
        self, home: Home, ledger: Ledger, *, held: Held | None = None, at: Moment | None = None
    ) -> None:
        """Take a home and its log, as checked; nothing is read yet.

        Args:
            home: Whose.
            ledger: Its log, as checked.
            held: Its decisions, where all were verified, so that every apply is looked at; else as few as will do:
                an operator who signed an approval knew what was accepted then.
            at: The clocks; without them what expired does not count as signed.
        """
        self.home = home
        self.ledger = ledger
        self.book = ledger.book
        self.held = held
        self.at = at
        self.trust = Trust(home, ledger)
        self.blobs = BlobStore(home.blobs_dir)
        self.read: set[str] = set()
        self._recorded: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
        self._judged: dict[int, _ExpiredError | _UnsignedError | None] = {}
        self._ended: defaultdict[str, list[Apply]] = defaultdict(list)
        for begin in ledger.book.begun:
            for target in begin.targets if begin.outcome in _ACCEPTS else ():
                self._ended[target.path].append(begin)
        for ended in self._ended.values():
            ended.sort(key=_line_of_end)

    def accepted(self, path: str, *, before: int | None = None) -> str | None:
        """Return hex SHA-256 of the bytes of a gated or protected file that an operator accepted last.

        Those with which a home began count; an entry of the log that no signature bears out counts for nothing.

        Args:
            path: The file, relative to the home.
            before: Up to which line of the log; None takes all of it.

        Returns:
            None where the log names none; empty where nobody can tell who could sign.
        """
        ended = self._ended_before(path, before)
        try:
            signed = next((one for one in reversed(ended) if self._holds(one)), None)
        except IntegrityError:
            return ""
        if signed is None and self._ended[path]:
            return self._ended[path][0].accepted[path]
        if signed is None:
            return self.book.claimed_of(path)
        target = next(one for one in signed.targets if one.path == path)
        return target.accepted or target.after

    def is_signed(self, apply: str) -> bool:
        """Tell whether the last apply of an id is what was signed, before a crash in it is made good."""
        begin = next(one for one in reversed(self.book.begun) if one.id == apply)
        try:
            return self.judge(begin) is None
        except IntegrityError:
            return False

    def judge(self, begin: Apply) -> "_ExpiredError | _UnsignedError | None":
        """Return what keeps an apply from being what was signed; None where it is."""
        if begin.line not in self._judged:
            wrong: _ExpiredError | _UnsignedError | None = None
            try:
                self._check(begin)
            except (_ExpiredError, _UnsignedError) as error:
                wrong = error
            self._judged[begin.line] = wrong
        return self._judged[begin.line]

    def _holds(self, begin: Apply) -> bool:
        wrong = self.judge(begin)
        return wrong is None or (self.at is not None and isinstance(wrong, _ExpiredError))

    def _ended_before(self, path: str, line: int | None) -> list[Apply]:
        ended = self._ended[path]
        return ended if line is None else ended[: bisect_left(ended, line, key=_line_of_end)]

    def _was_accepted(self, begun: Apply, decision: Decision, path: str, sha256: str) -> bool:
        """Tell whether bytes were those accepted where an apply began.

        A decision that was signed over those very bytes once the log said so vouches for them: its operator saw them.
        One that was signed over others vouches for nothing, for who holds the log's key can record what
        ``accept`` (``gate/deciding.py``) refuses. So only what came later, or rests on other bytes, is looked at.
        """
        ended = self._ended_before(path, begun.line)
        if self.held is None:
            first = bisect_right(ended, decision.log.size, key=_line_of_end)
            while first and self._rests_on_earlier(ended[first - 1], path):
                first -= 1
            for one in ended[first:]:
                self.judge(one)  # the oldest first, so that none has to ask for all before it
            last = ended[-1].ended if ended else 0
            vouched = (
                base for size, line, base in self._recorded[path] if last <= size and line < begun.line
            )
            if sha256 == begun.accepted[path] and sha256 in vouched:
                return True
        return sha256 == self.accepted(path, before=begun.line)

    def _rests_on_earlier(self, begin: Apply, path: str) -> bool:
        """Tell whether judging an apply asks for one before it: it says that other bytes were signed than were accepted."""
        base = next(one.signed_base for one in begin.targets if one.path == path)
        return begin.line not in self._judged and base != begin.accepted[path]

    def _held_of(self, begun: Apply) -> Held:
        if self.held is not None:
            return self.held
        self.trust.signers_of(self.book.decisions[begun.decision])  # raises where nobody can tell
        return verify_decisions(self.home, self.ledger, only=begun.decision)

    def _check(self, begun: Apply) -> None:
        """Raise what is wrong with an apply."""
        _require_none(self._of_place(begun))
        held = self._held_of(begun)
        if begun.decision in held.away:
            raise _ExpiredError
        decision = held.decisions.get(begun.decision)
        if decision is None:
            raise _UnsignedError("its decision does not hold")
        status = self.book.decisions[begun.decision]
        if begun.trust > status.trust and self._is_revoked(begun, held):
            raise _UnsignedError("the key that signed it had been revoked")
        for signed in decision.targets:
            self._recorded[signed.path].append((decision.log.size, status.line, signed.base))
        _require_none((*self._of_decision(begun, decision), *self._of_targets(begun, decision)))
        for target in begun.targets:
            exact = (target.before, target.after) == (target.signed_base, target.signed_result)
            if decision.type is DecisionType.DRIFT:
                self._settlement(begun, decision, target, exact=exact)
            else:
                self._change(begun, decision, target, exact=exact)

    def _of_place(self, begun: Apply) -> Iterator[str]:
        if begun.again:
            yield "it was carried out before, and a decision counts once"
        if begun.standing is None:
            yield "no decision about that proposal was recorded before it"
            return
        numbers = {*begun.changes, *begun.taken_back}
        if not numbers:
            yield "it names no change"
        for n in sorted(numbers - begun.standing):
            yield f"change {n} did not stand to be carried out under its decision"
        if begun.outcomes and begun.outcomes > self._outcomes():
            yield "it forgets more outcomes of a link than there are"

    def _outcomes(self) -> int:
        """Give how many outcomes there may be at most: those that a deleted link forgets were recorded before."""
        try:
            with LineLog(self.home.outcomes) as log:
                return sum(chunk.count(b"\n") for chunk in log.chunks(0))
        except NightledgerError:
            return 0

    def _of_decision(self, begun: Apply, decision: Decision) -> Iterator[str]:
        status = self.book.decisions[begun.decision]
        if decision.proposal_sha256 != self.book.proposals[decision.proposal].sha256:
            yield "its decision was signed over other bytes of the proposal"
        if decision.type is not DecisionType.APPROVE and set(begun.changes) != set(decision.changes):
            yield "it carries out other changes than were signed"
        if begun.taken_back and decision.type is not DecisionType.DRIFT:
            yield "it takes back what is no drift"
        if begun.began.at >= decision.expires:
            yield "its decision had expired"
        steps = self.book.trust.steps[: begun.trust]
        if replace(self.book.trust, steps=steps).was_reset(status.recorded, status.trust, begun.began):
            yield "the keys had been reset since it was signed"

    def _of_targets(self, begun: Apply, decision: Decision) -> Iterator[str]:
        """A deleted link is signed for and writes no file; what some of the changes do not write may be left out."""
        signed = {one.path: (one.base, one.result) for one in decision.targets if one.path != LINKS}
        paths = {target.path for target in begun.targets}
        least = set(signed)
        if decision.type is DecisionType.APPROVE and set(begun.changes) != set(decision.changes):
            least = set(files_of([one for one in self._proposal(begun).changes if one.n in begun.changes]))
        if not least <= paths <= set(signed) or len(paths) != len(begun.targets):
            yield "it changes other files than were signed for"
        elif any((one.signed_base, one.signed_result) != signed[one.path] for one in begun.targets):
            yield "the bytes that it says were signed are not those of its decision"

    def _is_revoked(self, begun: Apply, held: Held) -> bool:
        signers = self.trust.signers(begun.began, upto=begun.trust)
        return held.keys[begun.decision] in signers.revoked_fingerprints

    def _change(self, begun: Apply, decision: Decision, target: AppliedTarget, *, exact: bool) -> None:
        """Check what an approval or an undo did to one file."""
        if target.path not in self.home.identity.gated and is_kept(target.path):
            self._kept(begun, decision, target, exact=exact)
            return
        around = bool(target.accepted_before or target.accepted)
        start = target.accepted_before if around else target.before
        if not self._was_accepted(begun, decision, target.path, start):
            raise _UnsignedError(OTHER_START)
        undoes = decision.type is DecisionType.UNDO
        if undoes and not exact:
            raise _UnsignedError("it did not put there what was signed")
        if exact and not around and set(begun.changes) == set(decision.changes):
            return  # from what was accepted to what was signed: the hashes say it all
        before = self._bytes(begun, target.before)
        accepted = self._bytes(begun, target.accepted_before) if around else before
        if undoes:
            from nightledger.gate.placing import carry

            after = self._bytes(begun, target.after)
            made = (after, carry(accepted, before, after))
        else:
            made = _made(self._proposal(begun), begun, decision, target.path, accepted, before)
        if _hashes(*made) != (target.after, target.accepted if around else target.after):
            raise _UnsignedError(OTHER_RESULT)

    def _kept(self, begun: Apply, decision: Decision, target: AppliedTarget, *, exact: bool) -> None:
        """Check what an approval or an undo did to a daily log or a file of the archive.

        Others may write there, so whatever it began with will do.
        """
        if exact and set(begun.changes) == set(decision.changes):
            return
        if decision.type is DecisionType.UNDO:
            raise _UnsignedError("it did not put there what was signed")
        from nightledger.gate.placing import put_changes

        changes = [change for change in self._proposal(begun).changes if change.n in begun.changes]
        places = places_of(self.home)
        _require_none(why for change in changes for why in why_forbidden(change, places))
        wanted = [one for one in begun.targets if one.path not in places.gated]
        documents = {one.path: decode(self._bytes(begun, one.before)) for one in wanted}
        made, unplaced = put_changes(documents, changes)
        if unplaced:
            raise _UnsignedError(f"change {unplaced[0][0]} does not fit what stood there")
        if hashlib.sha256(encode(made[target.path])).hexdigest() != target.after:
            raise _UnsignedError(OTHER_RESULT)

    def _settlement(self, begun: Apply, decision: Decision, target: AppliedTarget, *, exact: bool) -> None:
        """Check what the settling of drift did: what was shown and kept is accepted, and nothing else."""
        if not exact:
            raise _UnsignedError("it did not put there what was signed")
        accepted, before = (self._bytes(begun, sha) for sha in (target.accepted_before, target.before))
        proposal, course = self._proposal(begun), trace_drift(decode(accepted), decode(before))
        is_whole = len(decision.changes) == len(proposal.changes)
        start = target.accepted_before
        if not is_whole and not self._was_accepted(begun, decision, target.path, start):
            raise _UnsignedError(OTHER_START)
        if not shows(proposal, course):
            raise _UnsignedError("its item did not show what had drifted")
        stays = [change.n for change in proposal.changes if change.n not in begun.taken_back]
        made = (encode(course.rebuild(stays)), encode(course.rebuild(decision.changes)))
        if _hashes(*made) != (target.after, target.accepted):
            raise _UnsignedError(OTHER_RESULT)

    def _proposal(self, begun: Apply) -> Proposal:
        """Give the proposal that an apply carries out; the text of one that is over goes as blobs do.

        Raises:
            _ExpiredError: It is gone, as it may be.
            _UnsignedError: It is missing or altered, or went too early for that.
        """
        status = self.book.proposals[begun.proposal]
        self.read.add(begun.proposal)
        try:
            content = read_logged(self.home, status)
            return decode_record(Proposal, content, where=self.home.proposal(status.id))
        except NightledgerError as error:
            self._require_not_expired(begun, status.sha256)
            raise _UnsignedError("its proposal is not what was logged") from error

    def _bytes(self, begun: Apply, sha256: str) -> bytes:
        """Give bytes that an apply names.

        Raises:
            _ExpiredError: They are gone, as they may be.
            _UnsignedError: They are missing or altered, or went too early for that.
        """
        self.read.add(sha256)
        try:
            return self.blobs.get(sha256)
        except (NightledgerError, ValueError) as error:
            self._require_not_expired(begun, sha256)
            named = f"the bytes {sha256[:16]}… that it names" if sha256 else "bytes that it should name"
            raise _UnsignedError(f"{named} are not there") from error

    def _require_not_expired(self, begun: Apply, sha256: str) -> None:
        """Raise where bytes went as they may: after the window in which they may be needed, by log and clock."""
        why = self.book.gone.get(sha256)
        if why is Gone.EXPIRED:
            gone_at = self.book.gone_at[sha256]
            in_time = self.at is None or gone_at <= self.at.at + AHEAD
            why = why if in_time and begun.latest + WINDOW <= gone_at else None
        if why is not None:
            raise _ExpiredError


_line_of_end = attrgetter("ended")


def _require_none(problems: Iterable[str]) -> None:
    if found := "; ".join(problems):
        raise _UnsignedError(found)


def _made(
    proposal: Proposal, begun: Apply, decision: Decision, path: str, accepted: bytes, before: bytes
) -> tuple[bytes, bytes]:
    """Return what the signed changes make of a file and of its accepted bytes.

    Raises:
        _UnsignedError: One of them does not fit.
    """
    from nightledger.gate.placing import anchors_of, carry, place_around

    changes = [change for change in proposal.changes if change.n in begun.changes and change.target == path]
    anchors = anchors_of(decision, path)
    edits = proposal.lane == EDIT_LANE
    start = before if edits else accepted
    made, after, stale, waiting = place_around(start, before, changes, anchors)
    if unplaced := [*stale, *waiting]:
        raise _UnsignedError(f"change {unplaced[0]} does not fit what stood there")
    return after, carry(accepted, before, after) if edits else made


def _hashes(after: bytes, accepted: bytes) -> tuple[str, str]:
    return hashlib.sha256(after).hexdigest(), hashlib.sha256(accepted).hexdigest()

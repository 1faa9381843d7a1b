"""A review on a page: the very queue, kept answers and signature of the terminal's review, one question at a time.

Invariant: each question looks at the home anew (what waits is listed anew where stat(2) tells of a change, and always before
a signature), and the answers that are kept are those of ``review-draft.json``: two pages and
a terminal on one queue share them. What is signed carries the hash of what was shown: a change that reads otherwise now, or
that was answered otherwise elsewhere meanwhile, is asked again, and nothing is signed.
"""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from nightledger.domain.errors import NightledgerError
from nightledger.domain.kept import LINKS
from nightledger.domain.proposal import Evidence
from nightledger.domain.states import ChangeState
from nightledger.domain.words import dump_moment
from nightledger.gate import editing as choices
from nightledger.gate.drafting import fate_lines
from nightledger.gate.editing import counts_of, keep_draft, read_draft, shown_sha256
from nightledger.gate.forgotten import NEVER, heading_of, read_forgotten
from nightledger.gate.reviewing import Answer, Item, Refusal, Verb
from nightledger.gate.stored import short_name
from nightledger.surfaces import screen, signing
from nightledger.surfaces import session as sessions
from nightledger.surfaces.context import Context
from nightledger.surfaces.kept_look import stamp_of
from nightledger.surfaces.session import Session
from nightledger.surfaces.verbs.edit import word_change
from nightledger.surfaces.verbs.review import (
    SIDE_KEYS,
    SIDE_WORDS,
    notices,
    settle_sides,
    told_sides,
    waiting,
)
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.visible import visible
from nightledger.trust import keys
from nightledger.trust.sshsig import ED25519

MOST_CITED = 400
"""Lines of evidence that a page gets; the diff, which is signed, it gets whole. Our choice."""
CHANGED = "That reads otherwise now than on this page, so it is asked again; nothing was signed."
UNSAID = "What is to be signed was answered otherwise meanwhile, so it is asked again; nothing was signed."


class Shown(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change as a page showed it.

    Attributes:
        id: Of its proposal.
        n: Its number.
        seen: The hex SHA-256 of what was shown of it.
    """

    id: str
    n: int
    seen: str


class Said(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change as a page showed it, and the answer that it listed."""

    verb: Verb
    reason: str = ""


class Queue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="queue"):
    """What waits."""


class Look(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="look"):
    """What else there is to one change: its evidence, two wordings to choose from, its own wording."""


class Give(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="answer"):
    """Answer a change, and others alike; without a verb its answer is taken back.

    Attributes:
        verb: The answer.
        reason: Of a rejection.
        more: What else gets the same answer.
        never: Whether nothing from the heading that they all stand under is to be proposed again.
    """

    verb: Verb | None = None
    reason: str = ""
    more: tuple[Shown, ...] = ()
    never: bool = False


class Unmask(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="unmask"):
    """Show a change without masks."""


class Word(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="word"):
    """Put a change in other words."""

    text: str


class Choose(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="choose"):
    """Say which of two wordings stays, or when both are true."""

    side: str
    when: str = ""


class Sign(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do", tag="sign"):
    """Sign what a page listed."""

    answers: tuple[Said, ...]
    passphrase: str = ""


REQUESTS = Queue | Look | Give | Unmask | Word | Choose | Sign


class Open(Struct, kw_only=True):
    """The home as it is now, and what was answered.

    Attributes:
        session: The home.
        items: What waits.
        given: Kept answers, by the place of their item.
        changed: How many kept answers are about what reads otherwise now.
    """

    session: Session
    items: list[Item]
    given: dict[int, Answer]
    changed: int

    def place(self, shown: Shown) -> int | None:
        """Return where a change stands that reads as it was shown; None where it does not, or waits no more."""
        for at, item in enumerate(self.items):
            if (item.stored.proposal.id, item.change.n) == (shown.id, shown.n):
                return at if shown_sha256(item) == shown.seen else None
        return None

    def keep(self) -> None:
        """Keep the answers, as a review on the terminal does."""
        keep_draft(self.session.gate, self.items, self.given)


class PageReview:
    """Answers a page's questions; the caller asks one at a time.

    Attributes:
        told: What was signed, in sentences.
        refused: How many answers could not be signed.
        unsigned: Whether answers are kept that nobody signed.
        is_done: Whether nothing waits any more but what was left for later.
    """

    def __init__(self, context: Context, name: str | None) -> None:
        """Begin.

        Args:
            context: The command's surroundings.
            name: The one proposal that is reviewed; None for all.
        """
        self._context, self._name = context, name
        self._unmasked: set[str] = set()
        self._waiting, self._stamp = list[Item](), ""
        self._drawn = dict[str, dict[str, Any]]()
        self._headings = dict[tuple[Evidence, ...], str]()
        self.told: list[str] = []
        self.refused, self.unsigned, self.is_done = 0, False, False

    def answer(self, request: Any) -> dict[str, Any]:
        """Answer one question; what stands in its way is told in ``error`` and ``hint``, and costs no kept answer."""
        take: Mapping[type, Callable[[Any], dict[str, Any]]] = {
            Queue: lambda _: self._queue(),
            Look: self._look,
            Give: self._give,
            Unmask: self._unmask,
            Word: self._word,
            Choose: self._choose,
            Sign: self._sign,
        }
        gc.unfreeze()  # each question freezes what it read: see surfaces/session.py
        try:
            return take[type(request)](request)
        except (NightledgerError, OSError) as error:
            told = {"error": error, "hint": getattr(error, "hint", "")}
            failed = {name: screen.shown(self._context.short(str(text))) for name, text in told.items()}
            return {**failed, "status": getattr(error, "exit_status", 1)}

    @contextmanager
    def looking(self, *, anew: bool = False) -> Iterator[Open]:
        """Look at the home as it is now; what waits is listed again where something changed, or where asked for."""
        self._context.renew()
        with sessions.reading(self._context, person=True) as session:
            stamp = stamp_of(session.gate)
            if anew or not stamp or stamp != self._stamp:
                self._waiting, self._stamp = waiting(session, self._name), stamp
                self._drawn = {}
            items = [
                item.unmasked() if item.unread and shown_sha256(item) in self._unmasked else item
                for item in self._waiting
            ]
            given, changed = read_draft(session.gate, items)
            self.unsigned = bool(given)
            yield Open(session=session, items=items, given=given, changed=changed)

    # ------------------------------------------------------------ what is shown
    def _queue(self, note: str = "") -> dict[str, Any]:
        with self.looking() as now:
            return self._shown(now, note)

    def _shown(self, now: Open, note: str = "") -> dict[str, Any]:
        told = [*notices(now.session, now.items)]
        told = told[:-1] if now.items else told  # how much waits the page counts itself
        return {
            "home": visible(now.session.gate.home.root),
            "now": dump_moment(self._context.now),
            "notices": self._told(*told),
            "note": self._told(note)[0],
            "wants": _wanted(now.session),
            "counts": counts_of(now.items, now.given),
            "items": [self._item(now, at) for at in range(len(now.items))],
        }

    def _told(self, *texts: str) -> list[str]:
        return [screen.shown(self._context.short(text)) for text in texts]

    def _item(self, now: Open, at: int) -> dict[str, Any]:
        """Return a change as a page shows it; what is told of it is made once."""
        item, given = now.items[at], now.given.get(at)
        seen = shown_sha256(item)
        if seen not in self._drawn:
            self._drawn[seen] = {"seen": seen, **self._draw(now, item)}
        return {
            **self._drawn[seen],
            "alike": len(choices.alike(now.items, at)),
            "heading": screen.shown(self._heading(now, item), told=item.told),
            "answer": {"verb": given.verb, "reason": screen.shown(given.reason)} if given else None,
        }

    def _draw(self, now: Open, item: Item) -> dict[str, Any]:
        """Return what is shown of a change, whatever is answered."""
        change, proposal, told = item.change, item.stored.proposal, item.told
        diff, masked = screen.diff_of(item)
        words = {
            verb.value: choices.word_of(item, Answer(proposal=proposal.id, n=change.n, verb=verb))
            for verb in Verb
        }
        return {
            "id": proposal.id,
            "n": change.n,
            "short": f"{short_name(now.session.ledger.book, proposal.id)}#{change.n}",
            "title": screen.shown(proposal.title, told=told),
            "head": screen.headline(change, told=told),
            "since": dump_moment(item.status.created.at),
            "facts": list(screen.told_facts(change, told=told, share=item.share)),
            "fates": [screen.shown(line, told=told) for line in fate_lines(change)],
            "diff": list(screen.signed_lines(diff, told=told, masked=masked)),
            "first": visible(choices.first_line(item)),
            "size": screen.meter(proposal),
            "meters": _meters(item),
            "words": words,
            "unplaced": screen.shown(item.unplaced, told=told),
            "unread": item.unread,
            "can_word": choices.can_word(item),
            "is_drift": choices.is_drift(item),
        }

    def _look(self, request: Look) -> dict[str, Any]:
        with self.looking() as now:
            at = now.place(request)
            if at is None:
                return self._asked_again(now)
            item, gate = now.items[at], now.session.gate
            expunged = read_forgotten(gate, (), now.session.ledger.book).expunged
            cited = [
                screen.cited_lines(gate.home, evidence, item.told, expunged, MOST_CITED)
                for evidence in item.change.evidence
            ]
            sides = told_sides(gate, item)
            own = item.change.after
            can_word = choices.can_word(item)
            is_plain = can_word and (item.is_unmasked or mask_secrets(own, told=item.told) == own)
            wording = _seen(own) if is_plain else None
            return {
                "evidence": cited,
                "sides": sides,
                "choices": dict(zip(SIDE_KEYS, SIDE_WORDS, strict=True)) if sides else {},
                "wording": wording,
            }

    # ------------------------------------------------------------ what is answered
    def _asked_again(self, now: Open, note: str = CHANGED) -> dict[str, Any]:
        return {**self._shown(now, note), "again": True}

    def _give(self, request: Give) -> dict[str, Any]:
        with self.looking() as now:
            places = [now.place(one) for one in (request, *request.more)]
            chosen = [at for at in places if at is not None]
            if len(chosen) < len(places):
                return self._asked_again(now)
            reason = _one_line(request.reason)
            if request.never:
                (heading, *others) = {self._heading(now, now.items[at]) for at in chosen}
                if others or not heading or request.verb is not Verb.REJECT:
                    return self._asked_again(now)
                reason = NEVER + heading
            whys = (choices.why_not(now.items[at], request.verb, reason) for at in chosen)
            if why := next(filter(None, whys), ""):
                return self._shown(now, f"It cannot be answered so: {why}")
            now.given = {at: answer for at, answer in now.given.items() if at not in chosen}
            if request.verb:
                now.given |= choices.answer_each(now.items, chosen, request.verb, reason)
            now.keep()
            return self._shown(now)

    def _heading(self, now: Open, item: Item) -> str:
        """Return the heading of the notes that a change comes from, as it was when it was first asked for."""
        evidence = item.change.evidence
        if evidence not in self._headings:
            self._headings[evidence] = heading_of(now.session.gate.home, evidence)
        return self._headings[evidence]

    def _unmask(self, request: Unmask) -> dict[str, Any]:
        with self.looking() as now:
            if now.place(request) is None:
                return self._asked_again(now)
        self._unmasked.add(request.seen)
        return self._queue()

    def _word(self, request: Word) -> dict[str, Any]:
        with self.looking() as now:
            at = now.place(request)
            if at is None:
                return self._asked_again(now)
            own = now.items[at].change.after
            if not choices.can_word(now.items[at]) or request.text.strip() in {"", _seen(own).strip()}:
                return self._shown(now, "Nothing was changed.")
            worded, why = word_change(self._context, now.items[at], request.text)
            return self._put(now, at, worded, f"Not taken: {why}" if why else "")

    def _put(self, now: Open, at: int, worded: Sequence[Item], note: str) -> dict[str, Any]:
        """Keep the answers to what went over to a new wording's proposal, and show that wording."""
        if not worded:
            return self._queue(note)
        choices.put_worded(now.items, now.given, at, worded)
        now.keep()
        put = now.items[at]
        return {**self._queue(note), "put": {"id": put.stored.proposal.id, "n": put.change.n}}

    def _choose(self, request: Choose) -> dict[str, Any]:
        with self.looking() as now:
            at = now.place(request)
            if at is None or request.side not in SIDE_KEYS:
                return self._asked_again(now)
            item, gate = now.items[at], now.session.gate
            answer, worded, why = settle_sides(
                self._context, gate, item, request.side, _one_line(request.when)
            )
            if answer:
                now.given[at] = answer
                now.keep()
            return self._put(now, at, worded, why)

    # ------------------------------------------------------------ what is signed
    def _sign(self, request: Sign) -> dict[str, Any]:
        """Sign what the page listed, where each of it reads and is answered as it was listed; else nothing."""
        with self.looking(anew=True) as now:
            places = [now.place(said) for said in request.answers]
            chosen = {at: now.given.get(at) for at in places if at is not None}
            if None in places or not chosen:
                return self._asked_again(now)
            listed = [(said.verb, said.reason) for said in request.answers]
            kept = [(one.verb, screen.shown(one.reason)) for one in chosen.values() if one]
            if listed != kept:
                return self._asked_again(now, UNSAID)
            answers = [answer for at, answer in sorted(chosen.items()) if answer]
            passphrase = request.passphrase.encode("utf-8", "surrogatepass")
            settled = signing.settle(self._context, now.session, now.items, answers, passphrase)
            now.given = {at: answer for at, answer in now.given.items() if at not in chosen}
            now.keep()
        return self._signed(settled.refusals, list(signing.settled_sentences(settled)))

    def _signed(self, refusals: Sequence[Refusal], told: list[str]) -> dict[str, Any]:
        self.told += told
        self.refused += len(refusals)
        told = [*told, *(f"Not signed: {one.proposal}: {one.reason}" for one in refusals)]
        with self.looking() as now:
            left = (item.status.state_of(item.change.n) for item in now.items)
            self.is_done = not now.given and all(state is ChangeState.DEFERRED for state in left)
            return {**self._shown(now), "signed": self._told(*told), "done": self.is_done}


def _one_line(text: str) -> str:
    """Return words as the terminal takes them: one line, without what no record can hold."""
    return " ".join(text.split()).encode("utf-8", "replace").decode()


def _seen(text: str) -> str:
    """Return a text to be edited: what no screen shows stands there by its number, so that nobody signs it unseen."""
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))


def _meters(item: Item) -> list[dict[str, Any]]:
    """Return the size of each file before and after, and its host's cap; none of links."""
    targets = (target for target in item.stored.proposal.targets if target.path != LINKS)
    return [
        {
            "path": screen.shown(target.path),
            "before": target.meter.before_characters,
            "after": target.meter.after_characters,
            "cap": target.meter.cap_characters,
        }
        for target in targets
    ][: screen.MOST_METERS]


def _wanted(session: Session) -> str:
    """Return what the operator's key wants before it signs: a passphrase, a touch, or nothing (an agent has it, or nobody locked it)."""
    path = signing.operator_path(session.gate)
    if not path.exists():
        return ""
    if keys.public_key_of(path).kind != ED25519:
        return "touch"
    return "passphrase" if keys.needs_passphrase(path) else ""

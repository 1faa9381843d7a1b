"""Where a leaked text may lie: which files of a home are ours, and what is beyond our reach."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from shlex import quote

from nightledger.domain.errors import NightledgerError, UnreadableError
from nightledger.files.home import Home
from nightledger.files.leftovers import find_leftovers
from nightledger.files.reading import read_regular
from nightledger.gate.integrity.inputs import append_only
from nightledger.gate.opening import Gate, Ledger
from nightledger.trust.dsse import payloads_in

MAX_BYTES = 1 << 32
Holds = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Where a text is; paths relative to the home, sorted.

    Attributes:
        removed: Files of ours that go whole: proposals, decisions, blobs, held-back texts, texts and
            dead letters of messages.
        rewritten: Files of ours that are only appended to, and archives: it is overwritten there.
        derived: Files that are folded from others, and disposable ones: they go and are made anew. What runs
            that died left goes with them.
        gated: Gated files; they change by a signed edit only.
        altered: Proposals and decisions that are not what was logged: what ``verify`` says of them is
            evidence, whoever put the text there.
        trust: Trust files and the decisions behind them: who may sign rests on these very bytes.
        accepted: Blobs of what gated files were last signed to hold: the guard compares with them.
        elsewhere: Files in the home that are not ours.
    """

    removed: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    gated: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether it is in any file of ours."""
        return bool(self.removed or self.rewritten or self.derived or self.gated or self.accepted)


def find_held(gate: Gate, ledger: Ledger, holds: Holds, *, with_altered: bool = False) -> Found:
    """Look into every file of a home that may hold something.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        holds: Tells whether a file's bytes hold what is looked for.
        with_altered: Count altered proposals and decisions among those that go.

    Raises:
        UnreadableError: What would go is reached by a link, or overwritten under two names.
    """
    home, seen = gate.home, set[str]()

    def among(*sources: Iterable[str]) -> tuple[str, ...]:
        """Give those that hold it, of the files that were not looked at before."""
        fresh = [path for path in dict.fromkeys(chain(*sources)) if path not in seen]
        seen.update(fresh)
        return tuple(sorted(home.relative(path) for path in fresh if _is_held(path, holds)))

    trust = among(_trust(home, ledger))
    gated = among(home.gated_paths())
    accepted = among(_blob(home, sha256) for sha256 in ledger.book.gated.values())
    altered = () if with_altered else among(_altered(home, ledger))
    ours = (home.proposals_dir, home.decisions_dir, home.blobs_dir, home.quarantine_dir, home.received_dir)
    found = among(*map(_files, ours), [home.dead_letters])
    rewritten = among(map(home.path, append_only(home)), _files(home.archive_dir))
    derived = among(_views(home), _files(home.work_dir), find_leftovers(home))
    elsewhere = among(_files(home.audit_dir), _files(home.config_dir), _others(home))
    anywhere = any((gated, accepted, found, rewritten, derived, elsewhere))
    signatures = [f"{path}.sig" for path in found if os.path.lexists(home.path(f"{path}.sig"))]
    places = Found(
        removed=tuple(sorted({*found, *signatures})),
        rewritten=rewritten,
        derived=tuple(sorted({*derived, *_search_index(home, holds, anywhere=anywhere)})),
        gated=gated,
        altered=altered,
        trust=trust,
        accepted=accepted,
        elsewhere=elsewhere,
    )
    require_own(home, places)
    return places


def _is_held(path: str, holds: Holds) -> bool:
    try:
        content = read_regular(path, MAX_BYTES)
    except NightledgerError:
        return False  # a link, a FIFO, no file: nothing of ours is there
    return holds(content) or any(map(holds, payloads_in(content)))


def require_own(home: Home, found: Found) -> None:
    """Refuse what is reached by a name that is not ours alone: another's file would go, or be overwritten, with it.

    A directory of ours may be a link on purpose, to another disk or into a vault. What lies there is not told
    from what lay there before.

    Raises:
        UnreadableError: A directory above a file that is to go is a link, or a file that is overwritten has a second name.
    """
    for path in (*found.removed, *found.rewritten, *found.derived):
        if link := _link_above(home, path):
            there, here = quote(os.path.realpath(home.path(link))), quote(home.path(link))
            raise UnreadableError(
                f"{link} is a link to {there}, and nobody can tell whether what lies there is ours: {path} would go",
                hint=f"look there. Is the link none of yours, take it away: rm {here}. Is all that lies there "
                f"of this home, put it in its place: rm {here} && mv {there} {here}",
            )
    for path in found.rewritten:
        if has_second_name(home.path(path)):
            name = quote(home.path(path))
            raise UnreadableError(
                f"{path} has a second name (a hard link), and what is overwritten here would be overwritten there",
                hint=f"give it bytes of its own: cp -p {name} {name}.new && mv {name}.new {name}",
            )


def _link_above(home: Home, path: str) -> str:
    """Give the first directory above a file, within the home, that is a link; empty where none is."""
    parts = path.split("/")
    above = ("/".join(parts[:n]) for n in range(1, len(parts)))
    return next((name for name in above if os.path.islink(home.path(name))), "")


def has_second_name(path: str) -> bool:
    """Tell whether a file that is there has another name, too (a hard link), wherever that is."""
    return os.path.lexists(path) and os.lstat(path).st_nlink > 1


def _search_index(home: Home, holds: Holds, *, anywhere: bool) -> Iterator[str]:
    """Give the search index where it may hold the text: it packs texts, so their bytes do not stand in it.

    It is made of the home's files, so it goes when any of them holds the text; else when its own pages do.
    """
    from nightledger.files.search_index import any_page, index_path

    path = index_path(home)
    if os.path.lexists(path) and (anywhere or any_page(path, holds)):
        yield home.relative(path)


def _trust(home: Home, ledger: Ledger) -> Iterator[str]:
    """Give the files that the chain of trust files rests on, the blobs of every one that there was."""
    steps = ledger.book.trust.steps
    for step in steps:
        if step.decision:
            status = ledger.book.decisions[step.decision]
            yield from (_blob(home, sha256) for sha256 in (status.sha256, status.signature_sha256))
            yield home.decision(step.decision)
            yield f"{home.decision(step.decision)}.sig"
        yield from (_blob(home, sha256) for sha256 in step.files.values())


def _blob(home: Home, sha256: str) -> str:
    return os.path.join(home.blobs_dir, sha256[:2], sha256)


def _altered(home: Home, ledger: Ledger) -> Iterator[str]:
    """Give the files of proposals and decisions whose bytes are not those logged, those that were closed apart."""
    book = ledger.book
    logged = {
        home.proposal(one.id): one.sha256 for one in book.proposals.values() if one.id not in book.closed()
    }
    for one in book.decisions.values():
        logged |= {home.decision(one.id): one.sha256, f"{home.decision(one.id)}.sig": one.signature_sha256}
    for path, sha256 in logged.items():
        with suppress(NightledgerError):
            if hashlib.sha256(read_regular(path, MAX_BYTES)).hexdigest() != sha256:
                yield path


def _views(home: Home) -> tuple[str, ...]:
    return (home.pending_view, home.prune_view, home.entries, home.links, home.attention, home.staged_context)


def _files(directory: str) -> Iterator[str]:
    for folder, _, names in os.walk(directory):
        for name in sorted(names):
            if not name.endswith(".lock"):
                yield os.path.join(folder, name)


def _others(home: Home) -> Iterator[str]:
    """Give the agent's own files beside ours: its notes in the home's root, and all below memory/."""
    for name in sorted(os.listdir(home.root)):
        if name.endswith((".md", ".txt", ".json", ".jsonl")):
            yield os.path.join(home.root, name)
    yield from _files(home.memory_dir)

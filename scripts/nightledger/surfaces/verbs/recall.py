"""Find what the home knows: by words, by tags, or for a frame of mind.

QUERY          plain words: nothing in them is an operator. Looked for in
               MEMORY.md, daily logs, the archive, outcomes, handoffs and
               principles. "Last week" and "in March" tell a time, which is
               preferred. Shown are file and lines, the lines, and why. --tags,
               --since, --until and --scope narrow it; --explain
               tells what was looked for and every reason; [held: ...] marks
               what an agent would not see
--tags A,B     without a query what worked: with one tag, all of its links; with
               several, the links between them. A resolution is shown from a
               confidence of .7 up, which fades by the days on which the agent
               was active
--frame FRAME  the entries and principles that matter most: SELF (who the agent
               is), ATTENTION (what was just said), TASK (what helps), SIMULATE
               (for and against a plan); QUERY says what it is about. Only what
               was signed is shown. Weights, places and budgets: frames in
               config/nightledger.yaml

Called by an agent, a query and --tags give only what an agent may see: of what
nobody signed the place without its words, of links a record marked unsigned,
with the place of the signed entry that names its resolution; what is signed
comes first. What a query showed it is recorded.

Reads   the home's texts; .nightledger/links/; for a query or a frame audit/,
        memory/system/
Writes  .nightledger/search/, the index; called by an agent
        memory/system/exposures.jsonl
Changes no memory.
"""

import argparse
import re
from contextlib import nullcontext, suppress
from datetime import date

from nightledger.codec.links import dump_day, link_record
from nightledger.domain.errors import UsageError
from nightledger.domain.outcome import Link
from nightledger.domain.words import read_tag
from nightledger.files.home import Home
from nightledger.files.link_index import Recalled, open_index

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.domain.outcome import Tally
    from nightledger.domain.search import Query
    from nightledger.files.link_index import LinkIndex
    from nightledger.surfaces.context import Context

MAX_HITS = 200
"""Hits of one query: more are no answer but a listing. Our choice."""
MAX_QUERY_CHARACTERS = 4_000
"""A page; more says no more. Our choice."""


_NARROWING = ("explain", "since", "until", "scope")
"""What only a query can be narrowed by."""


def run(options: argparse.Namespace, context: "Context") -> int:
    """Search, print links, or fill a frame."""
    if options.frame and options.tags is not None:
        raise UsageError("--tags does not go with --frame", hint="nightledger recall --help")
    narrowed = next((name for name in _NARROWING if getattr(options, name)), "")
    if narrowed and (options.frame or options.query is None):
        raise UsageError(
            f"--{narrowed} is for a query, and for no frame and no tags alone",
            hint="nightledger recall --help",
        )
    if options.frame:
        return _frame(options, context)
    if options.query is not None:
        from nightledger.surfaces.recalling import show_found

        return show_found(context, read_query(options, options.query), explained=options.explain)
    if options.tags is None:
        raise UsageError("say what to look for: a query, --tags or --frame", hint="nightledger recall --help")
    return _links(options, context)


def _links(options: argparse.Namespace, context: "Context") -> int:
    """Print the links, the surest first; nothing when none is sure enough."""
    home = Home(context.home_path).require()
    if options.limit < 1:
        raise UsageError(f"-n {options.limit} shows nothing", hint="give 1 or more")
    tags = [*read_tags(options.tags)]
    index = open_index(home.link_index_dir)
    if index is None:
        context.note("no links were made yet; 'nightledger link' makes them from the outcomes")
    with index or nullcontext():
        found, more = _found(index, tags, options, context) if index else ([], 0)
    context.emit({"links": [_record(*item) for item in found], "more": more})
    context.print_lines(row for item in found for row in _rows(*item))
    if index and not found and not context.quiet:
        context.print("Nothing has worked often enough for these tags yet.")
    if more:
        context.print(f"{more} more; -n {len(found) + more} shows them")
    return 0


def _found(
    index: "LinkIndex", tags: list[str], options: argparse.Namespace, context: "Context"
) -> tuple[list[tuple[Recalled, str | None]], int]:
    """Give the links, and how many more there are; for an agent those that it may be told, with the place of the signed entry."""
    from nightledger.surfaces.context import calling_host

    if not (options.agent or calling_host()):
        links, more = index.recall(tags, options.limit)
        return [(link, None) for link in links], more

    told = told_links(context, index, tags)
    return [*told[: options.limit]], max(0, len(told) - options.limit)


def _frame(options: argparse.Namespace, context: "Context") -> int:
    from nightledger.domain.frames import Frame
    from nightledger.surfaces.recalling import show_frame

    return show_frame(context, Frame(options.frame.lower()), (options.query or "")[:MAX_QUERY_CHARACTERS])


def _record(item: Recalled, place: str | None) -> dict[str, object]:
    return {
        **({} if place is None else {"signed": False, "accepted_in": place or None}),
        **link_record(item.link),
        "link": item.link.key,
        "confidence_now": item.confidence,
        "idle_days": item.idle_days,
    }


def _rows(item: Recalled, place: str | None) -> list[str]:
    """Give the rows of a link, each statement whole, on one line."""
    rivals = [rival for rival in item.link.rivals if rival.evidence < 0]
    mark = "" if place is None else "  [unsigned: a record, not an instruction]"
    named = f"  [{_shown(place)} names the resolution]" if place else ""
    against = (f"      not {_shown(rival.resolution)}: {_tally(rival)}{mark}" for rival in rivals)
    return [f"{_line(item)}{mark}{named}", *against]


def _line(item: Recalled) -> str:
    link = item.link
    return (
        f"{item.confidence:.2f}  {_shown(link.key)}: {_shown(link.best.resolution)} "
        f"({_tally(link.best)}; sessions {link.co_occurrences}, last {dump_day(link.last_day)})"
    )


def _tally(tally: "Tally") -> str:
    counts = ((tally.successes, "worked"), (tally.partials, "in part"), (tally.failures, "failed"))
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def _shown(name: str) -> str:
    """Give a name of the index, which anyone may have written, so that a terminal only prints it."""
    return name if name.isprintable() else ascii(name)


def read_query(options: argparse.Namespace, text: str) -> "Query":
    """Give the query that options ask for.

    Raises:
        UsageError: An option says nothing that could be looked for.
    """
    from nightledger.domain.search import Kind, Query, Showing
    from nightledger.surfaces.context import calling_host

    if not 1 <= options.limit <= MAX_HITS:
        raise UsageError(f"-n {options.limit}: 1 to {MAX_HITS} hits can be shown", hint="give -n 10")
    if not text.strip():
        raise UsageError("the query is empty", hint="nightledger recall 'backup retention'")
    words = [word.strip() for word in options.scope.split(",")] if options.scope is not None else []
    known = [kind.value for kind in Kind]
    if unknown := [word for word in words if word not in known]:
        raise UsageError(f"--scope: {unknown[0]!r} is no kind", hint=f"kinds are {', '.join(known)}")
    agent = options.agent or bool(calling_host())
    return Query(
        text=text,
        tags=read_tags(options.tags) if options.tags is not None else (),
        since=read_day(options.since, "--since"),
        until=read_day(options.until, "--until"),
        scope=frozenset(map(Kind, words)),
        limit=options.limit,
        showing=Showing.AGENT if agent else Showing.OPERATOR,
    )


def read_day(text: str | None, option: str) -> date | None:
    """Give the day that an option names; None where it was not given.

    Raises:
        UsageError: It is none.
    """
    if text is None:
        return None
    with suppress(ValueError):
        day = date.fromisoformat(text)
        if day.isoformat() == text:  # ISO 8601 has weeks, and dates without dashes, too
            return day
    raise UsageError(f"{option} {text!r} is not a date", hint="write it as 2026-02-28")


def read_tags(text: str) -> tuple[str, ...]:
    """Give canonical tags, sorted, of ``cron,time_zone``.

    Raises:
        UsageError: One is none.
    """
    try:
        return tuple(sorted({read_tag(tag) for tag in text.split(",")}))
    except ValueError as error:
        raise UsageError(f"--tags: {error}", hint="write them as cron,time_zone") from error


MOST = 2_000
"""Links that are looked at, the surest: about a second. Our choice."""
_PLAIN = re.compile(r"[A-Za-z0-9_.:+@/-]{1,80}")


def told_links(context: "Context", index: "LinkIndex", tags: list[str]) -> list[tuple[Recalled, str]]:
    """Return the links of some tags that an agent may be told, the surest first.

    With each comes the place of the signed entry that names its resolution, ``MEMORY.md:9``; empty where none does.

    Args:
        context: The command's surroundings.
        index: The links.
        tags: Canonical, each once.

    Raises:
        NightledgerError: The home cannot be read.
    """
    found, _ = index.recall(tags, MOST)
    of_tags = (one for one in found if all(tag in tags or _PLAIN.fullmatch(tag) for tag in one.link.pair))
    plain = list(map(_plain, of_tags))
    if not plain:
        return []
    from nightledger.recall.associations import read_resolutions
    from nightledger.recall.visibility import Judge, read_rules
    from nightledger.surfaces.session import reading

    with reading(context) as seen:
        judge = Judge(seen.gate.home, read_rules(seen.gate, seen.ledger), frozenset())
        accepted = read_resolutions(seen.gate, seen.ledger)
        may = [one for one in plain if judge.may_say(_said(one.link))]
        entries = [(one, accepted.find(one.link.best.resolution, one.link.pair)) for one in may]
    return [
        (one, f"{entry.path}:{entry.entry.first_line}" if entry else "")
        for one, entry in entries
        if entry or _PLAIN.fullmatch(one.link.best.resolution)
    ]


def _said(link: Link) -> str:
    return " ".join((*link.pair, *(tally.resolution for tally in (link.best, *link.rivals))))


def _plain(one: Recalled) -> Recalled:
    """Return a link without the rivals that are no plain identifiers."""
    link = one.link
    told = Link(
        link.pair,
        co_occurrences=link.co_occurrences,
        tallies=[link.best, *(rival for rival in link.rivals if _PLAIN.fullmatch(rival.resolution))],
        resolutions=link.resolutions,
        last_day=link.last_day,
    )
    return Recalled(told, one.confidence, one.idle_days)

"""Whose transcripts may be read: what lies where, what the owner said yes to, and the reading of it; the verb ``import``.

Invariant: nothing of a host's transcripts is opened before the owner said yes for that host and this home, once; that
stands with the keys, outside the home, and an agent's host cannot say it.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from nightledger.codec.records import to_plain
from nightledger.domain.errors import ConfigurationError, NightledgerError, RefusedError, UsageError
from nightledger.domain.settings import TranscriptSource
from nightledger.domain.transcript import AGREED
from nightledger.domain.words import count_of, dump_moment
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import home_zone, load_operator
from nightledger.files.durable import make_dir, read_optional
from nightledger.files.home import Home
from nightledger.hosts import transcript_formats as formats
from nightledger.hosts.transcript_formats import Format, Reach, SessionFile, find_sessions, table
from nightledger.jobs.log_outcomes import log_outcomes
from nightledger.jobs.transcripts import Asked, Taken, count_messages, read_cursors, take_in
from nightledger.surfaces.context import Context, host_roots, require_person
from nightledger.surfaces.hook.running import host_name
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import Session, writing

if TYPE_CHECKING:
    from nightledger.hosts.transcript_reading import Cursor
    from nightledger.surfaces.doctor_keys import Check

_MAX_BYTES = 1 << 16
_NAMED = 3
_MEGABYTE = 1_000_000


class Source(Struct, frozen=True, kw_only=True):
    """A host whose transcripts may lie here.

    Attributes:
        form: How it writes them.
        root: Its own directory, whether it is there or not.
        directories: Further working directories whose sessions belong to the home.
    """

    form: Format
    root: str
    directories: tuple[str, ...] = ()


def sources_of(keys_dir: str) -> dict[str, Source]:
    """Return the hosts whose transcripts can be read, by name: those that are known, and those of ``operator.yaml``.

    Raises:
        ConfigurationError: ``operator.yaml`` cannot be used, or describes a tool without its directory or files.
    """
    named, roots = dict(load_operator(keys_dir).transcripts), host_roots()
    sources = {}
    for form in table().formats:
        told = named.pop(form.host, TranscriptSource())
        root = told.root or roots[form.host]
        sources[form.host] = Source(form=form, root=root, directories=told.directories)
    for name, told in named.items():
        if not (told.root and told.files):
            raise ConfigurationError(
                f"operator.yaml: transcripts: {name}: it is no host that is known, so root and files are to be given",
                hint=f"write it like: {name}: {{root: /home/ann/.{name}, files: 'sessions/*.jsonl'}}",
            )
        sources[name] = Source(
            form=formats.described(name, told), root=told.root, directories=told.directories
        )
    return sources


def source_of(keys_dir: str, host: str) -> Source:
    """Return one host's transcripts.

    Raises:
        UsageError: No such host is known.
    """
    sources = sources_of(keys_dir)
    if host not in sources:
        known = ", ".join(name.replace("_", "-") for name in sources)
        raise UsageError(f"no transcripts are known of {host or 'no host'}", hint=f"known are {known}")
    return sources[host]


def agreed(keys_dir: str, home: Home) -> dict[str, str]:
    """Return the hosts whose transcripts may be read for a home, each with when the owner said so."""
    raw = read_optional(_path(keys_dir, home), _MAX_BYTES)
    try:
        hosts = json.loads(raw or b"{}")["hosts"]
        return {str(host): str(since) for host, since in hosts.items()}
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return {}  # what cannot be read is no yes


def agree(keys_dir: str, home: Home, host: str, now: datetime | None) -> None:
    """Write down that a host's transcripts may be read from now on, or, without a time, that they may not."""
    path, hosts = _path(keys_dir, home), agreed(keys_dir, home)
    hosts.pop(host, None)
    hosts |= {host: dump_moment(now)} if now else {}
    make_dir(os.path.dirname(path))
    replace_file(path, json.dumps({"v": 1, "hosts": hosts}, sort_keys=True).encode() + b"\n")


def _path(keys_dir: str, home: Home) -> str:
    return os.path.join(keys_dir, home.identity.id, AGREED)


class Look(Struct, frozen=True, kw_only=True):
    """What of a host's transcripts is seen without opening any.

    Attributes:
        host: Its name in records.
        files: How many files of sessions lie there.
        size_bytes: Theirs together.
        may_belong: Of these, files that may be of this home, told by their names.
        read: Files of this home of which something was read.
        since: When the owner said that they may be read; empty where nobody did.
        directories: Working directories of what was read for this home.
        others: The largest folders of the rest, as the host names them.
    """

    host: str
    files: int
    size_bytes: int
    may_belong: int
    read: int
    since: str
    directories: tuple[str, ...]
    others: tuple[str, ...]


def look_around(keys_dir: str, home: Home) -> list[Look]:
    """Return what lies there of each host whose transcripts can be read, of those that have any."""
    made = os.path.lexists(home.identity_file)
    since, read = (agreed(keys_dir, home), read_cursors(home)) if made else ({}, {})
    looks = []
    for host, source in sources_of(keys_dir).items():
        there, cursors = find_sessions(source.form, source.root), read.get(host, {})
        reach = Reach(
            home=home.root, root=source.root, kind=source.form.reach, directories=source.directories
        )
        mine = [one for one in there.files if reach.may_hold(one.name)]
        rest = [one for one in there.files if not reach.may_hold(one.name)]
        if there.files or there.left:
            looks.append(
                Look(
                    host=host,
                    files=len(there.files),
                    size_bytes=sum(one.size_bytes for one in there.files),
                    may_belong=len(mine),
                    read=len(cursors),
                    since=since.get(host, ""),
                    directories=tuple(sorted({one.cwd for one in cursors.values() if one.cwd})),
                    others=formats.largest_folders(rest)[:_NAMED],
                )
            )
    return looks


def check_sources(keys_dir: str, home: Home, now: datetime) -> "Iterator[tuple[str, Check]]":
    """Yield each source that the owner said yes to, with whether it still gives something.

    Args:
        keys_dir: Where operators keep their keys.
        home: Whose.
        now: Aware, UTC.

    Raises:
        ConfigurationError: ``operator.yaml`` cannot be used.
    """
    from nightledger.surfaces.doctor_keys import found  # loads what a reading does without

    since, read = agreed(keys_dir, home), read_cursors(home)
    sources = sources_of(keys_dir) if since else {}
    mine: dict[str, list[tuple[SessionFile, Cursor]]] = {}
    for host in sorted(since.keys() & sources.keys()):
        files = find_sessions(sources[host].form, sources[host].root).files
        cursors = read.get(host, {})
        read_of = [(one, cursors[one.name]) for one in files if one.name in cursors]
        mine[host] = sorted(read_of, key=lambda pair: -pair[0].written_s)
        if not files:
            yield host, found("sources.gone", host=host, name=host.replace("_", "-"), root=sources[host].root)
    newest = {
        host: datetime.fromtimestamp(files[0][0].written_s, UTC) for host, files in mine.items() if files
    }
    for host, at in newest.items():
        facts = {"host": host, "name": host.replace("_", "-"), "day": f"{at:%Y-%m-%d}"}
        deaf = takewhile(lambda pair: pair[1].missed and not pair[1].understood, mine[host])
        others = [one for name, one in newest.items() if name != host]
        if (count := sum(cursor.missed for _, cursor in deaf)) >= table().silent_lines:
            yield host, found("sources.other", count=count, **facts)
        elif others and max(others) - at > timedelta(days=table().silent_days) < now - at:
            yield host, found("sources.silent", **facts)
        else:
            yield host, found("sources.good", **facts)


def tell_files(files: int, size_bytes: int) -> str:
    """Return how many files of sessions there are, and their size."""
    size = f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= _MEGABYTE else f"{-(-size_bytes // 1000):,} kB"
    return f"{count_of(files, 'file')} of sessions, {size}"


def tell_look(look: Look) -> str:
    """Return what a person is told of a host's transcripts, in one line."""
    name = look.host.replace("_", "-")
    lie = tell_files(look.files, look.size_bytes)
    if not look.since:
        return f"{lie}, {look.may_belong} of which may be of this home; none is read: 'nightledger import {name}' asks you"
    where = f" ({', '.join(look.directories)})" if look.directories else ""
    others = f"; others are {', '.join(look.others)}" if look.others else ""
    return f"{lie}, of this home {look.read}{where}, read each night since you said yes on {look.since[:10]}{others}"


def read_host(session: Session, source: Source, *, dry_run: bool = False) -> Taken:
    """Take in what is new of one host; the owner has said yes."""
    gate = session.gate
    asked = Asked(
        form=source.form,
        root=source.root,
        directories=source.directories,
        now=session.moment.at,
        zone=home_zone(gate.home, gate.settings),
        clean=_cleaner(session),
        log=lambda records: _log(gate.home, records, session.moment.at),
        copies=session.ledger.book.copies,
        dry_run=dry_run,
    )
    return take_in(gate.home, asked)


def _cleaner(session: Session) -> Callable[[str], str]:
    """Return what blanks the lines that say what was expunged: in most homes nothing, and then nothing is loaded that knows such texts again."""
    if not session.ledger.book.withheld:
        return str
    from nightledger.gate.forgotten import read_forgotten

    return read_forgotten(session.gate, (), session.ledger.book).expunged.without


def _log(home: Home, records: list[dict[str, Any]], now: datetime) -> None:
    log_outcomes(home, [(record["note"], record) for record in records], now=now)


def read_agreed(context: Context) -> tuple[dict[str, int], list[str]]:
    """Take in what is new of every host that the owner said yes to; what goes wrong with one is told, and the others are read.

    Returns:
        Counts, and what the operator should know.
    """
    messages, told, derived = 0, list[str](), Counter[str]()
    with writing(context) as session:
        for host in sorted(agreed(context.keys_dir, session.gate.home)):
            try:
                taken = read_host(session, source_of(context.keys_dir, host))
            except NightledgerError as error:
                told.append(f"transcripts of {host} were not read: {' '.join(str(error).split())}")
                continue
            messages += taken.user + taken.assistant
            derived += taken.outcomes
            told += problems_of(taken)
    unknown = derived.pop("unknown", 0) + derived.pop("unnamed", 0)
    counts = {"outcomes_derived": derived.total(), "tasks_of_unknown_outcome": unknown}
    return {"messages_read": messages, **{name: count for name, count in counts.items() if count}}, told


def problems_of(taken: Taken) -> Iterator[str]:
    """Yield what of a reading the operator should know, a line each."""
    for name, why in taken.left[:_NAMED]:
        yield f"{taken.host}: {name} {why}"
    if more := taken.left[_NAMED:]:
        yield f"{taken.host}: {count_of(len(more), 'more file was', 'more files were')} not read"
    if taken.unknown:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in taken.unknown.most_common(5))
        yield f"{taken.host}: lines of kinds that are not known were passed over: {kinds}"
    if taken.broken:
        yield f"{taken.host}: passed over {count_of(taken.broken, 'line')} of no JSON or too long"
    if taken.untimed:
        yield f"{taken.host}: passed over {count_of(taken.untimed, 'line')} with no time, or one that has not come yet"


def run_import(options: argparse.Namespace, context: Context) -> int:
    """Read the transcripts of your sessions, so that nights learn from them.

    import HOST   asks once whether that host's transcripts may be read for this
                  home, and reads what is new; from then on each night does
    import        reads what is new of every host that you said yes to

    What you and the assistant said is kept, a file a day, secrets masked; code, what
    tools gave out, and what hosts, tools and Nightledger put into a prompt are not.
    What became of tasks is logged where an exit status, a mark of an error, a revert or
    your word tells it; of the others it is unknown, and nothing is logged.
    Sessions belong to a home by their working directory: the home or below it;
    'transcripts' in operator.yaml adds others, and describes other tools' files.

    Reads   the host's transcripts (read-only), from where reading ended
    Writes  memory/system/transcripts/, outcome-records.jsonl, cursors.json; the yes, beside the keys
    Changes no memory.
    """
    home = Home(context.home_path).require()
    known = agreed(context.keys_dir, home)
    if options.host is None and (options.off or not known):
        raise UsageError("no host is named", hint="nightledger import claude-code, codex, hermes or openclaw")
    hosts = sorted(known) if options.host is None else [host_name(options.host)]
    sources = [source_of(context.keys_dir, host) for host in hosts]
    if options.off:
        require_person("import", simulated=home.identity.simulated)
        agree(context.keys_dir, home, hosts[0], None)
        context.emit({"host": hosts[0], "agreed": False})
        context.print(
            f"Transcripts of {hosts[0]} are not read any more; what was kept stays in memory/system/transcripts/."
        )
        return 0
    for source in sources:
        if source.form.host not in known:
            _ask_owner(options, context, home, source)
    with writing(context) as session:
        taken = [read_host(session, source, dry_run=options.dry_run) for source in sources]
    context.emit(to_plain(taken))
    for one in taken:
        _tell_taken(context, one, dry_run=options.dry_run)
    return 0


def _ask_owner(options: argparse.Namespace, context: Context, home: Home, source: Source) -> None:
    """Have the owner say yes, once.

    Raises:
        RefusedError: They did not, or cannot be asked.
    """
    require_person("import", simulated=home.identity.simulated)
    found, host = find_sessions(source.form, source.root), source.form.host
    size = sum(file.size_bytes for file in found.files)
    what = f"{tell_files(len(found.files), size)} of {host} below {source.root}"
    if not options.yes:
        if not context.interactive() or context.json:
            raise RefusedError(
                f"nobody said yes yet to reading the transcripts of {host} for this home ({what})",
                hint=f"nightledger import {host.replace('_', '-')} --yes",
            )
        say(
            context,
            f"Found: {what}. Of sessions of this home your words and the assistant's would be kept in memory/system/transcripts/, and read each night.",
        )
        if input("Read them, now and each night? [y/N] > ").strip().lower() not in ("y", "yes"):
            raise RefusedError("nothing was read", hint="'nightledger import' asks again")
    if not options.dry_run:
        agree(context.keys_dir, home, host, context.now)


def _tell_taken(context: Context, taken: Taken, *, dry_run: bool) -> None:
    kept = "would be kept" if dry_run else "kept"
    files = count_of(taken.files, "file is", "files are")
    yours = f"{count_of(taken.user, 'message')} of yours and {taken.assistant} of the assistant {kept}"
    say(context, f"{taken.host}: {taken.of_home} of {files} of this home; {yours}")
    told = list[str]()
    left = {name: taken.outcomes.pop(name, 0) for name in ("unknown", "unnamed")}
    if taken.outcomes or left["unknown"]:
        ended = ", ".join(f"{n} {word}" for word, n in sorted(taken.outcomes.items())) or "none"
        unnamed = f", {left['unnamed']} left out that nothing names" if left["unnamed"] else ""
        logged, unknown = "that would be logged" if dry_run else "logged", count_of(left["unknown"], "task")
        told.append(f"outcomes {logged}: {ended}{unnamed}; of {unknown} nothing explicit tells the end")
    if taken.days:
        first, last = min(taken.days), max(taken.days)
        told.append(f"of {first} to {last}: 'nightledger consolidate --since {first}' proposes from them now")
    if taken.waiting:
        single = (
            ""
            if count_messages(taken)
            else "; of files that hold one object each 'folder_is_session' in operator.yaml makes lines"
        )
        told.append(
            f"{count_of(taken.waiting, 'file ends', 'files end')} in a line without its end, which is read once it has one{single}"
        )
    say(context, *told, *problems_of(taken), first="  ", indent="    ")
    if not count_messages(taken) and not taken.of_home:
        say(
            context,
            "Sessions belong to a home by their working directory; 'transcripts' in operator.yaml can name others.",
        )

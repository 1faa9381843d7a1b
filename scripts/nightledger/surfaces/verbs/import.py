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

# ruff: noqa: N999 - a verb's module has the verb's name
import argparse

from nightledger.codec.records import to_plain
from nightledger.domain.errors import RefusedError, UsageError
from nightledger.domain.words import count_of
from nightledger.files.home import Home
from nightledger.hosts.transcript_formats import find_sessions
from nightledger.jobs.transcripts import Taken, count_messages
from nightledger.surfaces import transcripts
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.hook.running import host_name
from nightledger.surfaces.screen import say
from nightledger.surfaces.session import writing


def run(options: argparse.Namespace, context: Context) -> int:
    """Ask where nobody was asked yet, read, and say what came of it."""
    home = Home(context.home_path).require()
    known = transcripts.agreed(context.keys_dir, home)
    if options.host is None and (options.off or not known):
        raise UsageError("no host is named", hint="nightledger import claude-code, codex, hermes or openclaw")
    hosts = sorted(known) if options.host is None else [host_name(options.host)]
    sources = [transcripts.source_of(context.keys_dir, host) for host in hosts]
    if options.off:
        require_person("import", simulated=home.identity.simulated)
        transcripts.agree(context.keys_dir, home, hosts[0], None)
        context.emit({"host": hosts[0], "agreed": False})
        context.print(
            f"Transcripts of {hosts[0]} are not read any more; what was kept stays in memory/system/transcripts/."
        )
        return 0
    for source in sources:
        if source.form.host not in known:
            _ask(options, context, home, source)
    with writing(context) as session:
        taken = [transcripts.read_host(session, source, dry_run=options.dry_run) for source in sources]
    context.emit(to_plain(taken))
    for one in taken:
        _tell(context, one, dry_run=options.dry_run)
    return 0


def _ask(options: argparse.Namespace, context: Context, home: Home, source: transcripts.Source) -> None:
    """Have the owner say yes, once.

    Raises:
        RefusedError: They did not, or cannot be asked.
    """
    require_person("import", simulated=home.identity.simulated)
    found, host = find_sessions(source.form, source.root), source.form.host
    size = sum(file.size_bytes for file in found.files)
    what = f"{transcripts.tell_files(len(found.files), size)} of {host} below {source.root}"
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
        transcripts.agree(context.keys_dir, home, host, context.now)


def _tell(context: Context, taken: Taken, *, dry_run: bool) -> None:
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
        told.append(
            f"of {min(taken.days)} to {max(taken.days)}: 'nightledger consolidate --since {min(taken.days)}' proposes from them now"
        )
    say(context, *told, *transcripts.problems_of(taken), first="  ", indent="    ")
    if not count_messages(taken) and not taken.of_home:
        say(
            context,
            "Sessions belong to a home by their working directory; 'transcripts' in operator.yaml can name others.",
        )

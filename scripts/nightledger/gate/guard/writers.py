"""Who most likely wrote what drifted: marks, a commit, the file's owner, sessions at work; else unknown.

Invariant: it is a guess, and said to be one; nothing is decided by it.
"""

import os
from collections.abc import Mapping

from msgspec import Struct, field

from nightledger.domain.states import Writer
from nightledger.files.home import Home
from nightledger.hosts.writers import find_commit, find_mark, hosts_at_work


class Guess(Struct, frozen=True, kw_only=True):
    """Who most likely wrote it.

    Attributes:
        writer: The word that the log keeps.
        sentence: The same for a person, with what it rests on.
        commit: A commit that holds these very bytes, 40 hex digits; empty where none is known.
    """

    writer: Writer = Writer.UNKNOWN
    sentence: str = "Who wrote it is unknown."
    commit: str = ""


class Scene(Struct, frozen=True, kw_only=True):
    """Where traces of writers are looked for.

    Attributes:
        roots: Each agent host's own directory; empty looks at none.
    """

    roots: Mapping[str, str] = field(default_factory=dict)


def guess_writer(home: Home, path: str, present: bytes, added: str, scene: Scene) -> Guess:
    """Guess who wrote a file's bytes, by the strongest trace there is.

    Args:
        home: Whose file.
        path: The file, relative to the home.
        present: Its bytes.
        added: The lines that were not accepted.
        scene: Where to look.
    """
    commit = find_commit(home.root, present) if present else ""
    mark = find_mark(added.split("\n"))
    if mark is Writer.DREAMING:
        return Guess(
            writer=mark, sentence="Most likely OpenClaw's dreaming: its marks stand there.", commit=commit
        )
    if mark is not None:
        return Guess(
            writer=mark,
            sentence="Most likely a tool that extracts memories: its marks stand there.",
            commit=commit,
        )
    if commit:
        return Guess(
            writer=Writer.GIT,
            sentence=f"Most likely git: commit {commit[:12]} holds these very bytes.",
            commit=commit,
        )
    return _by_status(home, path, scene)


def _by_status(home: Home, path: str, scene: Scene) -> Guess:
    try:
        status, owner = os.stat(home.path(path)), os.stat(home.root).st_uid
    except OSError:
        return Guess(sentence="The file is gone, and who removed it is unknown.")
    if status.st_uid != owner:
        return Guess(
            writer=Writer.USER,
            sentence=f"Most likely user {status.st_uid} of this machine, who owns the file now.",
        )
    hosts = hosts_at_work(scene.roots, status.st_mtime)
    if hosts:
        names = " and ".join(hosts)
        return Guess(
            writer=Writer.SESSION, sentence=f"Most likely an agent: a session of {names} was at work then."
        )
    return Guess()

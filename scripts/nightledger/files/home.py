"""Every path of a home, in one place.

Invariant: no other module joins a home's path by hand; a home that is missing or was not
made by ``init`` is an error that names the command, never "nothing to do".

Defaults that come with the program: what stands under ``config/`` beside the code.
"""

import os
import re
from errno import ELOOP
from stat import S_ISREG

from nightledger.domain.errors import ConfigurationError, IntegrityError, RecordError, UnreadableError
from nightledger.files.durable import is_within, read_regular

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

if TYPE_CHECKING:
    from pathlib import Path

    from nightledger.codec.home_record import Identity

MAX_IDENTITY_BYTES = 1 << 16
IDENTITY = os.path.join("config", "nightledger", "home.json")
"""What makes a directory a home."""
IDENTITY_HINT = "put config/nightledger/home.json back from a backup, as 'nightledger init' wrote it: 'nightledger restore'"
_ID = re.compile(r"[a-z]-[a-z2-7]{26}")


class HomePath:
    """A path of a home, by its name relative to the root."""

    __slots__ = ("_relative",)

    def __init__(self, relative: str) -> None:
        self._relative = relative

    def __get__(self, home: "Home", _: object = None) -> str:
        return f"{home.root}/{self._relative}"


class Home:
    """The directory of one agent's files; names only, nothing is opened by building it.

    Plain slots instead of a dataclass, because every command builds one at start.

    Attributes:
        root: Absolute path, without a trailing slash.
    """

    __slots__ = ("_identity", "root")

    memory_dir = HomePath("memory")  # daily logs in the layouts of hosts, and the directories below
    system_dir = HomePath("memory/system")  # records and what is folded from them
    outcomes = HomePath("memory/system/outcome-records.jsonl")  # append-only outcomes, one a line
    # association view for people and other tools; derived
    links = HomePath("memory/system/hebbian-links.json")
    # what each consolidation did, one a line
    consolidation_log = HomePath("memory/system/consolidation-log.jsonl")
    runs = HomePath("memory/system/runs.jsonl")  # the run ledger, one run of one job a line
    # what was shown to the agent, where and when, one a line
    exposures = HomePath("memory/system/exposures.jsonl")
    # what curate and the operator's mercy keep fresh, one a line
    reinforcements = HomePath("memory/system/reinforcements.jsonl")
    analyst_log = HomePath("memory/system/analyst.jsonl")  # what a model was asked and answered, one a line
    # what was kept of transcripts, ``YYYY-MM-DD-<host>.md``, appended to
    transcripts_dir = HomePath("memory/system/transcripts")
    cursors = HomePath("memory/system/cursors.json")  # how far each reader has read
    entries = HomePath("memory/system/entries.json")  # sidecar of MEMORY.md; derived
    constitution = HomePath("memory/system/constitution.json")  # the principles; a protected file
    state_dir = HomePath("memory/state")  # what waits and what is staged
    proposals_dir = HomePath("memory/state/proposals")  # one immutable file a proposal
    # generated view of what consolidation proposed and what waits, in the published fields
    pending_view = HomePath("memory/state/tc-consolidate-pending.json")
    # generated view of what pruning proposed and what waits, in the published fields
    prune_view = HomePath("memory/state/tc-prune-request.json")
    # context staged for the agent's next session
    staged_context = HomePath("memory/state/tc-restore-pending.md")
    # what each line of the staged context rests on; what was worked out for it
    staged_dir = HomePath(".nightledger/staged")
    handoff = HomePath("memory/state/session-handoff.md")  # the agent's handoff; written by the agent
    attention = HomePath("memory/state/ATTENTION.md")  # what needs the operator
    # texts that came in messages and that proposals rest on; secrets masked
    received_dir = HomePath("memory/state/received")
    heartbeat = HomePath("memory/state/tc-heartbeat.json")  # what other machines last said of themselves
    # messages of ours that no machine took in, one a line, in the published fields
    dead_letters = HomePath("memory/state/tc-dead-letters.jsonl")
    archive_dir = HomePath("memory/archive")  # archived entries, ``YYYY.md``
    archive_daily_dir = HomePath("memory/archive/daily")  # full text of compressed daily logs
    audit_dir = HomePath("audit")  # the audit log and what it refers to
    audit_log = HomePath("audit/trusted-channel-audit.jsonl")  # the audit log, one event a line; never pruned
    checkpoint = HomePath("audit/checkpoint")  # the newest signed head of the log
    cosigned = HomePath("audit/cosigned")  # the newest head that witnesses cosigned
    # signed heads that a decision, a witness or a day's end refers to, named by size
    checkpoints_dir = HomePath("audit/checkpoints")
    decisions_dir = HomePath("audit/decisions")  # what an operator signed, with detached signatures
    blobs_dir = HomePath("audit/blobs/sha256")  # raw bytes for undo and diffs, by hash
    quarantine_dir = HomePath("audit/quarantine")  # text that scanners held back
    config_dir = HomePath("config/nightledger")  # this home's settings and trust files
    identity_file = HomePath(IDENTITY)  # who this home is
    # this home's settings, over the shipped defaults
    settings = HomePath("config/nightledger/nightledger.yaml")
    # this home's consent graph, over the shipped one
    consent_graph = HomePath("config/nightledger/consent-graph.json")
    # this home's staging rules, over the shipped ones
    staging_rules = HomePath("config/nightledger/staging-rules.json")
    allowed_signers = HomePath("config/nightledger/allowed_signers")  # trust file: who may sign
    revoked_keys = HomePath("config/nightledger/revoked_keys")  # trust file: whose signatures no longer count
    # trust file: which machines may send messages, and what each may ask for
    peers = HomePath("config/nightledger/peers.json")
    # trust file: which logs and witnesses count (C2SP tlog-policy)
    policy = HomePath("config/nightledger/policy")
    work_dir = HomePath(".nightledger")  # disposable: locks, indexes, inbox, seen ids
    locks_dir = HomePath(".nightledger/locks")  # lock files; removed by nobody while a run is at work
    started = HomePath(".nightledger/started")  # which steps of ``init --guide`` were done
    # when ``night`` has something to do next; spares a look at everything else
    next_due = HomePath(".nightledger/next-due")
    search_dir = HomePath(".nightledger/search")  # index of search
    link_index_dir = HomePath(".nightledger/links")  # index behind the association view
    # answers of other machines, messages that wait for theirs
    channel_dir = HomePath(".nightledger/channel")

    def __init__(self, root: "str | Path") -> None:
        self.root = os.path.abspath(os.fspath(root))
        self._identity: Identity | None = None

    def path(self, relative: str) -> str:
        """Give the absolute path of a name inside the home.

        Raises:
            UnreadableError: When it is absolute or climbs out with ``..``.
        """
        if relative[:1] in ("", "/") or "\0" in relative or ".." in relative.split("/"):
            raise UnreadableError(
                f"{relative!r} is not a path inside the home", hint="write it relative to the home"
            )
        return os.path.join(self.root, relative)

    def relative(self, path: str) -> str:
        """Give a path as it is written in records: relative to the home, with ``/``.

        Raises:
            UnreadableError: When it is outside the home.
        """
        found = os.path.relpath(path, self.root)
        if found == ".." or found.startswith("../"):
            hint = "name a file inside the home"
            raise UnreadableError(f"{path} is outside the home {self.root}", hint=hint)
        return found

    @property
    def identity(self) -> "Identity":
        """Who this home is, read once.

        Raises:
            ConfigurationError: When the home is missing or was not made by ``init``.
            IntegrityError: When its record is damaged.
        """
        if self._identity is None:
            from nightledger.codec.home_record import parse_home

            self.require()
            try:
                raw = read_regular(self.identity_file, MAX_IDENTITY_BYTES, within=self.root)
                self._identity = parse_home(raw, self.identity_file)
            except (RecordError, UnreadableError) as error:
                raise IntegrityError(str(error), hint=error.hint) from error
        return self._identity

    def require(self) -> "Home":
        """Give the home itself when it is one.

        Raises:
            ConfigurationError: When it is missing or was not made by ``init``; the hint makes one.
            IntegrityError: When it was, and its record is gone or is no file.
            PermissionError: When another user's home cannot be looked into.
        """
        try:
            if S_ISREG(os.stat(self.identity_file).st_mode):
                return self
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            if error.errno != ELOOP:
                raise
        if any(map(os.path.lexists, (self.identity_file, self.audit_log, self.checkpoint))):
            raise IntegrityError(f"{self.identity_file} is gone or is no file", hint=IDENTITY_HINT)
        raise _no_home(self.root)

    @property
    def memory_md(self) -> str:
        """The main gated file; ``MEMORY.md`` unless the host keeps it elsewhere."""
        return self.path(self.identity.gated[0])

    def gated_paths(self) -> tuple[str, ...]:
        """Give every gated file's absolute path, the main one first; links are not resolved."""
        return tuple(self.path(relative) for relative in self.identity.gated)

    def resolve(self, relative: str) -> str:
        """Give the real path of a name in the home, links followed; the file may be missing.

        Raises:
            UnreadableError: When a link leads out of the home.
        """
        path = self.path(relative)
        if not is_within(path, self.root):
            raise UnreadableError(
                f"{path} is a link to {os.path.realpath(path)}, outside the home",
                hint="put the file itself in its place",
            )
        return os.path.realpath(path)

    def leading_out(self) -> list[str]:
        """Name those directories of ours, and ``memory``, that a link leads out of the home."""
        ours = (
            *(self.memory_dir, self.system_dir, self.proposals_dir, self.received_dir, self.config_dir),
            *(self.archive_daily_dir, self.decisions_dir, self.checkpoints_dir, self.blobs_dir),
            self.quarantine_dir,
            *(self.locks_dir, self.search_dir, self.link_index_dir, self.staged_dir, self.channel_dir),
        )
        root = f"{os.path.realpath(self.root).rstrip(os.sep)}/"
        return [self.relative(path) for path in ours if not os.path.realpath(path).startswith(root)]

    def require_inside(self) -> None:
        """Make sure that whatever is written into the home lands in it.

        Raises:
            ConfigurationError: A link leads one of its directories out of it.
        """
        for path in self.leading_out():
            raise ConfigurationError(
                f"{path} leads to {os.path.realpath(self.path(path))}, and nothing outside {self.root} is read or written",
                hint="put the directory itself in its place",
            )

    def proposal(self, proposal_id: str) -> str:
        """Give the file of a proposal.

        Raises:
            UnreadableError: When it is not an id.
        """
        return f"{self.root}/memory/state/proposals/{_checked_id(proposal_id)}.json"

    def received(self, message_id: str) -> str:
        """Give the file of the text of one message."""
        return os.path.join(self.received_dir, f"{_checked_id(message_id)}.md")

    def records(self, kind: str) -> str:
        """Give the file of what sessions left behind of one kind, a row of ``config/records.json``."""
        return os.path.join(self.system_dir, f"{kind}.jsonl")

    def decision(self, decision_id: str) -> str:
        """Give the file of a decision; its signature is beside it with ``.sig``.

        Raises:
            UnreadableError: When it is not an id.
        """
        return f"{self.root}/audit/decisions/{_checked_id(decision_id)}.json"

    def lock_path(self, name: str = "home") -> str:
        """Give the file of a lock; ``home`` is the one that every writing job holds."""
        return f"{self.root}/.nightledger/locks/{name}.lock"


def _checked_id(record_id: str) -> str:
    if not _ID.fullmatch(record_id):
        raise UnreadableError(f"{record_id!r} is not an id", hint="'nightledger proposals' lists ids")
    return record_id


def find_upward(here: str) -> str:
    """Return the nearest directory, from one upward, that is a home; empty where there is none.

    One of another user is passed over, as whoever can write into a directory above could else choose the home;
    root takes any.

    Args:
        here: Absolute.
    """
    user = os.geteuid()
    while True:
        try:
            owner = os.stat(os.path.join(here, IDENTITY)).st_uid
            if user in (0, owner):
                return here
        except OSError:
            pass
        if here == os.path.dirname(here):
            return ""
        here = os.path.dirname(here)


def _no_home(root: str) -> ConfigurationError:
    """Say why a directory is no home, and what makes it one."""
    from shlex import quote

    make = f"nightledger init --home {quote(root)}"
    if not os.path.lexists(root):
        return ConfigurationError(f"the home {root} does not exist", hint=f"make it: {make}")
    if not os.path.isdir(root):
        return ConfigurationError(f"the home {root} is not a directory", hint="name a directory with --home")
    adopt = f"{make}, or {make} --adopt to take over an agent's workspace"
    return ConfigurationError(f"{root} is not a home yet", hint=f"make it one: {adopt}")


SHIPPED = os.path.abspath(f"{os.path.dirname(__file__)}/../../../config")


def shipped_config(name: str) -> bytes:
    """Give the bytes of a shipped default."""
    with open(os.path.join(SHIPPED, name), "rb") as file:
        return file.read()

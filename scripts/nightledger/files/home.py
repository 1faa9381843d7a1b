"""Every path of a home, in one place.

Invariant: no other module joins a home's path by hand; a home that is missing or was not
made by ``init`` is an error that names the command, never "nothing to do".
"""

import os
import re
from errno import ELOOP
from stat import S_ISREG

from nightledger.domain.errors import ConfigurationError, IntegrityError, RecordError, UnreadableError
from nightledger.files.reading import is_within, read_regular

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from pathlib import Path

    from nightledger.domain.identity import Identity

MAX_IDENTITY_BYTES = 1 << 16
IDENTITY_HINT = "put config/nightledger/home.json back from a backup, as 'nightledger init' wrote it: 'nightledger restore'"
_ID = re.compile(r"[a-z]-[a-z2-7]{26}")


class Home:
    """The directory of one agent's files; names only, nothing is opened by building it.

    Plain slots instead of a dataclass, because every command builds one at start.

    Attributes:
        root: Absolute path, without a trailing slash.
    """

    __slots__ = ("_identity", "root")

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
        from nightledger.files.no_home import no_home

        raise no_home(self.root)

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
            *(
                self.memory_dir,
                self.system_dir,
                self.proposals_dir,
                self.received_dir,
                self.archive_daily_dir,
            ),
            *(self.config_dir, self.decisions_dir, self.checkpoints_dir, self.blobs_dir, self.quarantine_dir),
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

    @property
    def memory_dir(self) -> str:
        """Daily logs in the layouts of hosts, and the directories below."""
        return os.path.join(self.root, "memory")

    @property
    def daily_dir(self) -> str:
        """Raw daily logs, ``YYYY-MM-DD.md``."""
        return os.path.join(self.memory_dir, "daily")

    @property
    def system_dir(self) -> str:
        """Records and what is folded from them."""
        return os.path.join(self.memory_dir, "system")

    @property
    def outcomes(self) -> str:
        """Append-only outcomes, one a line."""
        return os.path.join(self.system_dir, "outcome-records.jsonl")

    @property
    def links(self) -> str:
        """Association view for people and other tools; derived."""
        return os.path.join(self.system_dir, "hebbian-links.json")

    @property
    def consolidation_log(self) -> str:
        """What each consolidation did, one a line."""
        return os.path.join(self.system_dir, "consolidation-log.jsonl")

    @property
    def runs(self) -> str:
        """The run ledger, one run of one job a line."""
        return os.path.join(self.system_dir, "runs.jsonl")

    @property
    def exposures(self) -> str:
        """What was shown to the agent, where and when, one a line."""
        return os.path.join(self.system_dir, "exposures.jsonl")

    @property
    def reinforcements(self) -> str:
        """What curate and the operator's mercy keep fresh, one a line."""
        return os.path.join(self.system_dir, "reinforcements.jsonl")

    @property
    def cursors(self) -> str:
        """How far each reader has read."""
        return os.path.join(self.system_dir, "cursors.json")

    @property
    def entries(self) -> str:
        """Sidecar of MEMORY.md; derived."""
        return os.path.join(self.system_dir, "entries.json")

    @property
    def constitution(self) -> str:
        """The principles; a protected file."""
        return os.path.join(self.system_dir, "constitution.json")

    @property
    def state_dir(self) -> str:
        """What waits and what is staged."""
        return os.path.join(self.memory_dir, "state")

    @property
    def proposals_dir(self) -> str:
        """One immutable file a proposal."""
        return os.path.join(self.state_dir, "proposals")

    def proposal(self, proposal_id: str) -> str:
        """Give the file of a proposal.

        Raises:
            UnreadableError: When it is not an id.
        """
        return f"{self.root}/memory/state/proposals/{_checked_id(proposal_id)}.json"

    @property
    def pending_view(self) -> str:
        """Generated view of what consolidation proposed and what waits, in the published fields."""
        return os.path.join(self.state_dir, "tc-consolidate-pending.json")

    @property
    def prune_view(self) -> str:
        """Generated view of what pruning proposed and what waits, in the published fields."""
        return os.path.join(self.state_dir, "tc-prune-request.json")

    @property
    def staged_context(self) -> str:
        """Context staged for the agent's next session."""
        return os.path.join(self.state_dir, "tc-restore-pending.md")

    @property
    def staged_dir(self) -> str:
        """What each line of the staged context rests on; what was worked out for it."""
        return os.path.join(self.work_dir, "staged")

    @property
    def handoff(self) -> str:
        """The agent's handoff; written by the agent."""
        return os.path.join(self.state_dir, "session-handoff.md")

    @property
    def attention(self) -> str:
        """What needs the operator."""
        return os.path.join(self.state_dir, "ATTENTION.md")

    @property
    def received_dir(self) -> str:
        """Texts that came in messages and that proposals rest on; secrets masked."""
        return os.path.join(self.state_dir, "received")

    def received(self, message_id: str) -> str:
        """Give the file of the text of one message."""
        return os.path.join(self.received_dir, f"{_checked_id(message_id)}.md")

    @property
    def heartbeat(self) -> str:
        """What other machines last said of themselves."""
        return os.path.join(self.state_dir, "tc-heartbeat.json")

    @property
    def dead_letters(self) -> str:
        """Messages of ours that no machine took in, one a line, in the published fields."""
        return os.path.join(self.state_dir, "tc-dead-letters.jsonl")

    @property
    def archive_dir(self) -> str:
        """Archived entries, ``YYYY.md``."""
        return os.path.join(self.memory_dir, "archive")

    def archive(self, year: int) -> str:
        """Give the file of the entries archived in a year."""
        return os.path.join(self.archive_dir, f"{year:04d}.md")

    @property
    def archive_daily_dir(self) -> str:
        """Full text of compressed daily logs."""
        return os.path.join(self.archive_dir, "daily")

    @property
    def audit_dir(self) -> str:
        """The audit log and what it refers to."""
        return os.path.join(self.root, "audit")

    @property
    def audit_log(self) -> str:
        """The audit log, one event a line; never pruned."""
        return f"{self.root}/audit/trusted-channel-audit.jsonl"

    @property
    def checkpoint(self) -> str:
        """The newest signed head of the log."""
        return f"{self.root}/audit/checkpoint"

    @property
    def cosigned(self) -> str:
        """The newest head that witnesses cosigned."""
        return os.path.join(self.audit_dir, "cosigned")

    @property
    def checkpoints_dir(self) -> str:
        """Signed heads that a decision, a witness or a day's end refers to, named by size."""
        return os.path.join(self.audit_dir, "checkpoints")

    @property
    def decisions_dir(self) -> str:
        """What an operator signed, with detached signatures."""
        return os.path.join(self.audit_dir, "decisions")

    def decision(self, decision_id: str) -> str:
        """Give the file of a decision; its signature is beside it with ``.sig``.

        Raises:
            UnreadableError: When it is not an id.
        """
        return f"{self.root}/audit/decisions/{_checked_id(decision_id)}.json"

    @property
    def blobs_dir(self) -> str:
        """Raw bytes for undo and diffs, by hash."""
        return os.path.join(self.audit_dir, "blobs", "sha256")

    @property
    def quarantine_dir(self) -> str:
        """Text that scanners held back."""
        return os.path.join(self.audit_dir, "quarantine")

    @property
    def config_dir(self) -> str:
        """This home's settings and trust files."""
        return os.path.join(self.root, "config", "nightledger")

    @property
    def identity_file(self) -> str:
        """Who this home is."""
        return os.path.join(self.config_dir, "home.json")

    @property
    def settings(self) -> str:
        """This home's settings, over the shipped defaults."""
        return os.path.join(self.config_dir, "nightledger.yaml")

    @property
    def consent_graph(self) -> str:
        """This home's consent graph, over the shipped one."""
        return os.path.join(self.config_dir, "consent-graph.json")

    @property
    def staging_rules(self) -> str:
        """This home's staging rules, over the shipped ones."""
        return os.path.join(self.config_dir, "staging-rules.json")

    @property
    def allowed_signers(self) -> str:
        """Trust file: who may sign."""
        return os.path.join(self.config_dir, "allowed_signers")

    @property
    def revoked_keys(self) -> str:
        """Trust file: whose signatures no longer count."""
        return os.path.join(self.config_dir, "revoked_keys")

    @property
    def peers(self) -> str:
        """Trust file: which machines may send messages, and what each may ask for."""
        return os.path.join(self.config_dir, "peers.json")

    @property
    def policy(self) -> str:
        """Trust file: which logs and witnesses count (C2SP tlog-policy)."""
        return os.path.join(self.config_dir, "policy")

    @property
    def work_dir(self) -> str:
        """Disposable: locks, indexes, inbox, seen ids."""
        return os.path.join(self.root, ".nightledger")

    @property
    def locks_dir(self) -> str:
        """Lock files; removed by nobody while a run is at work."""
        return os.path.join(self.work_dir, "locks")

    def lock_path(self, name: str = "home") -> str:
        """Give the file of a lock; ``home`` is the one that every writing job holds."""
        return f"{self.root}/.nightledger/locks/{name}.lock"

    @property
    def started(self) -> str:
        """Which steps of ``start`` were done."""
        return os.path.join(self.work_dir, "started")

    @property
    def next_due(self) -> str:
        """When ``night`` has something to do next; spares a look at everything else."""
        return os.path.join(self.work_dir, "next-due")

    @property
    def search_dir(self) -> str:
        """Index of search."""
        return os.path.join(self.work_dir, "search")

    @property
    def link_index_dir(self) -> str:
        """Index behind the association view."""
        return os.path.join(self.work_dir, "links")

    @property
    def channel_dir(self) -> str:
        """Answers given to messages, messages that wait for their answer, last contacts."""
        return os.path.join(self.work_dir, "channel")


def _checked_id(record_id: str) -> str:
    if not _ID.fullmatch(record_id):
        raise UnreadableError(f"{record_id!r} is not an id", hint="'nightledger proposals' lists ids")
    return record_id

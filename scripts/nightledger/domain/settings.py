"""What an operator may set, with the defaults: in the home, and in ``operator.yaml`` beside the keys.

Invariant: a home's file can make the gate stricter than these defaults and never laxer;
the bounds stand in ``schemas/settings.schema.json``. What names something to run or to connect to is no setting of a home.
"""

from collections.abc import Mapping
from datetime import time
from math import ceil

from msgspec import Struct, field
from msgspec.structs import fields

from nightledger.domain.decision import Cooling

PERCENT = 100


class FrameRules(Struct, frozen=True, kw_only=True):
    """How one frame chooses; ``frames`` of ``config/nightledger.yaml``.

    Weights, token budgets and five places are shipped as published (FACTS, elfmem). The published SELF frame
    guaranteed every principle a place, and ten took five of five for every query: two of five with
    240 tokens, which two of 400 characters fit, and one elsewhere, is our choice.

    Attributes:
        similarity: Weight of likeness to the query, in percent; the five add up to 100.
        confidence: Weight of how sure an entry is.
        recency: Weight of how lately it was made or of use.
        centrality: Weight of how much it hangs together with others.
        reinforcement: Weight of how often it was reinforced.
        tokens: Budget of all that is shown.
        places: How many entries and principles are shown at most.
        guaranteed: How many places are kept for principles.
        most_principles: How many places principles take at most.
        principle_tokens: Budget of the principles among them.
    """

    similarity: int
    confidence: int
    recency: int
    centrality: int
    reinforcement: int
    tokens: int
    places: int
    guaranteed: int
    most_principles: int
    principle_tokens: int

    def why_not(self) -> list[str]:
        """Say what does not fit together; empty where all does."""
        total = sum(getattr(self, name) for name in WEIGHTS)
        found = [f"the five weights add up to {total}, not to {PERCENT}"] if total != PERCENT else []
        if not self.guaranteed <= self.most_principles <= self.places:
            found.append("guaranteed is not above most_principles, nor that above places")
        if self.principle_tokens > self.tokens:
            found.append("principle_tokens is not above tokens")
        return found


WEIGHTS = tuple(field.name for field in fields(FrameRules))[:5]


class Settings(Struct, frozen=True, kw_only=True):
    """The shipped ``config/nightledger.yaml`` with the home's own over it.

    Attributes:
        zone: IANA zone in which log days begin and end; None is the one recorded at ``init``.
        nightly_at: Local time at which the jobs of the day before are due.
        prune_at: Local time on Sundays at which the weekly pruning is due.
        catch_up_periods: How many missed periods one run of ``night`` makes up for each job.
        cap_characters: For each host, the characters of a memory file that it shows its
            agent; None where it shows all.
        cooling_hours: From a proposal's leaf to its earliest apply.
        cooling_after_signature_minutes: From its signature to its earliest apply.
        undo_days: How long an applied change can be undone.
        decision_expires_days: How long an approval that was not applied stays good.
        nightly_additions: Additions that all jobs together may propose for one period.
        waiting_changes: Changes of jobs that may wait at a time.
        reviewable_days: Days on which someone could have reviewed, after which a proposal is withdrawn.
        agent_waiting: Proposals of agents that may wait at a time.
        agent_bytes: Size of one agent's proposal, in bytes of UTF-8.
        pattern_sources: Sessions or days from which a pattern is learned.
        mcp_profile: Which tools ``mcp`` offers where its command does not say.
        frames: How each frame of ``recall`` chooses.
    """

    zone: str | None = None
    nightly_at: time = time(3, 5)
    prune_at: time = time(3, 0)
    catch_up_periods: int = 7
    cap_characters: Mapping[str, int | None] = field(
        default_factory=lambda: {
            "openclaw": 20_000,
            "claude_code": None,
            "codex": None,
            "hermes": 2_200,
            "generic": None,
        }
    )
    cooling_hours: int = 2
    cooling_after_signature_minutes: int = 10
    undo_days: int = 7
    decision_expires_days: int = 7
    nightly_additions: int = 5
    waiting_changes: int = 15
    reviewable_days: int = 14
    agent_waiting: int = 3
    agent_bytes: int = 8192
    pattern_sources: int = 2
    mcp_profile: str = "lean"
    frames: Mapping[str, FrameRules] = field(default_factory=dict)

    @property
    def cooling(self) -> Cooling:
        """The two waits before an apply."""
        return Cooling(
            after_proposal_s=self.cooling_hours * 3600,
            after_signature_s=self.cooling_after_signature_minutes * 60,
        )


class PeerAddress(Struct, frozen=True, kw_only=True):
    """Where another machine is reached.

    Attributes:
        url: ``http://127.0.0.2:18799``; empty where it is not reached so.
        spool: A directory that both machines share; empty where there is none.
        insecure_plain_http: Whether messages may go beyond this machine unencrypted; they are
            signed all the same.
    """

    url: str = ""
    spool: str = ""
    insecure_plain_http: bool = False


class WitnessAddress(Struct, frozen=True, kw_only=True):
    """Where a witness is reached.

    Attributes:
        url: Its submission prefix, ``http://127.0.0.1:18800``.
    """

    url: str = ""


class CalendarAddress(Struct, frozen=True, kw_only=True):
    """Where a calendar is read; one of ``file``, ``url`` and ``caldav`` is given.

    Attributes:
        file: A file of iCalendar text; absolute.
        url: An address that answers with such a text.
        caldav: A calendar collection of a CalDAV server (RFC 4791).
        user: Name for the server; empty where it asks for none.
        password_file: A file whose first line is the password; absolute.
        own: Whether nobody but the owner writes in it.
        insecure_plain_http: Whether it may be asked unencrypted beyond this machine.
    """

    file: str = ""
    url: str = ""
    caldav: str = ""
    user: str = ""
    password_file: str = ""
    own: bool = False
    insecure_plain_http: bool = False


class MeaningSource(Struct, frozen=True, kw_only=True):
    """Where embeddings come from.

    Attributes:
        url: An address that answers as OpenAI's ``/v1/embeddings``.
        model: Which of its models.
        key_file: A file whose first line is the key for the server; absolute; empty where it asks for none.
        insecure_plain_http: Whether texts may go beyond this machine unencrypted.
    """

    url: str = ""
    model: str = ""
    key_file: str = ""
    insecure_plain_http: bool = False


class Price(Struct, frozen=True, kw_only=True):
    """What a million tokens cost, in whatever money the operator counts.

    Attributes:
        question: Those of a question.
        answer: Those of an answer.
    """

    question: float = 0.0
    answer: float = 0.0

    def of(self, question: int, answer: int) -> int:
        """Return what so many tokens cost, in millionths of the money, rounded up: a price of a million is one of each."""
        return ceil(self.question * question + self.answer * answer)


class AnalystSource(Struct, frozen=True, kw_only=True):
    """The model that reads a day's notes.

    Attributes:
        url: An address that answers as OpenAI's ``/v1/chat/completions``.
        model: Which of its models.
        key_file: A file whose first line is the key for the server; absolute; empty where it asks for none.
        insecure_plain_http: Whether notes may go beyond this machine unencrypted.
        tokens_a_night: What a night may cost.
        patience_s: How long one answer may take.
        price_per_million_tokens: One for questions and answers, or one for each; 0 where nothing is paid.
        money_a_night: What a day may cost in that money, whatever asks; 0 bounds it by tokens alone.
        models: Another model for one kind of question, by the name of its prompt.
    """

    url: str = ""
    model: str = ""
    key_file: str = ""
    insecure_plain_http: bool = False
    tokens_a_night: int = 200_000
    patience_s: int = 120
    price_per_million_tokens: Price | float = 0.0
    money_a_night: float = 0.0
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def price(self) -> Price:
        """What questions and answers cost."""
        told = self.price_per_million_tokens
        return told if isinstance(told, Price) else Price(question=told, answer=told)


class TranscriptSource(Struct, frozen=True, kw_only=True):
    """What the operator says of a host's transcripts.

    Attributes:
        directories: Working directories, beside the home's own, whose sessions belong to the home; absolute.
        root: The host's own directory, absolute; empty for its usual place.
        files: Pattern below ``root`` of the files of a host that is not known: JSON lines.
        kind: Path of the member that says whose a line is, with dots, as the next paths are.
        user: What stands there for the user.
        assistant: What stands there for the assistant.
        content: What is said.
        calls: A call of a tool, or a list of them, in a line of the assistant; empty where none is told.
        result: What stands there for what a tool gave out.
        exit: The exit status in such a line.
        error: Its mark of errors.
        at: When.
        session: Name of the session.
        cwd: Its working directory.
        folder_is_session: Whether each file is one line, and its folder a session.
    """

    directories: tuple[str, ...] = ()
    root: str = ""
    files: str = ""
    kind: str = "role"
    user: tuple[str, ...] = ("user",)
    assistant: tuple[str, ...] = ("assistant",)
    content: str = "content"
    calls: str = ""
    result: tuple[str, ...] = ()
    exit: str = ""
    error: str = ""
    at: str = "timestamp"
    session: str = "session"
    cwd: str = "cwd"
    folder_is_session: bool = False


class Notifier(Struct, frozen=True, kw_only=True):
    """Who tells the operator, by a template of ``config/notifiers.json``.

    Attributes:
        by: The template's name.
        to: Whom: an address, a topic, a chat.
        url: The server, where it is not the template's.
        token_file: A file whose first line is the secret that the server asks for; absolute.
        title: What a notice begins with.
        open: An address that every notice carries as it stands.
        link: Where a page of what waits is served; a notice carries a link to it then, and not ``open``.
        insecure_plain_http: Whether the server may be asked unencrypted beyond this machine.
    """

    by: str
    to: str = ""
    url: str = ""
    token_file: str = ""
    title: str = "Nightledger"
    open: str = ""
    link: str = ""
    insecure_plain_http: bool = False


class Operator(Struct, frozen=True, kw_only=True):
    """``operator.yaml`` in the keys directory.

    Attributes:
        notify: A template, or program and arguments, run without a shell; () tells nobody. ``{summary}``
            in an argument stands for one line of counts and ages.
        peers: Where each machine of ``peers.json`` is reached, by its name there.
        witnesses: Where each witness is reached, by the name of its keys in the policy.
        rule_files: Files in gitleaks' format with further shapes of secrets, as absolute paths.
        addresses: Mail addresses of the owner, as calendars name them.
        calendars: Calendars whose events are staged, by what the operator calls them.
        meaning: Where search has embeddings from; None: words alone count.
        analyst: The model that chooses what a night proposes; None: the rules do.
        transcripts: Transcripts of sessions, by host: whose they are, and how those of other tools are read.
    """

    notify: Notifier | tuple[str, ...] = ()
    peers: Mapping[str, PeerAddress] = field(default_factory=dict)
    witnesses: Mapping[str, WitnessAddress] = field(default_factory=dict)
    rule_files: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    calendars: Mapping[str, CalendarAddress] = field(default_factory=dict)
    meaning: MeaningSource | None = None
    analyst: AnalystSource | None = None
    transcripts: Mapping[str, TranscriptSource] = field(default_factory=dict)

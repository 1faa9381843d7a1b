"""What names something to run: the operator's own, kept outside every home."""

from collections.abc import Mapping

from msgspec import Struct, field


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
        url: Its submission prefix, ``http://127.0.0.1:18800``; empty where it is not reached so.
        spool: A directory that it looks into, too; empty where there is none.
    """

    url: str = ""
    spool: str = ""


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


class Operator(Struct, frozen=True, kw_only=True):
    """``operator.yaml`` in the keys directory.

    Attributes:
        notify: Program and arguments, run without a shell; () tells nobody. ``{summary}``
            in an argument stands for one line of counts and ages.
        peers: Where each machine of ``peers.json`` is reached, by its name there.
        lock_helper: Command that exchanges a file locked by the operating system, as an absolute path
            with what comes before it (``sudo -n``); () where only root may.
        witnesses: Where each witness is reached, by the name of its keys in the policy.
        rule_files: Files in gitleaks' format with further shapes of secrets, as absolute paths.
        addresses: Mail addresses of the owner, as calendars name them.
        calendars: Calendars whose events are staged, by what the operator calls them.
        meaning: Where search has embeddings from; None: words alone count.
    """

    notify: tuple[str, ...] = ()
    lock_helper: tuple[str, ...] = ()
    peers: Mapping[str, PeerAddress] = field(default_factory=dict)
    witnesses: Mapping[str, WitnessAddress] = field(default_factory=dict)
    rule_files: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    calendars: Mapping[str, CalendarAddress] = field(default_factory=dict)
    meaning: MeaningSource | None = None

"""``operator.yaml`` to :class:`Operator`."""

import msgspec

from nightledger.codec.configuration import parse_configuration
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.operator import CalendarAddress, Operator

_HINT = 'it holds: notify: [/usr/bin/notify-send, Nightledger, "{summary}"]'


def parse_operator(raw: bytes, *, where: str) -> Operator:
    """Read what the operator lets us run.

    Args:
        raw: YAML.
        where: The file, for messages.

    Raises:
        ConfigurationError: Naming every problem with its line; a program without its full path too.
    """
    values = parse_configuration(raw, "operator", where=where, hint=_HINT)
    operator = msgspec.convert({**values, "meaning": values.get("meaning") or None}, Operator)
    for key, words in (("notify", operator.notify), ("lock_helper", operator.lock_helper)):
        if words and not words[0].startswith("/"):
            # cron's search path is not the operator's, and a home must not be able to shadow a program.
            raise ConfigurationError(
                f"{where}: {key}: {words[0]!r} is not a full path", hint=f"command -v {words[0]} gives it"
            )
    for name, calendar in operator.calendars.items():
        _require_place(calendar, f"{where}: calendars: {name}", name)
    if operator.meaning and not (operator.meaning.url and operator.meaning.model):
        raise ConfigurationError(
            f"{where}: meaning: url and model are to be given",
            hint="write it like: meaning: {url: 'http://127.0.0.1:11434/v1/embeddings', model: nomic-embed-text}",
        )
    return operator


def _require_place(calendar: CalendarAddress, where: str, name: str) -> None:
    if len([place for place in (calendar.file, calendar.url, calendar.caldav) if place]) != 1:
        raise ConfigurationError(
            f"{where}: one of file, url and caldav is to be given",
            hint=f"write it like: {name}: {{file: /home/ann/.calendars/{name}.ics}}",
        )
    if calendar.password_file and not calendar.user:
        raise ConfigurationError(f"{where}: a password without a user", hint="add: user: NAME")

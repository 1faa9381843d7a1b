"""``operator.yaml`` to :class:`Operator`."""

from collections.abc import Mapping
from typing import Any

from nightledger.codec.configuration import parse_configuration
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.operator import CalendarAddress, MeaningSource, Operator, PeerAddress, WitnessAddress

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
    notify, lock_helper = _command(values, "notify", where), _command(values, "lock_helper", where)
    peers = {name: PeerAddress(**address) for name, address in values.get("peers", {}).items()}
    witnesses = {name: WitnessAddress(**address) for name, address in values.get("witnesses", {}).items()}
    return Operator(
        notify=notify,
        lock_helper=lock_helper,
        peers=peers,
        witnesses=witnesses,
        rule_files=tuple(values.get("rule_files", ())),
        addresses=tuple(values.get("addresses", ())),
        calendars={name: _calendar(name, one, where) for name, one in values.get("calendars", {}).items()},
        meaning=_meaning(values["meaning"], where) if values.get("meaning") else None,
    )


def _meaning(values: Mapping[str, Any], where: str) -> MeaningSource:
    source = MeaningSource(**values)
    if not (source.url and source.model):
        raise ConfigurationError(
            f"{where}: meaning: url and model are to be given",
            hint="write it like: meaning: {url: 'http://127.0.0.1:11434/v1/embeddings', model: nomic-embed-text}",
        )
    return source


def _calendar(name: str, values: Mapping[str, Any], where: str) -> CalendarAddress:
    address = CalendarAddress(**values)
    if len([place for place in (address.file, address.url, address.caldav) if place]) != 1:
        raise ConfigurationError(
            f"{where}: calendars: {name}: one of file, url and caldav is to be given",
            hint=f"write it like: {name}: {{file: /home/ann/.calendars/{name}.ics}}",
        )
    if address.password_file and not address.user:
        raise ConfigurationError(
            f"{where}: calendars: {name}: a password without a user", hint="add: user: NAME"
        )
    return address


def _command(values: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    words = tuple(values.get(key, ()))
    if words and not words[0].startswith("/"):
        # cron's search path is not the operator's, and a home must not be able to shadow a program.
        raise ConfigurationError(
            f"{where}: {key}: {words[0]!r} is not a full path", hint=f"command -v {words[0]} gives it"
        )
    return words

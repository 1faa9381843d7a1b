"""``operator.yaml`` to :class:`Operator`."""

from nightledger.codec.configuration import parse_configuration
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.operator import Operator, PeerAddress, WitnessAddress

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
    notify = tuple(values.get("notify", ()))
    if notify and not notify[0].startswith("/"):
        # cron's search path is not the operator's, and a home must not be able to shadow a program.
        raise ConfigurationError(
            f"{where}: notify: {notify[0]!r} is not a full path", hint=f"command -v {notify[0]} gives it"
        )
    peers = {name: PeerAddress(**address) for name, address in values.get("peers", {}).items()}
    witnesses = {name: WitnessAddress(**address) for name, address in values.get("witnesses", {}).items()}
    return Operator(notify=notify, peers=peers, witnesses=witnesses)

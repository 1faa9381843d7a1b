from tests.surfaces.channel.machines import Pair

from nightledger.domain.message import Status


def test_a_heartbeat_is_recorded(pair: Pair) -> None:
    reply = pair.ask("update_heartbeat")
    assert reply.status is Status.EXECUTED, reply.reason

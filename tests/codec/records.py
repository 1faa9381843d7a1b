"""The kinds of record that go through ``codec/records.py``, with the names of their schemas."""

from nightledger.domain.consolidation import Consolidation
from nightledger.domain.decision import Decision
from nightledger.domain.frames import Constitution
from nightledger.domain.message import Message, Peers, Reply, Waiting
from nightledger.domain.periods import Run
from nightledger.domain.proposal import Proposal
from nightledger.domain.retention import Reinforcement

_ALL = (Consolidation, Constitution, Decision, Message, Peers, Proposal, Reinforcement, Reply, Run, Waiting)
KINDS: dict[type, str] = {kind: kind.__name__.lower() for kind in _ALL}

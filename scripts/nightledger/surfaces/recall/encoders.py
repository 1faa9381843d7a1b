"""Which encoder search has: none unless the operator asked for one in ``operator.yaml``.

Invariant: without ``meaning`` there, the client of a server is not imported.
"""

from nightledger.domain.operator import Operator
from nightledger.recall.meaning import Encoder


def choose_encoder(operator: Operator) -> Encoder | None:
    """Give what makes embeddings; None where words alone count."""
    source = operator.meaning
    if source is None:
        return None
    from nightledger.surfaces.recall.embedding_server import EmbeddingServer

    return EmbeddingServer(source)

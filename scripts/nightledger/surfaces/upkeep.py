"""What every writing command leaves in order: the generated views."""

from nightledger.gate.views import refresh_views
from nightledger.surfaces.session import Session


def refresh(session: Session) -> None:
    """Write the views anew where they changed, from the log as it is now."""
    refresh_views(session.gate, session.reread())

"""When a routine of the operator is on."""

from datetime import datetime, timedelta

from nightledger.domain.staging.rules import Routine


def is_on(routine: Routine, local: datetime) -> bool:
    """Tell whether a routine is on.

    Args:
        routine: Which.
        local: The wall clock in the home's zone.
    """
    at = local.time()
    if routine.begins <= routine.ends:
        return routine.begins <= at < routine.ends and _on_day(routine, local)
    if at >= routine.begins:
        return _on_day(routine, local)
    return at < routine.ends and _on_day(routine, local - timedelta(days=1))


def _on_day(routine: Routine, day: datetime) -> bool:
    return not routine.weekdays or day.weekday() in routine.weekdays

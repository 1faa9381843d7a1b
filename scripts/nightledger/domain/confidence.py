"""How far a resolution is believed: log-odds of stated evidence, and their decay.

Invariant: confidence is a function of one whole number, the *evidence*: successes minus
twice the failures. Every comparison is made on that number, so nothing depends on rounding.

The two constants of ``sigmoid(a + b * evidence)`` are solved from two stated beliefs:
three successes without a failure are .85 (the published example of the architecture that
this project follows), one success alone is .40, less than even. Hence two successes are
.66, below the .70 from which a resolution is shown, and three are the least that show.
"""

import math

AFTER_ONE_SUCCESS = 0.40
AFTER_THREE_SUCCESSES = 0.85
FAILURE_WEIGHT = 2
"""A failure takes back two successes: one that fails every third time gains nothing."""
CAP = 0.98
"""Outcomes are reports of an agent about itself; no number of them is certainty."""
SHOWN_FROM = 0.7
"""Confidence from which a resolution is shown before a task (the published prior)."""
HALF_LIFE_ACTIVE_DAYS = 90
"""What lasts ("durable" in the published tiers) fades by .001 an active hour, a half-life of
693 active hours; 8 of them make a day, which gives 87, here rounded."""
DIGITS = 4
"""Computed numbers are rounded before they are written, so that every machine writes the same."""


def _logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


SUCCESS_LOG_ODDS = (_logit(AFTER_THREE_SUCCESSES) - _logit(AFTER_ONE_SUCCESS)) / 2
"""b in ``sigmoid(a + b * evidence)``; 1.0700."""
PRIOR_LOG_ODDS = _logit(AFTER_ONE_SUCCESS) - SUCCESS_LOG_ODDS
"""a in ``sigmoid(a + b * evidence)``; -1.4755, which is .1861 before any outcome."""


def evidence(successes: int, failures: int, *, shown_successes: int = 0, shown_failures: int = 0) -> int:
    """Give what outcomes say for a resolution, in successes; below zero when it mostly failed.

    What the agent did because we had shown it is one source, however often it was repeated:
    together such outcomes count for one success at most, against it as often as they failed.

    Args:
        successes: All successes, those after a showing included.
        failures: All failures, those after a showing included.
        shown_successes: Successes of which the resolution had been shown to the agent before.
        shown_failures: The same for failures.
    """
    own = (successes - shown_successes) - FAILURE_WEIGHT * (failures - shown_failures)
    return own + min(1, shown_successes - FAILURE_WEIGHT * shown_failures)


def confidence_of(evidence: int) -> float:
    """Give the confidence, 0 to .98, rounded to 4 decimals, for a number of :func:`evidence`."""
    log_odds = PRIOR_LOG_ODDS + SUCCESS_LOG_ODDS * evidence
    if log_odds < 0:  # both forms are the logistic function; each is used where it cannot overflow
        odds = math.exp(max(log_odds, -700.0))
        return round(odds / (1 + odds), DIGITS)
    return round(min(CAP, 1 / (1 + math.exp(-log_odds))), DIGITS)


def confidence(successes: int, failures: int) -> float:
    """Give the confidence for outcomes of which none followed a showing of ours."""
    return confidence_of(evidence(successes, failures))


def decayed(confidence: float, idle_days: int) -> float:
    """Give what is left of a confidence, rounded to 4 decimals.

    Only days on which the agent recorded anything count, so that a pause forgets nothing
    and reading twice changes nothing.

    Args:
        confidence: As stored, undecayed.
        idle_days: Active days since the link last occurred, 0 or more.
    """
    return round(confidence * math.pow(0.5, idle_days / HALF_LIFE_ACTIVE_DAYS), DIGITS)


def least_evidence(confidence: float) -> int:
    """Give the smallest evidence that reaches a confidence.

    Args:
        confidence: Above 0, at most .98.
    """
    return math.ceil(round((_logit(confidence) - PRIOR_LOG_ODDS) / SUCCESS_LOG_ODDS, 9))

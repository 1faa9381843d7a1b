"""The chance that a line of a daily log is worth keeping.

Invariant: the estimate depends on the line, its nearest heading and the languages of its
file alone, so that it can be explained feature by feature.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import exp

from nightledger.domain.daylog import DayLog, Region
from nightledger.text.cues import find_cues, languages_of
from nightledger.text.features import line_features
from nightledger.text.weights import BIAS, WEIGHTS

SHORTEST_CHARACTERS = 12
"""A shorter line holds no claim about a named thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A logistic regression over `features.line_features`.

    Attributes:
        bias: Log-odds of a line without any known feature.
        weights: What each feature adds to them.
    """

    bias: float
    weights: Mapping[str, float]

    def chance(self, features: frozenset[str]) -> float:
        """Give ``1 / (1 + exp(-(bias + sum of weights)))``."""
        # sorted: a floating-point sum depends on its order, and a set has none that lasts
        return 1 / (1 + exp(-self.bias - sum(self.weights.get(name, 0.0) for name in sorted(features))))


SHIPPED = Model(bias=BIAS, weights=WEIGHTS)
"""The model of `weights`, which says where it comes from."""


def log_languages(log: DayLog) -> tuple[str, ...]:
    """Give the languages, beside English, that the log is written in."""
    return languages_of("\n".join(line.content for line in log.lines if line.region is Region.PROSE))


def features_by_line(log: DayLog) -> dict[int, frozenset[str]]:
    """Give the features of every line of prose that is long enough to hold a claim, by line number."""
    prose = [
        line for line in log.lines if line.region is Region.PROSE and len(line.content) >= SHORTEST_CHARACTERS
    ]
    languages = log_languages(log)

    @cache
    def heading_cues(heading: str) -> frozenset[str]:
        return find_cues(heading, languages)

    return {
        line.number: line_features(line, heading_cues(line.headings[-1] if line.headings else ""), languages)
        for line in prose
    }


def estimate_lines(log: DayLog, model: Model = SHIPPED) -> dict[int, float]:
    """Give for each such line the chance, 0..1, that its owner is glad to find it in memory months later."""
    return {number: model.chance(features) for number, features in features_by_line(log).items()}

"""The chance that a line of a daily log is worth keeping.

Invariant: the estimate depends on the line and its file alone, and is a sum of named features,
so that it can be explained feature by feature.
"""

from collections.abc import Mapping
from math import exp, fsum

import msgspec
from msgspec import Struct

from nightledger.domain.daylog import DayLog, Region
from nightledger.files.shipped import shipped_config
from nightledger.text.statements.cues import languages_of
from nightledger.text.statements.features import line_features, surroundings

SHORTEST_CHARACTERS = 12
"""A shorter line holds no claim about a named thing."""


class Model(Struct, frozen=True, kw_only=True):
    """A logistic regression over `features.line_features` and `features.surroundings`.

    Attributes:
        bias: Log-odds of a line without any known feature.
        weights: What each feature adds to them.
    """

    bias: float
    weights: Mapping[str, float]

    def chance(self, features: frozenset[str]) -> float:
        """Give ``1 / (1 + exp(-(bias + sum of weights)))``."""
        # fsum: a plain floating-point sum depends on its order, and a set has none that lasts
        return 1 / (1 + exp(-self.bias - fsum(self.weights.get(name, 0.0) for name in features)))


def _shipped() -> Model:
    told = msgspec.json.decode(shipped_config("words/statement-weights.json"))
    return Model(bias=told["bias"], weights=told["weights"] | told["words"])


SHIPPED = _shipped()
"""Logistic regression (L2), fitted by ``bench/fit_statements.py`` on 41,551 lines of daily logs of 97 public workspaces,
4,342 of them worth keeping; how well it does on a workspace that was not in the fit is measured by
``bench/bench_consolidate.py --held-out``. No word of it is a name; what has no weight counts nothing."""


def log_languages(log: DayLog) -> tuple[str, ...]:
    """Give the languages, beside English, that the log is written in."""
    return languages_of("\n".join(line.content for line in log.lines if line.region is Region.PROSE))


def features_by_line(log: DayLog) -> dict[int, frozenset[str]]:
    """Give the features of every line of prose that is long enough to hold a claim, by line number."""
    prose = [
        line for line in log.lines if line.region is Region.PROSE and len(line.content) >= SHORTEST_CHARACTERS
    ]
    languages = log_languages(log)
    around = surroundings(prose, languages)
    return {
        line.number: line_features(line.content, languages) | place
        for line, place in zip(prose, around, strict=True)
    }


def estimate_lines(log: DayLog, model: Model = SHIPPED) -> dict[int, float]:
    """Give for each such line the chance, 0..1, that its owner is glad to find it in memory months later."""
    return {number: model.chance(features) for number, features in features_by_line(log).items()}

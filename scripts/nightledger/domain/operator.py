"""What names something to run: the operator's own, kept outside every home."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """``operator.yaml`` in the keys directory.

    Attributes:
        notify: Program and arguments, run without a shell; () tells nobody. ``{summary}``
            in an argument stands for one line of counts and ages.
    """

    notify: tuple[str, ...] = ()

"""Read the YAML of a host's configuration, which people and hosts write as they like: aliases and tags are allowed.

Invariant: whatever stands in it, what comes out is a plain value that can be compared, or a ValueError.
"""

from typing import Any

MOST_NODES = 100_000
"""Values that a configuration may stand for once its aliases are followed: a few hundred bytes can stand for billions."""


def read_host_yaml(text: str | bytes) -> Any:
    """Give the value of one document; None for an empty one.

    Raises:
        ValueError: It is no YAML, stands in itself, or stands for more than :data:`MOST_NODES` values.
    """
    import yaml

    try:
        if _size(yaml.compose(text, yaml.SafeLoader), {}) > MOST_NODES:
            raise ValueError("its aliases stand for too much")
        return yaml.safe_load(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply, or stands in itself") from error
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    except (LookupError, AttributeError, TypeError, OverflowError) as error:
        # PyYAML makes values of tagged texts itself, and lets out what '!!bool x' and '!!timestamp x' raise.
        raise ValueError(f"one of its values is none of its kind ({type(error).__name__})") from error


def _size(node: Any, known: dict[Any, int]) -> int:
    """Count the values that a node stands for; each node is counted once and remembered."""
    if isinstance(getattr(node, "value", None), str) or node is None:
        return 1
    if node not in known:
        parts = [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]
        known[node] = 1 + sum(_size(part, known) for part in parts)
    return known[node]

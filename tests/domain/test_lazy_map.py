import pytest

from nightledger.domain.lazy_map import LazyMap


def test_a_value_is_made_when_it_is_first_looked_at_and_then_stays() -> None:
    made: list[int] = []

    def make(number: int) -> list[int]:
        made.append(number)
        return [number]

    lazy = LazyMap({"b": 2, "a": 1}, make)
    assert (list(lazy), len(lazy), "a" in lazy, "c" in lazy, made) == (["b", "a"], 2, True, False, [])
    assert lazy["a"] is lazy["a"]
    assert made == [1]
    assert list(lazy.values()) == [[2], [1]]
    assert made == [1, 2]
    assert lazy == {"a": [1], "b": [2]}
    assert lazy.get("c") is None
    with pytest.raises(KeyError):
        lazy["c"]

import pytest
from bench.breaking import break_source

SOURCE = '''\
LIMIT = 3


def first(items: list[int]) -> int | None:
    """Give the first item that is large: 1 of them."""
    for item in items:
        if item > LIMIT and item != 7:
            return item + 1
    print(items)
    return None
'''


def ways(source: str) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for broken in break_source(source):
        found.setdefault(broken.line, set()).add(broken.what.partition(":")[0])
    return found


def test_only_what_stands_in_functions_and_matters_is_broken() -> None:
    assert ways(SOURCE) == {
        7: {"and/or exchanged", "comparison turned round", "constant plus one"},
        8: {"returns None", "arithmetic changed", "constant plus one"},
        9: {"statement left out"},
    }


def test_each_break_changes_its_line_only_and_compiles() -> None:
    before = SOURCE.splitlines()
    for broken in break_source(SOURCE):
        compile(broken.source, "broken", "exec")
        after = broken.source.splitlines()
        assert [n for n, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]] == [
            broken.line
        ]


@pytest.mark.parametrize(
    "line",
    ["raise AssertionError('unreachable: why')", "return None", "return", "return False or 0", "x = 'text'"],
)
def test_what_no_test_could_notice_is_left_alone(line: str) -> None:
    found = ways(f"def one() -> object:\n    {line}\n")
    assert "returns None" not in found.get(2, set()) or "or" in line
    assert "statement left out" not in found.get(2, set())


def test_a_statement_over_several_lines_is_known_by_all_of_them() -> None:
    source = "def one(a: int) -> int:\n    return call(\n        a,\n        1,\n    )\n"
    assert {(broken.line, broken.lines) for broken in break_source(source)} == {(2, (2, 5)), (4, (2, 5))}
    source = "def one(a: int) -> None:\n    if (\n        a == 1\n    ):\n        call()\n"
    assert {(broken.line, broken.lines) for broken in break_source(source)} == {(3, (2, 4)), (5, (5, 5))}


def test_letters_of_several_bytes_keep_their_place() -> None:
    (broken, *_) = [b for b in break_source("def one() -> bool:\n    return 'é' == x\n") if "comp" in b.what]
    assert broken.source == "def one() -> bool:\n    return ('é' != x)\n"

from pathlib import Path

import pytest
from bench.covering import PACKAGES, TEST_PACKAGES, Covering, Scope
from bench.mutants import choose_tests

FILES = (
    "scripts/nightledger/gate/apply/applying.py",
    "scripts/nightledger/recall/searching.py",
    "scripts/nightledger/files/search_store.py",
    "scripts/nightledger/text/search/chunks.py",
    "tests/domain/test_ids.py",
    "tests/gate/apply/test_applying.py",
    "tests/recall/test_searching.py",
    "tests/recall/asking.py",
    "tests/files/test_search_index.py",
    "tests/text/search/test_chunks.py",
    "tests/surfaces/verbs/test_hook.py",
    "tests/surfaces/verbs/test_stage.py",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_domain_gate_and_trust_are_looked_at_where_nothing_else_is_named(tree: Path) -> None:
    scope = Scope.of("", "", tree)
    assert (scope.places, scope.measured, scope.tests) == (PACKAGES, PACKAGES, TEST_PACKAGES)
    assert scope.modules(tree) == [
        "tests/domain/test_ids.py",
        "tests/gate/apply/test_applying.py",
        "tests/files/test_search_index.py",
    ]


def test_a_place_within_them_asks_the_same_tests_and_takes_what_was_measured_before(tree: Path) -> None:
    scope = Scope.of("gate/apply/applying", "", tree)
    assert scope.places == ("gate/apply/applying",)
    assert (scope.tests, scope.measured) == (TEST_PACKAGES, PACKAGES)
    assert scope.kept == Scope.of("", "", tree).kept


def test_places_elsewhere_ask_the_tests_of_their_folders_and_those_that_are_named(tree: Path) -> None:
    scope = Scope.of("recall, files/search_,text/search/chunks", "surfaces/verbs/test_hook", tree)
    assert scope.measured == scope.places == ("recall", "files/search_", "text/search/chunks")
    assert scope.modules(tree) == [
        "tests/recall/test_searching.py",
        "tests/files/test_search_index.py",
        "tests/text/search/test_chunks.py",
        "tests/surfaces/verbs/test_hook.py",
    ]
    kept = {Scope.of(only, "", tree).kept for only in ("", "recall", "recall,files/search_")}
    assert len({*kept, scope.kept}) == 4


@pytest.mark.parametrize(("only", "tests"), [("gate/nowhere", ""), ("recall", "surfaces/verbs/test_nothing")])
def test_a_place_that_is_not_there_is_refused(tree: Path, only: str, tests: str) -> None:
    with pytest.raises(SystemExit, match="begins with"):
        Scope.of(only, tests, tree)


def test_a_line_asks_first_the_tests_of_its_own_module_then_the_quickest_that_execute_it() -> None:
    own, other, slow = (
        "tests/gate/apply/test_applying.py::",
        "tests/jobs/test_a.py::",
        "tests/jobs/test_b.py::",
    )
    path = "scripts/nightledger/gate/apply/applying.py"
    covering = Covering(
        tests={path: {7: frozenset({f"{own}one", f"{other}two", f"{slow}three"})}},
        seconds={f"{own}one": 2, f"{own}rest": 1, f"{other}two": 1, f"{slow}three": 3, f"{slow}not": 1},
    )
    assert choose_tests(covering, path, [7]) == (f"{own}one", f"{other}two", f"{slow}three", f"{own}rest")

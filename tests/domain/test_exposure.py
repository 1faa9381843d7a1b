import pytest

from nightledger.domain.exposure import MOST_SHOWN, Exposure, Place, session_name


def test_names_are_sorted_once_each_and_bounded() -> None:
    exposure = Exposure(at="t", shown=["b", "a", "b", "", "x" * 201], host="h", event="prompt")
    assert exposure.shown == ("a", "b")
    many = Exposure(
        at="t",
        shown=map(str, range(500)),
        host="h",
        event="recall",
        places=[Place(path="p", lines=(n, n)) for n in range(1, 500)],
    )
    assert (len(many.shown), len(many.places)) == (MOST_SHOWN, MOST_SHOWN)


@pytest.mark.parametrize("name", ["6f0d3c2e-8a51-4c7b", "agent:main:main", "a", "x" * 128])
def test_a_host_s_name_of_a_session_is_kept(name: str) -> None:
    assert session_name(name) == name


@pytest.mark.parametrize("name", ["", None, 7, [], "a b", "../x", "x" * 129, "a\n", "ä", "-x"])
def test_what_is_no_name_is_none(name: object) -> None:
    assert session_name(name) == ""

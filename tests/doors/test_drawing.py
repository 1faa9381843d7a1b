"""Pictures of a report: bars, lines of one point, and names."""

import itertools
import re

from nightledger.doors.report import BAR, Arc, Graph, Plot, Series, draw


def plotted(values: list[float], shape: str) -> str:
    points = tuple((float(n), value) for n, value in enumerate(values))
    return draw(Plot(series=(Series(name="it", points=points, shape=shape),), ends=("", "")), "it")


def test_bars_stand_evenly_to_the_last_and_within_the_drawing() -> None:
    starts = [float(x) for x in re.findall(r"M([\d.]+) 142V", plotted([3.0] * 12, BAR))]
    steps = {round(after - before) for before, after in itertools.pairwise(starts)}
    assert (len(starts), len(steps)) == (12, 1)
    assert max(starts) < 334


def test_a_line_of_one_point_is_seen() -> None:
    assert re.search(r'class="l0" d="M[\d. ]+h8"', plotted([3.0], "step"))


def test_names_that_begin_alike_are_told_apart_and_have_room() -> None:
    names = [f"a_tool_of_a_rather_long_name_{n}" for n in (14, 15)]
    arc = Arc(first=names[0], second=names[1], weight=1.0, kind=0, says="both")
    drawn = draw(Graph(arcs=(arc,), kinds=("sure",)), "both")
    assert {said[-2:] for said in re.findall(r"…([^<]+)</text>", drawn)} == {"14", "15"}

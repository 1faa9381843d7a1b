"""Pictures of a report: lines of one point, and names."""

import re

from nightledger.doors.report import Arc, Graph, Plot, Series, draw


def test_a_line_of_one_point_is_seen() -> None:
    plot = Plot(series=(Series(name="it", points=((0.0, 3.0),)),), ends=("", ""))
    assert re.search(r'class="l0" d="M[\d. ]+h8"', draw(plot, "it"))


def test_names_that_begin_alike_are_told_apart_and_have_room() -> None:
    names = [f"a_tool_of_a_rather_long_name_{n}" for n in (14, 15)]
    arc = Arc(first=names[0], second=names[1], weight=1.0, kind=0, says="both")
    drawn = draw(Graph(arcs=(arc,), kinds=("sure",)), "both")
    assert {said[-2:] for said in re.findall(r"…([^<]+)</text>", drawn)} == {"14", "15"}

"""A report as one HTML file: figures, tables, and pictures drawn as SVG; nothing is loaded, and nothing runs.

Pictures are plots over time, an arc diagram of associations, a strip of runs. What a page of ours may run and draw is what
stands in it, named by its hash (CSP level 3, section 8.4).

Invariant: every text is escaped here, whatever wrote it; the same values give the same bytes (no chance is in a layout);
what a picture shows stands in a table beside it, so it is one image to a screen reader.
"""

import base64
import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from msgspec import Struct

from nightledger.domain.links import DisjointSets
from nightledger.files.home import shipped_config

WIDTH, HEIGHT = 340, 180
"""Of a plot; letters are 12.5 units high: readable where it is drawn 290 pixels wide, on a phone."""
LEFT, RIGHT, TOP, BOTTOM = 48, 6, 10, 38
WIDEST_BAR, LETTER = 18.0, 7.4
STEP, BAR, DOT, ARC = "step", "bar", "dot", "arc"
"""Shapes of a series: a line that stays until the next point, a bar or a dot for each point."""
KINDS = 3
"""Of lines, bars and arcs that can be told apart."""
ROW, LONGEST = 16, 20
"""Height of a row of the arc diagram and of the strip, and characters of a name that have room there."""
SWEEPS = 30


class Series(Struct, frozen=True, kw_only=True):
    """What is plotted: what it is called, its points, x ascending, and its shape."""

    name: str
    points: tuple[tuple[float, float], ...]
    shape: str = STEP


class Plot(Struct, frozen=True, kw_only=True):
    """Series over one axis.

    Attributes:
        series: At most ``KINDS`` are told apart.
        ends: What stands below the first and the last point.
        limit: A line across: the most that there may be; None where there is none.
    """

    series: tuple[Series, ...]
    ends: tuple[str, str]
    limit: float | None = None


class Arc(Struct, frozen=True, kw_only=True):
    """An association: two names, how thick it is drawn (1 to 5), its kind (below ``KINDS``), and what it says when pointed at."""

    first: str
    second: str
    weight: float
    kind: int
    says: str


class Graph(Struct, frozen=True, kw_only=True):
    """Associations, and what their kinds are called."""

    arcs: tuple[Arc, ...]
    kinds: tuple[str, ...]


class Strip(Struct, frozen=True, kw_only=True):
    """Rows of days: each row's name, and a letter for each day, a key of ``states`` or a blank; what stands below the ends."""

    rows: tuple[tuple[str, str], ...]
    states: Mapping[str, str]
    ends: tuple[str, str]


Picture = Plot | Graph | Strip


def draw(picture: Picture, says: str) -> str:
    """Return a picture as SVG, empty where there is nothing to draw.

    Args:
        picture: What is drawn.
        says: What a screen reader reads instead.
    """
    if isinstance(picture, Graph):
        marks, height = list(_arcs(picture)), 0
        height = ROW * (len(order_of(picture.arcs)) + 2) if picture.arcs else 0
    elif isinstance(picture, Strip):
        marks, height = list(_strip(picture)), ROW * (len(picture.rows) + 3) if picture.rows else 0
    else:
        has_points = any(series.points for series in picture.series)
        marks, height = (list(_plot(picture)), HEIGHT) if has_points else ([], 0)
    if not height:
        return ""
    label = f'role="img" aria-label="{escape(says)}"'
    return f'<svg viewBox="0 0 {WIDTH} {height}" {label}>{"".join(marks)}</svg>'


def _text(x: float, y: float, words: str, anchor: str = "") -> str:
    end = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{end}>{escape(words)}</text>'


# ------------------------------------------------------------ over time


def _plot(plot: Plot) -> Iterator[str]:
    points = [point for series in plot.series for point in series.points]
    most = _round_up(max([1.0, *(y for _, y in points), *([plot.limit] if plot.limit else [])]))
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    span, base = (last - first) or 1.0, HEIGHT - BOTTOM
    bars, room = sum(series.shape == BAR for series in plot.series), WIDTH - LEFT - RIGHT
    wide = min(WIDEST_BAR, room / max(len(series.points) for series in plot.series) / (bars + 1))

    def across(x: float) -> float:
        return LEFT + (x - first) / span * (room - wide * bars)

    def down(y: float) -> float:
        return base - y / most * (base - TOP)

    for part in (0, 1, 2):
        y = down(most * part / 2)
        yield f'<path class="axis" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        if part != 1 or most >= 2:  # noqa: PLR2004 - a half is no count
            yield _text(LEFT - 6, y + 4, f"{most * part / 2:,.0f}", "end")
    if plot.limit:
        yield f'<path class="cap" d="M{LEFT} {down(plot.limit):.1f}H{WIDTH - RIGHT}"/>'
    for kind, series in enumerate(plot.series[:KINDS]):
        places = [(across(x), down(y)) for x, y in series.points]
        yield _shapes(series.shape, places, kind, wide)
    yield _text(LEFT, HEIGHT - 22, plot.ends[0])
    yield _text(WIDTH - RIGHT, HEIGHT - 22, plot.ends[1], "end")
    yield from _legend(LEFT, HEIGHT - 5, [(series.shape, series.name) for series in plot.series[:KINDS]])


def _round_up(most: float) -> float:
    """Return a round number from a value up: 1, 2 or 5 with zeros, or between them 3, 4, 6 and 8."""
    power = 10.0 ** (len(str(int(most))) - 1)
    return next(step * power for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * power >= most)


def _legend(x: float, y: float, names: Iterable[tuple[str, str]]) -> Iterator[str]:
    for kind, (shape, name) in enumerate(names):
        if shape == BAR:
            yield f'<path class="b{kind}" d="M{x:.0f} {y:.0f}v-9h9v9z"/>'
        elif shape == DOT:
            yield f'<circle class="b{kind}" cx="{x + 5:.0f}" cy="{y - 4:.0f}" r="3.5"/>'
        else:
            line = f"a{kind}" if shape == ARC else f"l{kind}"
            yield f'<path class="{line}" stroke-width="2" d="M{x:.0f} {y - 4:.0f}h14"/>'
        yield _text(x + 18, y, name)
        x += 32 + LETTER * len(name)


def _shapes(shape: str, places: Sequence[tuple[float, float]], kind: int, wide: float) -> str:
    base = HEIGHT - BOTTOM
    if shape == BAR:
        drawn = (
            f"M{x + kind * wide:.1f} {base}V{y:.1f}h{wide - 1:.1f}V{base}z" for x, y in places if y < base
        )
        return f'<path class="b{kind}" d="{"".join(drawn)}"/>'
    if shape == DOT:
        return "".join(f'<circle class="b{kind}" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in places)
    corners = (f"H{x:.1f}V{y:.1f}" if at else f"M{x:.1f} {y:.1f}" for at, (x, y) in enumerate(places))
    lasts = "" if places[1:] else "h8"  # one point has no line to the next
    return f'<path class="l{kind}" d="{"".join(corners)}{lasts}"/>'


# ------------------------------------------------------------ associations


def order_of(arcs: Sequence[Arc]) -> list[str]:
    """Return the names in the order in which they are drawn: what belongs together together, each near its neighbours.

    Groups that nothing joins stand apart, the largest first. In a group each name moves to the mean place of its neighbours
    (the barycentre of Sugiyama and others, 1981) until the arcs are as short as they get; ties go by name.
    """
    near: defaultdict[str, list[str]] = defaultdict(list)
    groups = DisjointSets[str]()
    for arc in arcs:
        near[arc.first].append(arc.second)
        near[arc.second].append(arc.first)
        groups.join(arc.first, arc.second)
    members: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(near, key=lambda name: (-len(near[name]), name)):
        members[groups.root(name)].append(name)
    ranked = sorted(members.values(), key=lambda group: (-len(group), group))
    return [name for group in ranked for name in _arranged(_walked(group[0], near), near)]


def _walked(start: str, near: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a group, neighbours after each other: breadth first."""
    found = [start]
    for name in found:
        found += [other for other in sorted(set(near[name])) if other not in found]
    return found


def _arranged(group: list[str], near: Mapping[str, Sequence[str]]) -> list[str]:
    def length(names: Sequence[str]) -> int:
        at = {name: n for n, name in enumerate(names)}
        return sum(abs(at[name] - at[other]) for name in names for other in near[name])

    best = names = group
    for _ in range(SWEEPS):
        at = {name: n for n, name in enumerate(names)}
        mean = {name: (at[name] + sum(at[o] for o in near[name])) / (len(near[name]) + 1) for name in names}
        names = sorted(names, key=lambda name: (mean[name], name))
        best = min(best, names, key=length)
    return best


def _arcs(graph: Graph) -> Iterator[str]:
    names = order_of(graph.arcs)
    y = {name: ROW * (n + 0.75) for n, name in enumerate(names)}
    left = _names_width(names)
    furthest = max((abs(y[arc.first] - y[arc.second]) for arc in graph.arcs), default=1)
    bend = min(2.5, max(0.75, (WIDTH - left - 26) / furthest))
    for arc in sorted(graph.arcs, key=lambda arc: -arc.kind):
        low, high = sorted((y[arc.first], y[arc.second]))
        out = min(WIDTH - left - 10, 16 + (high - low) * bend)
        curve = f"M{left} {low:.0f}A{out:.0f} {(high - low) / 2:.0f} 0 0 1 {left} {high:.0f}"
        title = f"<title>{escape(arc.says)}</title>"
        yield f'<path class="a{arc.kind}" stroke-width="{arc.weight:.1f}" d="{curve}">{title}</path>'
    for name in names:
        yield f'<circle class="node" cx="{left}" cy="{y[name]:.0f}" r="3"/>'
        yield _text(left - 8, y[name] + 4, _short(name), "end")
    yield from _legend(8, ROW * (len(names) + 1.6), [(ARC, kind) for kind in graph.kinds])


def _names_width(names: Iterable[str]) -> int:
    return int(LETTER * max((columns_of(_short(name)) for name in names), default=0)) + 14


def columns_of(text: str) -> int:
    """Return how many letters wide a text is drawn; a letter of Chinese or Japanese is as wide as two (UAX 11)."""
    return len(text) + sum(unicodedata.east_asian_width(one) in "WF" for one in text)


def _short(name: str) -> str:
    """Return a name that has room, its middle left out: long names of one home often begin alike."""
    end = LONGEST // 2 - 1
    return name if len(name) <= LONGEST else f"{name[: LONGEST - end - 1]}…{name[-end:]}"


# ------------------------------------------------------------ runs


def _strip(strip: Strip) -> Iterator[str]:
    days = max((len(states) for _, states in strip.rows), default=1)
    left = _names_width(name for name, _ in strip.rows)
    wide = (WIDTH - left) / days
    for n, (name, states) in enumerate(strip.rows):
        yield _text(left - 8, ROW * n + 12, _short(name), "end")
        for kind, state in enumerate(strip.states):
            cells = (
                f"M{left + wide * at:.1f} {ROW * n + 2}h{wide - 1.5:.1f}v12h-{wide - 1.5:.1f}z"
                for at, one in enumerate(states)
                if one == state
            )
            if path := "".join(cells):
                yield f'<path class="s{kind}" d="{path}"/>'
    foot = ROW * len(strip.rows) + 14
    yield _text(left, foot, strip.ends[0])
    yield _text(WIDTH, foot, strip.ends[1], "end")
    x = float(left)
    for kind, name in enumerate(strip.states.values()):
        yield f'<path class="s{kind}" d="M{x:.0f} {foot + 22}v-9h9v9z"/>'
        yield _text(x + 14, foot + 22, name)
        x += 34 + LETTER * len(name)


# ------------------------------------------------------------ the page


_PARTS = re.compile(rb"<(script|style)>(.*?)</\1>", re.DOTALL)


def policy_of(html: bytes, *more: str) -> str:
    """Return a content security policy that allows the script and the style of a page, and nothing else.

    Args:
        html: The page.
        more: Further directives.
    """
    hashes = {
        name.decode(): base64.b64encode(hashlib.sha256(text).digest()).decode()
        for name, text in _PARTS.findall(html)
    }
    sources = (f"{name}-src 'sha256-{told}'" for name, told in hashes.items())
    forms = () if any(one.startswith("form-action") for one in more) else ("form-action 'none'",)
    return "; ".join(("default-src 'none'", *sources, *more, "base-uri 'none'", *forms))


UNBROKEN, LONG = 18, 40
"""Characters up to which a column stays on one line (a date and a time), and from which it keeps room for a sentence."""
OURS = b"<title>Nightledger report</title>"
"""Stands in each such file, and in no other."""
HERE, POLICY = "<!-- report -->", "{policy}"


class Part(Struct, frozen=True, kw_only=True):
    """A part of the report.

    Attributes:
        title: Its heading.
        told: What it says, in a sentence.
        heads: Of its table.
        rows: Of its table; none leaves only the sentence.
        picture: Drawn above the table.
        figure: The one number to see first; empty where there is none.
        folded: Whether its table is folded away: it says only what the picture shows.
        wide: Whether it is drawn as wide as the page.
    """

    title: str
    told: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    picture: Picture | None = None
    figure: str = ""
    folded: bool = False
    wide: bool = False


def page_of(title: str, badge: str, parts: Sequence[Part], *, is_well: bool) -> bytes:
    """Return the file.

    Args:
        title: Whose report it is, and of when.
        badge: What ``verify`` finds.
        parts: In the order in which they stand.
        is_well: Whether that is nothing.
    """
    figures = "".join(
        f"<div><dt>{escape(part.title)}</dt><dd>{escape(part.figure)}</dd></div>"
        for part in parts
        if part.figure
    )
    html = [
        f"<header><h1>Nightledger report</h1>\n<p>{escape(title)}</p>",
        f'<p class="badge {"good" if is_well else "bad"}">{escape(badge)}</p></header>',
        f"<dl>{figures}</dl>" if figures else "",
        '<div class="parts">',
        *map(_section, parts),
        "</div>",
    ]
    template = shipped_config("page/report.html")
    page = template.decode().replace(POLICY, policy_of(template)).replace(HERE, "\n".join(html))
    return page.encode("utf-8", "replace")


def _section(part: Part) -> str:
    table, drawn = _table(part), draw(part.picture, part.told) if part.picture else ""
    if part.folded and drawn and table:
        table = f"<details><summary>The same as a table</summary>{table}</details>"
    width = ' class="wide"' if part.wide else ""
    head = f"<h2>{escape(part.title)}</h2>\n<p>{escape(part.told)}</p>"
    return f"<section{width}>\n{head}\n{drawn}{table}\n</section>"


def _table(part: Part) -> str:
    if not part.rows:
        return ""
    columns = range(len(part.heads))
    longest = [max(columns_of(row[n]) for row in part.rows) for n in columns]
    marks = ["" if longest[n] > UNBROKEN else ' class="n"' for n in columns]
    wide = [' class="l"' if longest[n] > LONG else "" for n in columns]
    heads = "".join(f'<th scope="col"{wide[n]}>{escape(part.heads[n])}</th>' for n in columns)
    cells = ("".join(f"<td{marks[n]}>{escape(row[n])}</td>" for n in columns) for row in part.rows)
    rows = "\n".join(f"<tr>{row}</tr>" for row in cells)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(part.title)}">{table}</div>'

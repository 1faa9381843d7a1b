"""A report as one HTML file: tables, and plots drawn as SVG; nothing is loaded, and nothing runs.

Invariant: every text is escaped here, whatever wrote it; what a plot shows stands in a table beside it.
"""

from collections.abc import Iterator, Sequence
from html import escape

from msgspec import Struct

from nightledger.doors.policy import policy_of
from nightledger.files.home import shipped_config

HERE, POLICY = "<!-- report -->", "{policy}"
WIDTH, HEIGHT = 720, 200
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 34
WIDEST_BAR, LETTER = 22.0, 7
KINDS = 3
"""Of lines and bars that can be told apart."""


class Series(Struct, frozen=True, kw_only=True):
    """A line or a row of bars: what it is called, and its points, x ascending."""

    name: str
    points: tuple[tuple[float, float], ...]


class Plot(Struct, frozen=True, kw_only=True):
    """What is drawn.

    Attributes:
        series: At most ``KINDS`` are told apart.
        ends: What stands below the first and the last point.
        limit: A line across: the most that there may be; None where there is none.
        are_bars: Whether each point is a bar; else a step that lasts until the next.
    """

    series: tuple[Series, ...]
    ends: tuple[str, str]
    limit: float | None = None
    are_bars: bool = False


class Part(Struct, frozen=True, kw_only=True):
    """A part of the report.

    Attributes:
        title: Its heading.
        told: What it says, in a sentence.
        heads: Of its table.
        rows: Of its table; none leaves only the sentence.
        plot: Drawn above the table, which is folded away then.
    """

    title: str
    told: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    plot: Plot | None = None


def page_of(title: str, badge: str, parts: Sequence[Part], *, is_well: bool) -> bytes:
    """Return the file.

    Args:
        title: Whose report it is, and of when.
        badge: What ``verify`` finds.
        parts: In the order in which they stand.
        is_well: Whether that is nothing.
    """
    html = [
        f"<h1>Nightledger report</h1>\n<p>{escape(title)}</p>",
        f'<p class="badge {"good" if is_well else "bad"}">{escape(badge)}</p>',
        *(f"<section>\n{_part(part)}\n</section>" for part in parts),
    ]
    template = shipped_config("page/report.html")
    page = template.decode().replace(POLICY, policy_of(template)).replace(HERE, "\n".join(html))
    return page.encode("utf-8", "replace")


def _part(part: Part) -> str:
    table = _table(part)
    if part.plot and table:
        table = f"<details><summary>The same as a table</summary>{table}</details>"
    drawn = _svg(part.plot, part.told) if part.plot else ""
    return f"<h2>{escape(part.title)}</h2>\n<p>{escape(part.told)}</p>\n{drawn}{table}"


def _table(part: Part) -> str:
    if not part.rows:
        return ""
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in part.heads)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in part.rows)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(part.title)}">{table}</div>'


def _svg(plot: Plot, told: str) -> str:
    points = [point for series in plot.series for point in series.points]
    most = max([1.0, *(y for _, y in points), *([plot.limit] if plot.limit else [])])
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    span = (last - first) or 1.0

    def across(x: float) -> float:
        return LEFT + (x - first) / span * (WIDTH - LEFT - RIGHT)

    def down(y: float) -> float:
        return HEIGHT - BOTTOM - y / most * (HEIGHT - TOP - BOTTOM)

    base = HEIGHT - BOTTOM
    marks = [f'<line class="axis" x1="{LEFT}" y1="{base}" x2="{WIDTH - RIGHT}" y2="{base}"/>']
    if plot.limit:
        y = down(plot.limit)
        marks.append(f'<line class="cap" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
    for at, series in enumerate(plot.series[:KINDS]):
        places = [(across(x), down(y)) for x, y in series.points]
        marks += _bars(places, at, len(plot.series), base) if plot.are_bars else [_steps(places, at)]
    marks += _legend(plot)
    words = [
        f'<text x="{LEFT - 6}" y="{down(most) + 4:.1f}" text-anchor="end">{most:,.0f}</text>',
        f'<text x="{LEFT - 6}" y="{base}" text-anchor="end">0</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 16}">{escape(plot.ends[0])}</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 16}" text-anchor="end">{escape(plot.ends[1])}</text>',
    ]
    label = f'role="img" aria-label="{escape(told)}"'
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" {label}>{"".join([*marks, *words])}</svg>'


def _legend(plot: Plot) -> Iterator[str]:
    x = LEFT
    for at, series in enumerate(plot.series[:KINDS]):
        mark = f'<rect class="b{at}" x="{x}" y="{HEIGHT - 10}" width="9" height="9"/>'
        line = f'<path class="l{at}" d="M{x} {HEIGHT - 6}H{x + 9}"/>'
        yield f'{mark if plot.are_bars else line}<text x="{x + 14}" y="{HEIGHT - 2}">{escape(series.name)}</text>'
        x += 34 + LETTER * len(series.name)


def _steps(places: Sequence[tuple[float, float]], kind: int) -> str:
    def corners() -> Iterator[str]:
        for at, (x, y) in enumerate(places):
            if at:
                yield f"H{x:.1f}V{y:.1f}"
            else:
                yield f"M{x:.1f} {y:.1f}"

    return f'<path class="l{kind}" d="{"".join(corners())}"/>'


def _bars(places: Sequence[tuple[float, float]], kind: int, kinds: int, base: float) -> list[str]:
    wide = min(WIDEST_BAR, (WIDTH - LEFT - RIGHT) / max(1, len(places)) / (kinds + 1))
    room = wide * kinds
    return [
        f'<rect class="b{kind}" x="{min(x, WIDTH - RIGHT - room) + kind * wide:.1f}" y="{y:.1f}" '
        f'width="{wide - 1:.1f}" height="{base - y:.1f}"/>'
        for x, y in places
    ]

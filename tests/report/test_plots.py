"""Plots of sweeps: the right picture for each grid, and the same bytes each time."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from simulator.config.axis import read_axis
from simulator.report.plots import draw_sweep, png, svg
from simulator.study.figures import COLUMNS
from simulator.study.grid import Sweep
from simulator.study.sweep import Swept


def swept(*vary: tuple[str, str], read: bool = False, write: bool = True) -> Swept:
    """A sweep whose rate is the number of its point."""
    axes = tuple(read_axis(name, f"workload.{name}", spec) for name, spec in vary)
    sweep = Sweep("nwt", "test-write", (), axes)
    rows = []
    for number in range(1, sweep.size + 1):
        row: dict[str, Any] = {
            **sweep.values(number - 1),
            **dict.fromkeys(COLUMNS, 0),
            "elapsed_s": 100 - number,
        }
        row |= {"read_MBps": number * read, "write_MBps": 2 * number * write}
        rows.append(row)
    return Swept(sweep, {}, tuple(rows), 0)


def ticks(figure: Figure) -> list[str]:
    figure.canvas.draw()
    return [tick.get_text() for tick in figure.axes[0].get_xticklabels()]


def lines(figure: Figure) -> list[tuple[list[float], list[float]]]:
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in figure.axes[0].lines]


def test_one_geometric_value_has_a_logarithmic_axis() -> None:
    figure = draw_sweep(swept(("buffer", "1 MB..8 MB x2")))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert lines(figure) == [([1e6, 2e6, 4e6, 8e6], [2, 4, 6, 8])]
    assert ticks(figure) == ["1 MB", "2 MB", "4 MB", "8 MB"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("buffer", "write (MB/s)")
    assert axes.get_ylim()[0] == 0


def test_a_line_stands_where_what_limits_changes() -> None:
    plain = swept(("buffer", "1 MB..8 MB x2"))
    limits = ("disk.rate", "disk.rate", "pages.quota", None)
    rows = [{**row, "limit": limit} for row, limit in zip(plain.rows, limits, strict=True)]
    marked = replace(plain, sweep=replace(plain.sweep, limits=True), rows=tuple(rows))
    (axes,) = draw_sweep(marked).axes
    assert [line.get_xdata()[0] for line in axes.lines[1:]] == pytest.approx(
        [8**0.5 * 1e6, 32**0.5 * 1e6]
    )
    told = [text.get_text() for text in axes.texts]
    assert told == ["disk.rate \u2192 pages.quota", "pages.quota \u2192 nothing alone"]
    assert len(draw_sweep(plain).axes[0].lines) == 1


def test_values_out_of_order_are_joined_in_order() -> None:
    figure = draw_sweep(swept(("clients", "4,1,3")))
    assert figure.axes[0].get_xscale() == "linear"
    assert lines(figure) == [([1, 3, 4], [4, 6, 2])]


def test_words_are_bars() -> None:
    figure = draw_sweep(swept(("policy", "nwt,gfortran,flang")))
    assert [bar.get_height() for bar in figure.axes[0].patches] == [2, 4, 6]
    assert ticks(figure) == ["nwt", "gfortran", "flang"]


@pytest.mark.parametrize("few_first", [True, False])
def test_two_values_of_which_one_has_few_are_lines(few_first: bool) -> None:
    axes = [("unit", "1 MB,2 MB"), ("buffer", "1 MB..8 MB +1 MB")]
    figure = draw_sweep(swept(*(axes if few_first else reversed(axes))))
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["1 MB", "2 MB"]
    first, second = (line[1] for line in lines(figure))
    assert len(first) == len(second) == 8
    assert second[0] - first[0] == (16 if few_first else 2)


def test_words_and_values_with_many_each_are_a_map() -> None:
    figure = draw_sweep(swept(("policy", "a,b,c,d,e,f,g"), ("buffer", "1 MB..9 MB +1 MB")))
    (image,) = figure.axes[0].images
    values = image.get_array()
    assert values is not None
    assert values.shape == (7, 9)
    assert values[0][8] == 18
    assert values[6][0] == 2 * (6 * 9 + 1)
    assert figure.axes[0].get_xlabel() == "buffer"
    assert figure.axes[0].get_ylabel() == "policy"


def bound(swept: Swept, a: float = 10) -> Swept:
    """The sweep with the rate min(10 n, 10 m, 80) of two numbers, n and m."""
    rows = [{**row, "write_MBps": min(10 * row["n"], a * row["m"], 80)} for row in swept.rows]
    return replace(swept, rows=tuple(rows))


def named(figure: Figure, label: str) -> tuple[list[float], list[float]]:
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == label]
    return list(line.get_xdata()), list(line.get_ydata())


def test_two_numbers_are_a_cell_for_each_point_with_the_knees_of_both() -> None:
    made = bound(swept(("n", "1..32 x2"), ("m", "2..64 x2")))
    figure = draw_sweep(made)
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("n", "m")
    assert ticks(figure) == ["1", "2", "4", "8", "16", "32"]
    (cells,) = axes.collections  # Nothing is drawn between points that were computed.
    assert cells.get_array().shape == (6, 6)
    log = [math.log(2) * power for power in range(7)]
    xs, ys = named(figure, "of n")  # At each m: n = m, and 8 if m is more.
    assert ys == pytest.approx(log[1:7])
    assert xs == pytest.approx([log[1], log[2], log[3], log[3], log[3], log[3]])
    xs, ys = named(figure, "of m")  # At n = 1 it pays nowhere: flat, so that the line breaks.
    assert xs == pytest.approx(log[:6])
    assert math.isnan(ys[0])
    assert ys[1:] == pytest.approx([math.nan, log[2], log[3], log[3], log[3]], nan_ok=True)


def darkest(figure: Figure) -> float:
    """The value of the darkest colour that is drawn, of a map or of cells."""
    axes = figure.axes[0]
    (drawn,) = [*axes.collections, *axes.images]
    values = sorted(map(float, np.asarray(drawn.get_array()).ravel()))
    return min(values, key=lambda one: sum(drawn.to_rgba(one)[:3]))


@pytest.mark.parametrize("write", [True, False], ids=["rate", "time"])
@pytest.mark.parametrize("second", ["2..64 x2", "a,b,c,d,e,f,g"], ids=["cells", "map"])
def test_the_best_is_the_darkest_and_has_a_star(second: str, *, write: bool) -> None:
    made = swept(("n", "1..64 x2"), ("m", second), write=write)
    column = "write_MBps" if write else "elapsed_s"
    rows = [{**row, column: float((7 * number) % 48 + 1)} for number, row in enumerate(made.rows)]
    best = (max if write else min)(row[column] for row in rows)
    figure = draw_sweep(replace(made, rows=tuple(rows)))
    assert darkest(figure) == best
    (star,) = [line for line in figure.axes[0].lines if line.get_marker() == "*"]
    number = [row[column] for row in rows].index(best)
    across, up = divmod(number, len(made.sweep.axes[1].texts))
    if second == "2..64 x2":
        assert list(star.get_xdata()) == pytest.approx([math.log(2) * across])
        assert list(star.get_ydata()) == pytest.approx([math.log(2) * (up + 1)])
    else:
        assert list(star.get_xdata()) == [up]
        assert [round(float(one)) for one in star.get_ydata()] == [across]
    assert any("darker is better" in axes.get_ylabel() for axes in figure.axes)


def test_levels_of_contours_hold_all_figures_and_are_round() -> None:
    figure = draw_sweep(bound(swept(("n", "1..32 x2"), ("m", "2..64 x2"))))
    levels = list(figure.axes[1].get_yticks())
    assert levels == [10, 20, 30, 40, 50, 60, 70, 80]
    figure = draw_sweep(bound(swept(("n", "1..32 x2"), ("m", "2..64 x2")), a=1))
    assert figure.axes[1].get_yticks()[0] > 0  # Over more than a factor of 20.
    assert list(figure.axes[1].get_yticks()) == [2, 5, 10, 20, 50, 100]


def test_a_value_without_effect_leaves_one_line_with_its_knee() -> None:
    figure = draw_sweep(bound(swept(("n", "1..32 x2"), ("m", "64,128,256"))))
    line, stretch, ring = figure.axes[0].lines
    assert list(line.get_ydata()) == [10, 20, 40, 80, 80, 80]
    assert (list(stretch.get_xdata()), list(ring.get_xdata())) == ([4, 8], [8])
    assert [text.get_text() for text in figure.axes[0].texts] == ["knee 8"]
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [one.get_text() for one in legend.get_texts()] == ["all values\n(the same within 0.5 %)"]


def test_lines_that_are_the_same_are_drawn_once() -> None:
    plain = swept(("n", "1..32 x2"), ("policy", "a,b,c"))
    rate = {"a": 80.0, "b": 20.0, "c": 80.3}
    rows = [{**one, "write_MBps": min(10 * one["n"], rate[one["policy"]])} for one in plain.rows]
    figure = draw_sweep(replace(plain, rows=tuple(rows)))
    legend = figure.axes[0].get_legend()
    assert legend is not None
    texts = [one.get_text() for one in legend.get_texts()]
    assert texts == ["a, c\n(the same within 0.5 %)", "b", "knee (then < 5 %\nper doubling)"]
    rings = [list(line.get_xdata()) for line in figure.axes[0].lines if len(line.get_xdata()) == 1]
    assert rings == [[8], [2]]


def test_reading_and_writing_have_a_panel_each() -> None:
    figure = draw_sweep(swept(("buffer", "1 MB,2 MB"), read=True))
    assert [axes.get_ylabel() for axes in figure.axes] == ["read (MB/s)", "write (MB/s)"]


def test_without_rates_the_time_is_drawn() -> None:
    figure = draw_sweep(swept(("buffer", "1 MB,2 MB"), write=False))
    assert figure.axes[0].get_ylabel() == "elapsed (s)"
    assert lines(figure)[0][1] == [99, 98]


def test_many_values_have_few_ticks() -> None:
    figure = draw_sweep(swept(("buffer", "1 MB..90 MB +1 MB")))
    assert 3 <= len(ticks(figure)) <= 15
    assert any(text.endswith(" MB") for text in ticks(figure))


def test_three_values_have_no_plot() -> None:
    three = swept(("a", "1,2"), ("b", "1,2"), ("c", "1,2"))
    with pytest.raises(ValueError, match="has no plot; vary one or two"):
        draw_sweep(three)


@pytest.mark.slow
def test_the_same_sweep_gives_the_same_bytes() -> None:
    made = [swept(("buffer", "1 MB..8 MB x2"), ("policy", "nwt,flang")) for _ in range(2)]
    first, second = (draw_sweep(one) for one in made)
    assert png(first) == png(second)
    assert svg(first) == svg(second)
    assert b"<dc:date>" not in svg(first)
    assert png(first).startswith(b"\x89PNG")

"""Plots: of nothing, of one call, of many; names that do not fit; texts that can be read."""

import re

import pytest

from tests.traces.stores import call, make_store, printed, random_rows

REPORTS = ["summary", "summary --by file", "summary --errors --by file", "sizes", "calls", "rate"]
REPORTS += ["offsets --file *", "check", "activity", "activity --by file"]
SLOW = [*REPORTS[:2], *REPORTS[-5:]]
"""Reports whose pictures take longest."""
LONG = "/data/" + "very-long-name-of-a-folder/" * 9 + "out$put_{x}^2$.nc"


def draw(capsys, store, report, picture):
    name, *options = report.split()
    printed(capsys, name, store, *options, "--plot", picture)
    return picture.read_bytes()


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode())


@pytest.mark.slow
@pytest.mark.parametrize(
    "report",
    [pytest.param(one, marks=pytest.mark.slow if one in SLOW else ()) for one in REPORTS],
)
@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.slow), 400])
def test_each_report_has_a_plot_in_both_forms(capsys, tmp_path, report, count):
    rows = random_rows(count, seed=5)
    rows[0] = call("read", returned=3, offset=0, error=None if count > 1 else "EIO")
    store = make_store(tmp_path / "s.parquet", rows)
    assert draw(capsys, store, report, tmp_path / "p.png").startswith(b"\x89PNG")
    shown = texts(draw(capsys, store, report, tmp_path / "p.SVG"))
    assert len(shown) > 3
    if "--file" not in report or count > 1:
        assert "s.parquet" in " ".join(shown)


@pytest.mark.few(2)
@pytest.mark.parametrize("report", [report for report in REPORTS if "*" not in report])
def test_nothing_can_be_drawn_too(capsys, tmp_path, report):
    store = make_store(tmp_path / "s.parquet", [])
    if report in {"calls", "rate"}:
        store = make_store(tmp_path / "s.parquet", [call("close")])
    assert draw(capsys, store, report, tmp_path / "p.png").startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_same_calls_give_the_same_bytes(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", random_rows(300))
    for report in REPORTS:
        one, other = (draw(capsys, store, report, tmp_path / f"{n}.svg") for n in "ab")
        assert one == other


def test_long_names_are_shortened_and_dollars_are_dollars(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("read", returned=1, file=LONG)])
    shown = texts(draw(capsys, store, "summary --by file", tmp_path / "p.svg"))
    (name,) = [text for text in shown if "..." in text]
    assert name.endswith("$.nc  read")
    assert len(name) < 60


def test_letters_that_the_font_lacks_are_no_error(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("read", returned=1, file="/data/日本.nc")])
    assert draw(capsys, store, "summary --by file", tmp_path / "p.png").startswith(b"\x89PNG")


@pytest.mark.slow
def test_very_many_calls_make_a_picture_no_larger(capsys, tmp_path):
    rows = [
        call("read" if n % 3 else "write", n / 1e4, 1e-5 + n / 1e9, returned=n % 999, offset=n)
        for n in range(60_000)
    ]
    store = make_store(tmp_path / "s.parquet", rows)
    assert len(draw(capsys, store, "offsets --file *", tmp_path / "p.svg")) < 2_000_000
    shown = texts(draw(capsys, store, "calls --interval 0.001", tmp_path / "q.svg"))
    assert "calls per 8 ms" in shown
    assert "8 intervals of 1 ms put together in each step" in shown
    shown = texts(draw(capsys, store, "offsets --file *", tmp_path / "p.svg"))
    (said, *_) = [text for text in shown if "cells" in text]
    assert said.startswith("60,000 calls in 360 x 90 cells")


def test_a_plot_that_cannot_be_written_is_found_out_first(capsys, tmp_path):
    from tests.traces.stores import refused

    store = make_store(tmp_path / "s.parquet", [call("read", returned=1)])
    message = refused(capsys, "sizes", store, "--plot", tmp_path / "none" / "p.png")
    assert "there is no such folder" in message


def test_offsets_of_a_log_without_times_are_drawn_row_by_row(capsys, tmp_path):
    rows = [call("write", returned=1, offset=n) | {"time_ns": None} for n in range(5)]
    store = make_store(tmp_path / "s.parquet", rows, times=None)
    assert "row of the log" in texts(draw(capsys, store, "offsets --file *", tmp_path / "p.svg"))


@pytest.fixture
def figure_of(tmp_path):
    """Draw a report of rows, and give the figure itself."""
    pytest.importorskip("duckdb")
    from simulator.report.trace_plots import DRAWN
    from simulator.traces.reports.choice import Choice
    from simulator.traces.reports.opened import opened

    def figure(rows, report, *, files=(), **drawn):
        store = make_store(tmp_path / "f.parquet", rows)
        with opened([store], Choice(files=files)) as trace:
            return DRAWN[report](trace, **drawn)

    return figure


@pytest.mark.parametrize("first", ["read", "write"])
@pytest.mark.parametrize("report", ["rate", "calls"])
def test_nothing_lies_beyond_the_axes(figure_of, report, first):
    """What is drawn second may be larger than what was drawn first."""
    rows = [call(first, n / 10, returned=10) for n in range(10)]
    other = "write" if first == "read" else "read"
    rows += [call(other, 1 + n / 1000, returned=10**6) for n in range(50)]
    rows += [call(other, 1.5, error="EIO")] * 300
    for axes in figure_of(rows, report, step_ns=10**8).axes:
        highest = max(max(patch.get_data().values) for patch in axes.patches)
        assert highest > 0
        assert axes.get_ylim() == (0, pytest.approx(1.05 * highest))


def test_calls_on_several_files_have_the_colours_of_the_files(figure_of):
    rows = [
        call("read", n / 100 + k, returned=5, offset=n, file=f"/data/{k}")
        for k in range(8)
        for n in range(20 - k)
    ]
    above, *_ = figure_of(rows, "offsets", files=("*",)).axes
    names = [text.get_text() for text in above.get_legend().get_texts()]
    assert names == [f"/data/{k} ({20 - k} calls)" for k in range(5)] + ["3 other files"]
    assert len({str(points.get_facecolor()) for points in above.collections}) == 6
    above, *_ = figure_of(rows, "offsets", files=("/data/3",)).axes
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["read"]


def test_a_cell_has_the_colour_of_most_of_its_calls(figure_of):
    from matplotlib.colors import to_rgb

    from simulator.report.plots import READ, WRITE

    rows = [call("read", n / 1e4, returned=1, offset=0) for n in range(30_000)]
    rows += [call("write", n / 1e4, returned=1, offset=0) for n in range(0, 30_000, 3)]
    rows += [call("write", 1 + n / 1e5, returned=1, offset=900) for n in range(9)]
    (*_, axes) = figure_of(rows, "offsets", files=("*",)).axes
    (mesh,) = axes.collections
    shades = mesh.get_array().reshape(90, 360, 4)
    assert (shades[0, :, :3] == to_rgb(READ)).all()
    ((row, column),) = {(y, x) for y, x in zip(*shades[1:, :, 3].nonzero(), strict=True)}
    assert tuple(shades[1 + row, column, :3]) == to_rgb(WRITE)
    assert shades[1 + row, column, 3] < shades[0, :, 3].min()


@pytest.mark.parametrize(
    ("longest_s", "unit", "labels"),
    [
        (240_000.0, "s", ["0", "80,000", "160,000", "240,000"]),
        (0.8, "ms", ["0", "250", "500", "750", "1,000"]),
        (7e-6, "us", ["0", "2.5", "5", "7.5"]),
    ],
)
def test_times_stand_on_an_axis_in_round_numbers_of_one_unit(figure_of, longest_s, unit, labels):
    figure = figure_of([call("read", 0, longest_s, returned=1)], "summary")
    _, times, _ = figure.axes
    assert times.get_xlabel() == f"time ({unit})"
    most = times.get_xlim()[1]
    format_tick = times.xaxis.get_major_formatter()
    assert [format_tick(one) for one in times.get_xticks() if one <= most] == labels


@pytest.mark.few(2)
@pytest.mark.parametrize("ratio", [1, 1.5, 12, 10**7])
def test_durations_have_labels_with_units_however_near_they_are(capsys, tmp_path, ratio):
    rows = [call("read", n, 4.1e-5 * (ratio if n else 1), returned=n, offset=n) for n in range(9)]
    store = make_store(tmp_path / "s.parquet", rows)
    shown = texts(draw(capsys, store, "offsets --file *", tmp_path / "p.svg"))
    assert sum(bool(re.fullmatch(r"[\d.]+ (ns|us|ms|s|min)", text)) for text in shown) >= 2
    assert not any("10" in text and "{" in text for text in shown)


def test_what_is_not_in_the_log_has_no_scale(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("write", n, returned=7) for n in range(9)])
    shown = texts(draw(capsys, store, "offsets --file *", tmp_path / "p.svg"))
    assert "not in the log" in shown
    assert "0.2 B" not in shown


@pytest.mark.parametrize(("length_s", "unit"), [(0.047, "ms"), (9.0, "s"), (4e-5, "us")])
@pytest.mark.parametrize("report", ["rate", "calls"])
def test_a_short_log_has_as_many_steps_as_a_long_one(figure_of, report, length_s, unit):
    rows = [
        call("read" if n % 2 else "write", n * length_s / 500, 0.0, returned=n) for n in range(500)
    ]
    axes = figure_of(rows, report).axes[-1]
    assert 40 <= len(axes.patches[0].get_data().values) <= 101
    assert axes.get_xlabel() == f"time since the start of the log ({unit})"


def test_bars_and_their_values_are_in_the_unit_of_the_axis(figure_of):
    rows = [call("read", 0, 0.0428, returned=8_000_000), call("write", 1, 2e-6, returned=4)]
    _, times, sizes = figure_of(rows, "summary").axes
    assert (times.get_xlabel(), sizes.get_xlabel()) == ("time (ms)", "bytes (MB)")
    assert [text.get_text() for text in times.texts] == ["42.8", "0.00200"]
    assert [text.get_text() for text in sizes.texts] == ["8.00", "0.000004"]
    assert times.xaxis.get_major_formatter()(40_000_000, 0) == "40"


def test_the_rate_axis_has_one_unit(figure_of):
    rows = [call("read", n / 100, returned=10**4 * n) for n in range(100)]
    above, _ = figure_of(rows, "rate").axes
    assert above.get_ylabel() == "rate (MB/s)"
    assert above.yaxis.get_major_formatter()(2.5e6, 0) == "2.5"

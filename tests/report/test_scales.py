"""Columns of a report: one unit each, numbers that say how exact they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.report.scales import SCALES, figure, figures, scale_of
from simulator.report.screen import page_text
from simulator.report.trace import report_page
from simulator.traces.reports.table import Column, Report, Table
from simulator.units import parse_size
from simulator.wording import about_size, brief_size

COLUMNS = (
    Column("time_s", "time", "time"),
    Column("observed_s", "observed", "time", "both"),
    Column("predicted_s", "predicted", "time", "both"),
    Column("bytes", "bytes", "size"),
    Column("rate_Bps", "rate", "rate"),
    Column("n", "n"),
)


def table_of(*rows):
    return page_text(report_page(Report([Table("t", COLUMNS, rows)], {}))).splitlines()


def test_all_of_a_column_is_in_one_unit_that_stands_in_its_head():
    head, _, *rows = table_of(
        (42_838_000, 2_000, 3 * 10**9, 8_000_000, 5.5e8, 1200),
        (2_000, None, 153_000, 4, None, 1),
    )[:4]
    assert re.split(r" {2,}", head.strip()) == [
        "time (ms)",
        "observed (s)",
        "predicted (s)",
        "bytes (MB)",
        "rate (MB/s)",
        "n",
    ]
    assert [row.split() for row in rows] == [
        ["42.8", "0.000002", "3.00", "8.00", "550", "1,200"],
        ["0.00200", "-", "0.000153", "0.000004", "-", "1"],
    ]


def test_decimal_points_stand_below_each_other():
    lines = table_of(*((10**n, None, None, 10**n, 10**n, n) for n in range(11)))[2:13]
    assert len({line.index(".") for line in lines}) == 1


def test_programs_get_base_units():
    table = Table("t", COLUMNS, [(42_838_000, 0, None, 196_608, 5.5e8, 1)])
    assert list(table.row_dicts()) == [
        {
            "time_s": 0.042838,
            "observed_s": 0.0,
            "predicted_s": None,
            "bytes": 196_608,
            "rate_Bps": 5.5e8,
            "n": 1,
        }
    ]


@pytest.mark.parametrize("quantity", SCALES)
@given(values=st.lists(st.none() | st.integers(0, 2**63), min_size=1))
def test_a_number_says_what_it_is_in_its_unit(quantity, values):
    """To half a percent, or to the last of six places."""
    scale = scale_of(quantity, values)
    texts = figures(values, scale)
    assert len({len(text) for text in texts}) == 1
    for value, text in zip(values, texts, strict=True):
        if value is None:
            assert text.strip() == "-"
        else:
            shown = float(text.replace(",", "")) * scale.size
            assert shown == pytest.approx(value, rel=0.005, abs=0.5e-6 * scale.size)


@given(st.integers(0, 2**63))
def test_bytes_without_a_prefix_are_exact(size):
    scale = scale_of("size", [size])
    if scale.unit == "B":
        assert figure(size, scale) == f"{size:,}"
    for written in (about_size(size), brief_size(size)):
        if written.endswith(" B"):
            assert written == f"{size} B"


@given(st.integers(0, 10**17))
def test_a_rounded_size_has_all_its_digits(size):
    """Five digits and a prefix; an exact size may be as short as it goes."""
    text = about_size(size)
    exact = parse_size(text)
    assert exact == pytest.approx(size, rel=1e-4)
    if exact != size:
        assert len(re.sub(r"\D", "", text)) == 5
        assert text[-2] in "kMGTP"


def test_a_size_that_was_printed_as_if_it_were_exact():
    assert about_size(196_608) == "192 KiB"
    assert about_size(196_609) == "196.61 kB"
    assert brief_size(196_608) == "197 kB"

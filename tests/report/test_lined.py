"""Tables for people look as those of tabulate, with no blanks at the ends of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabulate import tabulate

from simulator.report.lined import Form, ruled, table, wrapped

CELL = st.text(st.sampled_from("ab9 -.é日本ｗ"), max_size=8)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]], str]:
    count = draw(st.integers(1, 4))
    row = st.lists(CELL, min_size=count, max_size=count)
    align = draw(st.text(st.sampled_from("lr"), min_size=count, max_size=count))
    return draw(row), draw(st.lists(row, min_size=1, max_size=4)), align


@given(tables())
def test_tables_look_as_those_of_tabulate(drawn: tuple[list[str], list[list[str]], str]) -> None:
    head, rows, align = drawn
    words = {"l": "left", "r": "right"}
    expected = tabulate(
        rows,
        headers=head,
        colalign=[words[one] for one in align],
        disable_numparse=True,
        preserve_whitespace=True,
    )
    assert table(head, rows, align).splitlines() == [one.rstrip() for one in expected.splitlines()]


@given(tables(), st.sampled_from(["simple", "github"]), st.booleans())
def test_ruled_tables_too(
    drawn: tuple[list[str], list[list[str]], str], form: Form, headed: bool
) -> None:
    head, rows, align = drawn
    words = {"l": "left", "r": "right"}
    headed |= form == "github"
    expected = tabulate(
        rows,
        headers=head if headed else (),
        colalign=[words[one] for one in align],
        disable_numparse=True,
        tablefmt=form if headed else "plain",
    )
    made = ruled(head if headed else (), rows, form, align)
    assert made.splitlines() == [one.rstrip() for one in expected.splitlines()]


@pytest.mark.parametrize(
    ("said", "most"),
    [
        ("60", 60),
        ("200", 100),
        ("7", 40),
        ("0", 100),
        ("-5", 100),
        ("wide", 100),
        ("9" * 5000, 100),
    ],
)
def test_paragraphs_obey_columns(said: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", said)
    lines = wrapped("a word " * 200).split("\n")
    assert most - 7 < max(map(len, lines)) <= most


def test_accents_that_join_a_letter_take_no_column() -> None:
    assert table(["e\u0301", "b"], [], "ll").splitlines()[1] == "---  ---"

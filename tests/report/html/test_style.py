"""Texts of pages can be read by light and by dark."""

from __future__ import annotations

import re

import pytest

from simulator.report.html.levels import LIGHTEST, STRONGEST
from simulator.report.html.style import LINES, ON_PIECES, PIECES, STYLE
from simulator.report.html.svg import Piece, bar_rows

LEAST = 4.5
"""WCAG 2, AA, for texts of any size."""
LEAST_OF_SHAPES = 3.0
"""WCAG 2, AA, for lines, bars and their edges."""
PAIRS = [
    *((text, ground) for text in ("ink", "soft") for ground in ("bg", "panel", "best", "answer")),
    *(("link", ground) for ground in ("bg", "panel", "answer")),
    *((f"u{level}i", f"u{level}") for level in range(5)),
]
SHAPES = [*(f"l{number}" for number in range(6)), "soft", "ink", "edge", "store"]
"""Lines of plots, edges of bars and axes, what fills a meter, the edge of the answer, stores."""


def rgb(colour: str) -> list[int]:
    """The parts of #rgb or #rrggbb."""
    digits = colour.removeprefix("#")
    whole = digits if len(digits) == 6 else "".join(one * 2 for one in digits)
    return [int(whole[i : i + 2], 16) for i in (0, 2, 4)]


def luminance(colour: str) -> float:
    """The relative luminance of #rgb or #rrggbb."""
    shares = [part / 255 for part in rgb(colour)]
    lin = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)


def colours(theme: int) -> dict[str, str]:
    """The colours of a theme by their names; dark ones are for screens only, not for paper."""
    found = re.findall(r"(?:^|@media screen.*\{):root\{([^}]*)\}", STYLE)[theme]
    return dict(re.findall(r"--(\w+):(#\w+)", found))


def over(colour: str, opacity: float, ground: str) -> str:
    """A colour that lets a part of its ground through."""
    pairs = zip(rgb(colour), rgb(ground), strict=True)
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in pairs)


def test_what_lets_half_of_its_ground_through() -> None:
    assert over("#ff0000", 0.5, "#0000ff") == "#800080"


THEMES = pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])


@THEMES
def test_texts_stand_out(theme: int) -> None:
    of = colours(theme)
    for text, ground in PAIRS:
        assert contrast(of[text], of[ground]) >= LEAST, (text, ground)


@THEMES
def test_lines_and_edges_stand_out(theme: int) -> None:
    of = colours(theme)
    for shape in SHAPES:
        assert contrast(of[shape], of["bg"]) >= LEAST_OF_SHAPES, shape
    assert {f"var(--l{number})" for number in range(6)} == set(LINES)


@THEMES
@pytest.mark.parametrize("opacity", [LIGHTEST, (LIGHTEST + STRONGEST) / 2, STRONGEST])
def test_numbers_stand_out_in_the_cells_of_sweeps(theme: int, opacity: float) -> None:
    of = colours(theme)
    assert contrast(of["ink"], over(PIECES[0], opacity, of["bg"])) >= LEAST


def test_every_bar_has_an_edge_that_stands_out() -> None:
    drawn = bar_rows([("a", "1", [Piece(0.5, 6), Piece(0.3, 1)])], "two pieces")
    assert len(re.findall('<rect class="edge"|<rect[^>]* class="edge"', drawn)) == 2
    assert "svg .edge{stroke:var(--soft)}" in STYLE
    assert "svg .fill{fill:var(--ink)}" in STYLE  # In a track of the page's ground.


def test_letters_stand_out_from_their_pieces() -> None:
    for piece, letter in zip(PIECES, ON_PIECES, strict=True):
        assert contrast(piece, letter) >= LEAST, piece
    assert len(set(PIECES)) == len(PIECES)

"""Texts of pages can be read by light and by dark."""

from __future__ import annotations

import re

import pytest

from simulator.report.html.style import ON_PIECES, PIECES, STYLE

LEAST = 4.5
"""WCAG 2, AA, for texts of any size."""
PAIRS = [
    *(("ink", ground) for ground in ("bg", "panel", "best", "answer")),
    *(("soft", ground) for ground in ("bg", "panel")),
    ("link", "bg"),
    *((f"u{level}i", f"u{level}") for level in range(5)),
]


def luminance(colour: str) -> float:
    """The relative luminance of #rgb or #rrggbb."""
    digits = colour.removeprefix("#")
    parts = [digits[i : i + 2] for i in (0, 2, 4)] if len(digits) == 6 else [c * 2 for c in digits]
    shares = [int(part, 16) / 255 for part in parts]
    lin = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * lin[0] + 0.7152 * lin[1] + 0.0722 * lin[2]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_texts_stand_out(theme: int) -> None:
    found = re.findall(r":root\{(.*?)\}", STYLE, re.DOTALL)[theme]
    colours = dict(re.findall(r"--(\w+):(#\w+)", found))
    for text, ground in PAIRS:
        assert contrast(colours[text], colours[ground]) >= LEAST, (text, ground)


def test_letters_stand_out_from_their_pieces() -> None:
    for piece, letter in zip(PIECES, ON_PIECES, strict=True):
        assert contrast(piece, letter) >= LEAST, piece
    assert len(set(PIECES)) == len(PIECES)

"""Pictures of pages as inline SVG: as wide as the page, with text of one size.

Horizontal places are percentages, so that a picture fits a phone and a screen without scaling its
text. Every picture has a text that stands for it, and its numbers stand in a table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.report.html.markup import Markup, Value, percent, tag
from simulator.report.html.style import ON_PIECES, PIECES

LEAST_LETTER = 0.045
"""Share of the width from which on a piece has its letter in it, 15 px on a phone;"""
LEAST_TEXT = 0.2
"""and its share too."""
_ROW = 34
_THIN = 12

PATTERNS = Markup(
    '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
    '<pattern id="waiting" width="7" height="7" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect width="2.4" height="7" fill="#fff" fill-opacity=".6"/>'
    '<rect x="2.4" width="1.1" height="7" fill="#000" fill-opacity=".5"/></pattern></defs></svg>'
)
"""What makes bars hatched; once in a page that has any."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a bar."""

    share: float
    """Of the width."""
    colour: int = 0
    """Its place in the palette."""
    letter: str = ""
    hatched: bool = False
    text: str = ""
    """What a reader who points at it is told."""
    start: float | None = None
    """Where it begins; None: where the piece before it ends."""


def picture(about: str, height: float, *content: Markup, width: str = "100%") -> Markup:
    """Return a picture with the text that stands for it."""
    inside = [tag("title", about), *content]
    how: dict[str, Value] = {
        "role": "img",
        "width": width,
        "height": height,
        "preserveAspectRatio": "none",
    }
    return tag("svg", inside, **how)


def stacked(pieces: Sequence[Piece], about: str, height: int = 30) -> Markup:
    """Return one bar of pieces beside each other."""
    return picture(about, height, *_bar(pieces, 0, height, with_share=True))


def rows(bars: Sequence[tuple[str, str, Sequence[Piece]]], about: str) -> Markup:
    """Return bars below each other: each with its name and its number above it."""
    content: list[Markup] = []
    for place, (name, number, pieces) in enumerate(bars):
        top = place * _ROW
        content.append(tag("text", name, x=0, y=top + 13))
        content.append(tag("text", number, x="100%", y=top + 13, class_="e"))
        content += _bar(pieces, top + 18, _THIN)
    return picture(about, len(bars) * _ROW, *content)


def _bar(
    pieces: Sequence[Piece], top: float, height: float, *, with_share: bool = False
) -> list[Markup]:
    made: list[Markup] = []
    end = 0.0
    for one in pieces:
        start = end if one.start is None else one.start
        end = start + one.share
        box: dict[str, Value] = {
            "x": percent(start),
            "y": top,
            "width": percent(one.share),
            "height": height,
        }
        edge: dict[str, Value] = {
            "stroke": "var(--bg)",
            "stroke_width": "1" if one.share > 0.004 else "0",
        }
        told = tag("title", one.text) if one.text else None
        made.append(tag("rect", told, fill=PIECES[one.colour], **box, **edge))
        if one.hatched:
            made.append(tag("rect", told, fill="url(#waiting)", **box))
        if one.letter and one.share >= LEAST_LETTER:
            text = one.letter
            if with_share and one.share >= LEAST_TEXT:
                text = f"{text}  {100 * one.share:.1f} %"
            halo = f"paint-order:stroke;stroke:{PIECES[one.colour]};stroke-width:5px"
            style = f"fill:{ON_PIECES[one.colour]};{halo if one.hatched else ''}"
            place: dict[str, Value] = {
                "x": percent(start + one.share / 2),
                "y": top + height / 2 + 4.5,
            }
            made.append(tag("text", text, class_="m b", style=style, **place))
    return made


def key(colour: int, letter: str) -> Markup:
    """Return the mark in a table that stands for a colour of a picture."""
    style = f"background:{PIECES[colour]};color:{ON_PIECES[colour]}"
    return tag("span", letter, class_="key", style=style)


def meter(share: float, x: float, y: float, width: float) -> list[Markup]:
    """Return a small bar that is filled by a share."""
    full = max(0.0, min(1.0, share)) * width
    return [
        tag("rect", x=x, y=y, width=width, height=6.0, class_="track"),
        tag("rect", x=x, y=y, width=full, height=6.0, class_="fill"),
    ]

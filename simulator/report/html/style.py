"""The style of pages: light and dark by the reader's choice, light on paper, narrow on phones."""

from __future__ import annotations

from pathlib import Path

LINES = tuple(f"var(--l{number})" for number in range(6))
"""Colours of lines, those that differ most first: the palette, as dark as each ground needs."""

PIECES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
"""Okabe and Ito's palette, which people with any colour vision can tell apart. Some of it is too
pale for a light ground, so that every piece has an edge."""
ON_PIECES = ("#fff", "#000", "#000", "#000", "#000", "#000", "#000", "#fff")
"""The colour of text on each of them."""

STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")

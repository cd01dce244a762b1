"""The style of pages: light and dark by the reader's choice, light on paper, narrow on phones."""

from __future__ import annotations

from pathlib import Path

_LIGHT = """\
--bg:#fff;--ink:#1b1f24;--soft:#57606a;--line:#c8ced6;--panel:#f6f8fa;--link:#0550ae;
--best:#fff3c4;--answer:#eaf3ff;--edge:#0550ae;
--u0:#eef1f4;--u0i:#57606a;--u1:#dbe9f6;--u1i:#16314d;--u2:#b3d2ec;--u2i:#0e2a45;
--u3:#ffd58a;--u3i:#3d2600;--u4:#e8590c;--u4i:#000;--store:#5b3f8c;
--l0:#0072b2;--l1:#d55e00;--l2:#009e73;--l3:#b85c8e;--l4:#a06c00;--l5:#348ae3"""
_DARK = """\
--bg:#12161c;--ink:#e6e9ee;--soft:#a3acb8;--line:#3d4653;--panel:#1b212a;--link:#7db8ff;
--best:#4a3b00;--answer:#14263c;--edge:#7db8ff;
--u0:#222933;--u0i:#a3acb8;--u1:#1e3a57;--u1i:#dcebfa;--u2:#2b5f91;--u2i:#fff;
--u3:#8a5a00;--u3i:#fff;--u4:#ff8a3d;--u4i:#000;--store:#c3a6ff;
--l0:#2f93ce;--l1:#e8792b;--l2:#009e73;--l3:#cc79a7;--l4:#e69f00;--l5:#9ad4f5"""

LINES = tuple(f"var(--l{number})" for number in range(6))
"""Colours of lines, those that differ most first: the palette, as dark as each ground needs."""

PIECES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
"""Okabe and Ito's palette, which people with any colour vision can tell apart. Some of it is too
pale for a light ground, so that every piece has an edge."""
ON_PIECES = ("#fff", "#000", "#000", "#000", "#000", "#000", "#000", "#fff")
"""The colour of text on each of them."""

_RULES = Path(__file__).with_name("style.css")
"""What is not a colour."""

STYLE = (
    f":root{{color-scheme:light dark;{_LIGHT}}}\n"
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n"
    f"@media print{{:root{{color-scheme:light;{_LIGHT}}}}}\n"
    f"{_RULES.read_text(encoding='utf-8')}"
)

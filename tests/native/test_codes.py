"""The numbers of the native engine's tables: the same for the compiler as for Python."""

from __future__ import annotations

import re
from pathlib import Path

from simulator.native import codes

ROOT = Path(codes.__file__).parent


def test_the_compiler_has_the_same_numbers() -> None:
    text = (ROOT / "codes.pxd").read_text(encoding="utf-8")
    known = {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", text)}
    assert known == {
        name: value for name, value in vars(codes).items() if name.isupper() and value is not None
    }
    assert all(abs(value) < 2**31 for value in known.values())  # an enum of C is an int


def test_what_a_module_imports_it_tells_the_compiler() -> None:
    for path in [*ROOT.glob("*.py"), *ROOT.glob("policies/*.py")]:
        if not path.with_suffix(".pxd").exists() or path.name == "codes.py":
            continue
        found = [
            re.findall(r"native\.codes c?import ([^(\n]+|\([^)]*\))", one.read_text("utf-8"))
            for one in (path, path.with_suffix(".pxd"))
        ]
        imported, told = (set(re.findall(r"\w+", " ".join(texts))) for texts in found)
        assert imported == told, path.name

"""Budgets of rooms: lines of code (no blank ones, comments, docstrings), modules, and imports.

And of the documentation: bytes of all pages.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project.test_imports import imports_in, module_names, statements, tree, within

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = tomllib.loads((Path(__file__).parent / "rooms.toml").read_text("utf-8"))
CPP = {".hpp", ".cpp"}
SOURCES = {".py", ".pyi", *CPP}
MOST_LINES = 400
SLACK = 0.1
"""A budget may be this much more than its room needs; a room that shrinks gives back the rest."""


class Mass(NamedTuple):
    """Lines of code and number of modules of a room."""

    lines: int
    modules: int


def code_lines(text: str, module: ast.Module | None = None) -> int:
    """Count the lines with code in them, of Python or C++; text that stands alone is none."""
    lines = [line.strip() for line in text.splitlines()]
    if module is None:
        return sum(bool(line) and not line.startswith("//") for line in lines)
    code = {number for number, line in enumerate(lines, 1) if line and not line.startswith("#")}
    others = {*range(1, len(lines) + 1)} - code
    for one in statements(module):
        reach = range(getattr(one, "lineno", 1), (getattr(one, "end_lineno", 0) or 0) + 1)
        match one:
            case ast.Expr(value=ast.Constant(value=str())):
                code.difference_update(reach)
            case ast.stmt() if not others.isdisjoint(reach) and not any(within(one)):
                code.update(*_long_texts(one))
    return len(code)


def _long_texts(one: ast.stmt) -> Iterator[range]:
    """Yield the lines of the texts in a statement: what looks like a comment is none there."""
    for node in ast.walk(one):
        match node:
            case ast.JoinedStr() | ast.Constant(value=str()):
                yield range(node.lineno, (node.end_lineno or 0) + 1)


def sources(folder: Path) -> Iterator[Path]:
    """Yield the sources of a room: those of the folder, or of ``simulator`` those in no room."""
    found = folder.glob("*") if folder.name == "simulator" else folder.rglob("*")
    yield from (path for path in found if path.suffix in SOURCES)


@cache
def mass(folder: Path) -> Mass:
    """Measure a room."""
    counts = [
        code_lines(path.read_text("utf-8"), None if path.suffix in CPP else tree(path))
        for path in sources(folder)
    ]
    return Mass(sum(counts), len(counts))


@pytest.mark.parametrize("room", BUDGETS["room"])
def test_a_room_keeps_to_its_budget(room: str) -> None:
    wanted, found = BUDGETS["room"][room], mass(ROOT / room)
    budget = Mass(wanted["lines"], wanted["modules"])
    hint = "make it smaller, or raise the budget in tests/project/rooms.toml and say why there"
    assert found.lines <= budget.lines, f"{found}: {hint}"
    assert found.modules <= budget.modules, f"{found}: {hint}"
    assert budget.lines <= found.lines * (1 + SLACK) + 20, f"{found}: give back what is too much"


@pytest.mark.parametrize("room", ["nwtsim", "simulator", "experiments", "tests"])
def test_a_module_has_400_lines_at_most(room: str) -> None:
    modules = (one for one in (ROOT / room).rglob("*") if one.suffix in {".py", ".hpp"})
    lines = {str(one): len(one.read_text("utf-8").splitlines()) for one in modules}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_every_folder_has_a_budget() -> None:
    rooms = {f"simulator/{one.name}" for one in (ROOT / "simulator").iterdir() if one.is_dir()}
    rooms -= {"simulator/__pycache__"}
    assert rooms | {"simulator", "nwtsim", "experiments", "benchmarks", "tests"} == {
        *BUDGETS["room"]
    }


def test_the_simulator_keeps_to_its_sum() -> None:
    rooms = [mass(ROOT / room).lines for room in BUDGETS["room"] if room.startswith("simulator")]
    assert sum(rooms) <= BUDGETS["sum"]["simulator"]


def test_the_documentation_keeps_to_its_budget() -> None:
    pages = sum(one.stat().st_size for one in (ROOT / "docs").rglob("*.md"))
    budget = BUDGETS["docs"]["bytes"]
    assert pages <= budget, f"{pages} bytes: shorten a page, or raise the budget and say why there"
    assert budget <= pages * (1 + SLACK), f"{pages} bytes: give back what is too much"


def test_a_room_imports_what_its_budget_says() -> None:
    names, found = module_names(), defaultdict[str, set[str]](set)
    for name, path in names.items():
        for one in imports_in(tree(path), name, names):
            if name != "simulator.__main__" and room_of(one.of) != room_of(name):
                found[room_of(name)].add(room_of(one.of).removeprefix("simulator/"))
    rooms = BUDGETS["room"].items()
    wanted = {room: set(budget["imports"]) for room, budget in rooms if "imports" in budget}
    assert {room: found[room] for room in wanted} == wanted


def room_of(module: str) -> str:
    """Return the folder of a module that has a budget."""
    room = "/".join(module.split(".")[:2])
    return room if room in BUDGETS["room"] else "simulator"


def test_what_counts_as_code() -> None:
    text = '"""Doc\nx."""\n\nx = """a\n\n# b"""  # s\n# said\ndef f():\n    "Doc."\n    return x\n'
    assert code_lines(text, ast.parse(text)) == 5
    text = (
        'try:\n    f()\n    # so\nfinally:\n    "Of"\n    x = (\n        # nor\n        1\n    )\n'
    )
    assert code_lines(text, ast.parse(text)) == 6
    assert code_lines("// words\n\nint x; // one\n  // two\n}\n") == 2

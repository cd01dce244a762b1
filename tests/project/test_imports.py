"""Imports go downwards, from the commands to the units, and never in a circle."""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

ROOMS = (
    "cli __main__",
    "play",
    "report",
    "sizing",
    "study",
    "replay",
    "answers",
    "prepared",
    "run cost saturation unused warmup",
    "inputs",
    "kinds.*.section kinds.phases",
    "config",
    "reference kinds.*.reference native",
    "verification",
    "result",
    "plan kinds.parts.*.spec",
    "workload runtime kinds.runtimes",
    "kinds",
    "traces measure base",
)
"""From top to bottom, by the beginnings of names of modules; what has none of these is in the last.
Rooms of one line may import each other, but not in a circle of modules."""

ALONE = ("traces", "measure")
"""Rooms that could be packages of their own."""
HELPERS = {
    *("children", "errors", "extras", "host", "inputfile", "libc", "output", "processors"),
    *("progress", "rowloops", "stopping", "units", "wording"),
}
"""What these may import beside their own modules; helpers import helpers only."""

UPWARDS: set[tuple[str, str]] = set()
"""Arrows that go upwards today. Take out what you put right; add nothing."""
CIRCLES: set[frozenset[str]] = set()
"""Circles of imports inside of functions. Take out what you put right; add nothing."""


BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


@cache
def tree(path: Path) -> ast.Module:
    """A module as it is parsed: once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"))


def within(node: ast.AST) -> Iterator[ast.AST]:
    """The statements (and ``except`` and ``case``) that stand right in one."""
    for name in BODIES:
        yield from getattr(node, name, ())


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements of a module: no expression holds one, and most of a module is those."""
    for child in within(node):
        yield child
        yield from statements(child)


class Import(NamedTuple):
    """One module of ours imported by another."""

    by: str
    of: str
    when: str
    """``loading`` at module level, ``running`` in a function, ``typing`` for annotations only."""


class Everything:
    """All names of modules."""

    def __contains__(self, name):
        return True


def module_names():
    """Return the modules, of those that are compiled their descriptions, by their names."""
    names = {}
    for path in (ROOT / "simulator").rglob("*.py*"):
        if path.suffix not in {".py", ".pyi"}:
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imports_in(module, by, names):
    """Yield what a module imports, wherever in it."""

    def walk(node, when):
        for child in within(node):
            inside = when
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                inside = "typing"
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = "running"
            if isinstance(child, ast.Import):
                found = [one.name for one in child.names]
            elif isinstance(child, ast.ImportFrom):
                assert not child.level, f"{by}: a relative import"
                whole = [f"{child.module}.{one.name}" for one in child.names]
                found = [name if name in names else str(child.module) for name in whole]
            else:
                found = []
            yield from (Import(by, of, inside) for of in found if of in names)
            yield from walk(child, inside)

    return walk(module, "loading")


def room_of(module):
    """The number of a module's room from the top."""
    name = module.partition(".")[2]
    for number, room in enumerate(ROOMS):
        if any(fnmatch(name, one) or fnmatch(name, f"{one}.*") for one in room.split()):
            return number
    return len(ROOMS) - 1


def circles_in(edges):
    """The strongly connected groups of two or more modules (Tarjan)."""
    found, index, low, path, on_path = [], {}, {}, [], set()

    def visit(module):
        index[module] = low[module] = len(index)
        path.append(module)
        on_path.add(module)
        for other in edges.get(module, ()):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in on_path:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            group = set(path[path.index(module) :])
            del path[path.index(module) :]
            on_path.difference_update(group)
            if len(group) > 1:
                found.append(frozenset(group))

    for module in edges:
        if module not in index:
            visit(module)
    return set(found)


def graph(imports, *when):
    edges = {}
    for one in imports:
        if one.when in when and one.by != one.of:
            edges.setdefault(one.by, []).append(one.of)
    return edges


@pytest.fixture(scope="module")
def imports():
    names = module_names()
    return [one for name, path in names.items() for one in imports_in(tree(path), name, names)]


STUDIES = {"nwt", "sr8000", "orion", "ninf"}


def test_no_module_outside_of_the_studies_is_named_for_one():
    """But for runtimes, whose names are those that workload files say."""
    names = [name for name in module_names() if not name.startswith("simulator.kinds.runtimes.")]
    words = {name: set(name.replace(".", "_").split("_")) for name in names}
    named = [name for name, parts in words.items() if parts & STUDIES and "study" not in parts]
    assert named == []


def test_traces_and_measure_stand_alone(imports):
    """Their interfaces are a store of calls, and a machine file: no plan, no kind, no engine."""

    def part(module):
        return [*module.split("."), ""][1]  # That of the package itself is its version.

    found = {
        (one.by, one.of)
        for one in imports
        if part(one.by) in {*ALONE, *HELPERS}
        and part(one.of) not in {"", *HELPERS, *({part(one.by)} & {*ALONE})}
    }
    assert found == set(), "these need more of the simulator than text, units and files"


def test_every_folder_is_a_room():
    folders = {
        name.split(".")[1]
        for name, path in module_names().items()
        if "." in name and path.parent != ROOT / "simulator"
    }
    assert folders <= {one.partition(".")[0] for one in " ".join(ROOMS).split()}


def test_imports_go_downwards(imports):
    upwards = {(one.by, one.of) for one in imports if room_of(one.of) < room_of(one.by)}
    assert upwards - UPWARDS == set(), "these imports go upwards"
    assert UPWARDS - upwards == set(), "these are put right: take them out of UPWARDS"


def test_no_experiment_is_imported_with_the_package():
    """Studies, and what validates, are imported when they are asked for."""

    found = [
        (one.by, one.of)
        for name, path in module_names().items()
        for one in imports_in(tree(path), name, Everything())
        if one.when == "loading" and "experiments" in one.of.split(".")[:2]
    ]
    assert found == []


def test_the_python_api_imports_no_command():
    """But for ``nwtsim.command``, which runs a command as a terminal would."""
    found = {
        path.name
        for path in (ROOT / "nwtsim").rglob("*.py")
        for one in imports_in(tree(path), path.stem, Everything())
        if one.of.startswith(("simulator.cli", "simulator.__main__"))
    }
    assert found == {"commands.py"}


def test_no_circle_of_imports(imports):
    assert circles_in(graph(imports, "loading")) == set()
    circles = circles_in(graph(imports, "loading", "running"))
    assert circles - CIRCLES == set(), "these modules import each other"
    assert CIRCLES - circles == set(), "these are put right: take them out of CIRCLES"


def test_what_is_found():
    """On a house with an arrow up in a function, one for types only, and a circle."""
    names = {f"simulator.{name}": None for name in ("cli.a", "report.b", "study.c", "units")}
    texts = {
        "simulator.report.b": "from simulator.study import c\nimport simulator.units",
        "simulator.study.c": (
            "if TYPE_CHECKING:\n    from simulator.cli.a import A\n"
            "def f():\n    from simulator.report.b import x\n"
        ),
    }
    found = [one for by, text in texts.items() for one in imports_in(ast.parse(text), by, names)]
    assert [tuple(one) for one in found] == [
        ("simulator.report.b", "simulator.study.c", "loading"),
        ("simulator.report.b", "simulator.units", "loading"),
        ("simulator.study.c", "simulator.cli.a", "typing"),
        ("simulator.study.c", "simulator.report.b", "running"),
    ]
    assert [one.of for one in found if room_of(one.of) < room_of(one.by)] == [
        "simulator.cli.a",
        "simulator.report.b",
    ]
    assert circles_in(graph(found, "loading")) == set()
    assert circles_in(graph(found, "loading", "running")) == {
        frozenset({"simulator.report.b", "simulator.study.c"})
    }

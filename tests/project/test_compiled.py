from __future__ import annotations

import ast
import runpy
from pathlib import Path

from simulator.compiled import ENGINE, MERGED, TRACES
from simulator.native import build_of, native_build

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "simulator" / "compiled.py"


def source_of(module: str) -> Path:
    return ROOT / (module.replace(".", "/") + ".py")


def test_every_listed_module_is_a_file_and_listed_once():
    listed = [*ENGINE, *TRACES]
    assert len(listed) == len(set(listed))
    assert all(source_of(name).is_file() for name in listed)


def test_every_module_of_the_engine_with_types_for_the_compiler_is_listed():
    typed = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "simulator").rglob("*.pxd")
    }
    merged = {part for parts in MERGED.values() for part in parts}
    listed = set(ENGINE) | merged
    in_c = {"simulator.measure.entry"}  # a function of C, and the same for where it is interpreted
    assert {name for name in typed if ".traces." not in name} <= listed | in_c


def test_what_is_merged_is_used_by_the_name_of_the_whole():
    """Who imported a part of it would get a class of its own, which is not compiled."""
    assert set(MERGED) <= {*ENGINE, *TRACES}
    for whole, parts in MERGED.items():
        assert parts[-1] == whole
        others = set(parts) - {whole}
        for path in (ROOT / "simulator").rglob("*.py"):
            if ".".join(path.relative_to(ROOT).with_suffix("").parts) not in parts:
                assert not imported_by(path) & others, path


def test_a_merged_module_imports_only_those_before_it():
    for parts in MERGED.values():
        for number, name in enumerate(parts):
            assert not imported_by(source_of(name)) & set(parts[number:]), name


def imported_by(path: Path) -> set[str]:
    """The modules that a file imports, and the names that may be modules."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{one.name}" for one in node.names)}
    return found


def test_the_groups_are_apart():
    assert all(name.startswith("simulator.traces.") for name in TRACES)
    assert not any(name.startswith("simulator.traces.") for name in ENGINE)


def test_the_lists_can_be_read_without_the_package():
    tree = ast.parse(LISTS.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in found] == ["from pathlib import Path"]
    assert runpy.run_path(str(LISTS))["ENGINE"] == ENGINE


def test_the_build_of_the_engine_counts_all_of_its_modules():
    found = {name: build_of((name,)) for name in ENGINE}
    expected = set(found.values())
    assert expected <= {"compiled", "interpreted"}
    if len(expected) == 1:
        assert {native_build()} == expected
    else:
        compiled = list(found.values()).count("compiled")
        assert native_build() == f"partly compiled: {compiled} of {len(ENGINE)}"


def test_a_build_can_be_partial():
    plain = "simulator.units"
    mixed = build_of((plain, "_ctypes"))
    assert mixed == "partly compiled: 1 of 2"
    assert build_of((plain,)) == "interpreted"
    assert build_of(("_ctypes",)) == "compiled"

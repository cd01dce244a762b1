"""Several modules made one for the compiler: what is taken out, and what is renamed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simulator.merging import functions, merge

FILES = {
    "pack/first.py": '''
"""The first."""

from __future__ import annotations

from array import array

LIMIT = 3
ONE, MORE = 1, 2


class Base:
    """One that a class of another module is made of."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def add(self) -> int:
        return self.limit


def pick(cells: array[int]) -> int:
    """The first cell."""
    pick_of = cells[0]
    return pick_of + LIMIT
''',
    "pack/second.py": '''
"""The second."""

from __future__ import annotations

from array import array

from pack.first import ONE, Base

try:
    import cython
except ImportError:
    cython = None

LIMIT = 40


class Thing(Base):
    """It has more than its base."""

    def __init__(self) -> None:
        super().__init__(500)
        self.cells = array("q", [100])

    def add_all(self) -> int:
        return self.add() + LIMIT + ONE
''',
    "pack/whole.py": '''
"""The whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pack import first
from pack.second import Thing

if TYPE_CHECKING:
    from pathlib import Path


def pick(thing: Thing) -> int:
    """All of it."""
    return thing.add_all() + first.pick(thing.cells) + first.MORE
''',
}
PXD = {
    "pack/first.pxd": """cimport cython
from libc.stdint cimport int64_t, uint64_t

cdef int64_t LIMIT

cdef class Base:
    cdef public int64_t limit
    cdef int64_t add(self)

cpdef int64_t pick(int64_t[::1] cells)
""",
    "pack/second.pxd": """from libc.stdint cimport int64_t
from pack.first cimport (
    ONE,
)

cdef int64_t LIMIT

@cython.final
cdef class Thing(Base):
    cdef public int64_t[::1] cells
""",
    "pack/whole.pxd": """from libc.stdint cimport int64_t
from pack cimport first
from pack.second cimport Thing

cpdef int64_t pick(Thing thing)
""",
}


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    for name, text in (FILES | PXD).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.lstrip())
    return merge(("pack.first", "pack.second", "pack.whole"), tmp_path, tmp_path / "made")


def test_it_does_what_its_parts_do_together(merged: Path, tmp_path: Path) -> None:
    says = "import sys; sys.path.insert(0, sys.argv[1]); from pack.whole import Thing, pick; "
    says += "print(pick(Thing()), 'pack.first' in sys.modules)"
    of_parts, of_all = (
        subprocess.run(
            [sys.executable, "-c", says, folder], capture_output=True, text=True, check=True
        ).stdout.split()
        for folder in (tmp_path, tmp_path / "made")
    )
    assert of_parts == ["646", "True"]
    assert of_all == ["646", "False"]
    assert merged == tmp_path / "made" / "pack" / "whole.py"


def test_names_of_two_modules_are_told_apart_for_the_compiler_too(merged: Path) -> None:
    declared = merged.with_suffix(".pxd").read_text()
    assert [line for line in declared.splitlines() if line] == [
        "cimport cython",
        "from libc.stdint cimport int64_t",
        "from libc.stdint cimport uint64_t",
        "cdef int64_t first_LIMIT",
        "@cython.final",
        "cdef class Thing:",
        "    cdef public int64_t limit",
        "    cdef int64_t add(self)",
        "    cdef public int64_t[::1] cells",
        "cpdef int64_t first_pick(int64_t[::1] cells)",
        "cdef int64_t second_LIMIT",
        "cpdef int64_t pick(Thing thing)",
    ]


def test_a_file_that_is_as_before_is_left_alone(merged: Path, tmp_path: Path) -> None:
    before = merged.stat().st_mtime_ns
    merge(("pack.first", "pack.second", "pack.whole"), tmp_path, tmp_path / "made")
    assert merged.stat().st_mtime_ns == before


@pytest.mark.usefixtures("merged")
def test_a_method_of_a_name_that_two_modules_define_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pack" / "second.py"
    path.write_text(path.read_text().replace("def add_all(self)", "def LIMIT(self)"))
    with pytest.raises(ValueError, match="second: LIMIT is two things"):
        merge(("pack.first", "pack.second", "pack.whole"), tmp_path, tmp_path / "made")


CLASSES = {
    "pack/base.py": """
class Base:
    def __init__(self) -> None:
        self.found = 1


class Rule:
    def of(self) -> int:
        return 0
""",
    "pack/rules.py": """
from pack.base import Base, Rule


class Least(Rule):
    def of(self) -> int:
        return 1


class Most(Rule):
    def of(self) -> int:
        return 2


class Wide(Base):
    def __init__(self, found: int) -> None:
        super().__init__()
        self.found += found
""",
    "pack/all.py": """
from pack.rules import Least, Most, Wide
""",
    "pack/base.pxd": """
cdef class Base:
    cdef public Rule rule

cdef class Rule:
    cdef int of(self)
""",
    "pack/rules.pxd": """
cdef class Least(Rule):
    cdef int of(self)

cdef class Most(Rule):
    cdef int of(self)

cdef class Wide(Base):
    cdef public int found
""",
    "pack/all.pxd": "",
}


def test_classes_that_define_a_method_again_keep_their_base(tmp_path: Path) -> None:
    for name, text in CLASSES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.lstrip())
    made = merge(("pack.base", "pack.rules", "pack.all"), tmp_path, tmp_path / "made")
    says = "import sys; sys.path.insert(0, sys.argv[1]); from pack.all import Least, Most, Wide; "
    says += "print(Wide(4).found, Least().of(), Most().of(), Wide.__mro__[1].__name__)"
    ran = subprocess.run(
        [sys.executable, "-c", says, tmp_path / "made"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "5 1 2 object\n"  # Wide is one with its base
    declared = made.with_suffix(".pxd").read_text()
    assert declared.index("cdef class Rule\n") < declared.index("cdef class Wide:\n")


def test_functions_are_declared_as_they_are_annotated(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        "from pack.table import Table\nfrom pack.codes import READ, words\n"
        "_FIRST, _NEXT = 1, 2\nLONG = 2**40\n"
        "def go(table: Table, row: int) -> int:\n    at = row + READ\n    return at\n"
        "def end(table: Table, row: int) -> None:\n    table.clear(row)\n"
    )
    assert functions(path) == (
        "cimport cython\nfrom libc.stdint cimport int64_t\nfrom pack.table cimport Table\n"
        "cdef int64_t READ, _FIRST, _NEXT\n"
        "@cython.locals(at=int64_t)\n"
        "cdef int64_t go(Table table, int64_t row) noexcept nogil\n"
        "cdef void end(Table table, int64_t row) noexcept nogil\n"
    )

"""What the compiler is told of the reader of traces: made from its modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.compiled import MERGED, NUMBERS, TRACES
from simulator.declaring import OBJECT, World, prepared

FILES = {
    "pack/codes.py": "LARGE = 2**40\nLEAST = -(2**63)\nA, B = range(2)\nwords = ('A', 'B')\n",
    "pack/search.py": "def find(data, byte): ...\n",
    "pack/search.pxd": "cdef inline int64_t find(Bytes data, int byte) noexcept nogil:\n",
    "pack/text.py": """
from pack.arrays import Bytes
from pack.codes import *
from pack.search import find

HEAD, FIRST = b"head", 1 << 4


class Text:
    def __init__(self, data: Bytes) -> None:
        self.data = data
        self.at = FIRST
        self.marks = array("q", [0]) * FIRST

    def number(self, byte: int) -> int:
        at = find(self.data, byte)
        if at < 0:
            return LEAST
        self.marks[at] = self.at
        return at

    def hold(self, data: Bytes) -> None:
        self.data = data

    def text(self) -> str:
        return bytes(self.data).decode()
""",
    "pack/reader.py": """
from pack.text import Text
from simulator.native.interpreted import cython


class Reader:
    def __init__(self, text: Text) -> None:
        self.text = text
        self.count = 0

    def again(self, byte: int) -> int:
        found = self.text.number(byte)
        while found >= 0:
            found = self.text.number(found)
        return found

    def read(self, words: list[bytes]) -> None:
        for word in words:
            self.text.hold(word)

    def latest(self) -> list[int]:
        return sorted(range(self.count), key=lambda k: -k)


def run(reader: Reader) -> int:
    with cython.nogil:
        count = reader.again(1)
    return count
""",
}
HEAD = "cimport cython\nfrom libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("declaring")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    found = prepared(("pack.text", "pack.reader"), ("pack.codes",), root)
    return {path.as_posix(): text for path, text in found.items()}


def test_numbers_are_constants_of_c(made: dict[str, str]) -> None:
    assert made["pack/codes.pxd"] == (
        "from libc.stdint cimport int64_t\n"
        "cdef enum:\n    A = 0\n    B = 1\n"
        'cdef extern from *:\n    """\n    #define own_LARGE 1099511627776LL\n'
        '    #define own_LEAST (-9223372036854775807LL - 1)\n    """\n'
        '    int64_t LARGE "own_LARGE"\n    int64_t LEAST "own_LEAST"\n'
    )


def test_a_class_has_the_types_that_it_says_and_what_cannot_fail_needs_no_lock(
    made: dict[str, str],
) -> None:
    assert made["pack/text.pxd"] == (
        f"{HEAD}from pack.codes cimport *\nfrom pack.search cimport find\n"
        "cdef const uint8_t[::1] HEAD\ncdef int64_t FIRST\n\n\n"
        "@cython.final\ncdef class Text:\n"
        "    cdef public const uint8_t[::1] data\n"
        "    cdef public int64_t at\n"
        "    cdef public int64_t[::1] marks\n"
        "    @cython.locals(at=int64_t)\n"
        "    cpdef int64_t number(self, int64_t byte) noexcept nogil\n"
        "    cpdef int64_t hold(self, const uint8_t[::1] data) except? -9\n"
    )


def test_a_module_knows_the_classes_of_others_and_closures_are_not_called_from_python(
    made: dict[str, str],
) -> None:
    assert made["pack/reader.pxd"] == (
        f"{HEAD}from pack.text cimport Text\n\n\n"
        "@cython.final\ncdef class Reader:\n"
        "    cdef public Text text\n"
        "    cdef public int64_t count\n"
        "    @cython.locals(found=int64_t)\n"
        "    cpdef int64_t again(self, int64_t byte) noexcept nogil\n"
        "    cpdef int64_t read(self, list words) except? -9\n"
        "    cdef list latest(self)\n"
        "@cython.locals(count=int64_t)\n"
        "cpdef int64_t run(Reader reader) except? -9\n"
    )


def test_a_class_has_what_its_base_has_which_is_not_final(tmp_path: Path) -> None:
    (tmp_path / "text.py").write_text(
        "class Text:\n"
        "    def __init__(self) -> None:\n"
        "        self.at = 0\n\n"
        "    def place(self) -> int:\n"
        "        return self.at\n"
    )
    (tmp_path / "line.py").write_text(
        "from text import Text\n\n\n"
        "class Line(Text):\n"
        "    def __init__(self) -> None:\n"
        "        super().__init__()\n"
        "        self.at = 2\n"
        "        self.start = self.at\n\n"
        "    def behind(self) -> int:\n"
        "        return self.place() - self.start\n"
    )
    made = prepared(("text", "line"), (), tmp_path)
    assert made[Path("text.pxd")] == (
        f"{HEAD}\n\ncdef class Text:\n"
        "    cdef public int64_t at\n"
        "    cpdef int64_t place(self) noexcept nogil\n"
    )
    assert made[Path("line.pxd")] == (
        f"{HEAD}from text cimport Text\n\n\n@cython.final\ncdef class Line(Text):\n"
        "    cdef public int64_t start\n"
        "    cpdef int64_t behind(self) noexcept nogil\n"
    )


def test_what_is_compiled_does_not_import_what_c_has(made: dict[str, str]) -> None:
    lines = made["pack/text.py"].splitlines()
    assert lines[:5] == ["", "from pack.arrays import Bytes", "", "", ""]
    assert len(lines) == len(FILES["pack/text.py"].splitlines())
    assert "\nimport cython\n" in made["pack/reader.py"]


def test_the_reader_has_hardly_an_object_of_python(root: Path) -> None:
    """An annotation that is forgotten would make it slow, and nothing else would show it."""
    world = World(MERGED[TRACES[0]], NUMBERS, root)
    objects = {
        f"{owner}.{name}"
        for owner, types in world.attributes.items()
        for name, kind in types.maps[0].items()
        if kind == OBJECT
    }
    assert objects == {"Located.links", "Names.store"}
    methods = [one for own in world.classes.values() for one in own.maps[0].values()]
    assert sum(one.is_safe for one in methods) > 110

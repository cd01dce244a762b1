"""Functions of the C library, called by ctypes, or by address in a row.

Python's own functions create objects for their results (names, attributes, times), which may take
longer than the call. Here a call takes its time in C plus the interpreter's overhead, which can be
measured with the same call and arguments that refer to no file. ``rowloops.cpp`` has the loops in
C++, where the interpreter does not run between two calls: its use of the processor's caches would
double the time of a call of half a microsecond.
"""

from __future__ import annotations

import ctypes
import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

Returned = Callable[[int], int]
AT_FDCWD = -100
NO_FILE = -1
"""An invalid descriptor: a call with it returns at once."""
BASIC = 0x7FF
"""Attributes returned by ``stat``, for statx."""
ABOUT = 256
"""Bytes of the attributes."""
_ENTRIES = 32 << 10

_FILE, _TEXT, _MODE, _SIZE = ctypes.c_int, ctypes.c_char_p, ctypes.c_uint, ctypes.c_size_t
_ANY, _PLACE = ctypes.c_void_p, ctypes.c_int64
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "pread64": (_FILE, _ANY, _SIZE, _PLACE),
    "pwrite64": (_FILE, _ANY, _SIZE, _PLACE),
    "write": (_FILE, _ANY, _SIZE),
    "open64": (_TEXT, _FILE, _MODE),
    "close": (_FILE,),
    "access": (_TEXT, _FILE),
    "statx": (_FILE, _TEXT, _FILE, _MODE, _ANY),
    "chmod": (_TEXT, _MODE),
    "truncate": (_TEXT, ctypes.c_long),
    "rename": (_TEXT, _TEXT),
    "unlink": (_TEXT,),
    "mkdir": (_TEXT, _MODE),
    "rmdir": (_TEXT,),
    "getdents64": (_FILE, _ANY, _SIZE),
    "lseek64": (_FILE, _PLACE, _FILE),
    "getppid": (),
    "getpagesize": (),
    "memcpy": (_ANY, _ANY, _SIZE),
}
WIDE = {"pread64", "pwrite64", "write", "getdents64", "lseek64", "memcpy"}
"""Functions with a 64-bit result."""
_OTHER_NAME = {"pread64": "pread", "pwrite64": "pwrite", "open64": "open", "lseek64": "lseek"}
"""Names in a C library whose files are always large (musl)."""


@cache
def function(name: str) -> Callable[..., int]:
    """Return a function of the C library; OSError if it has none of that name."""
    library = ctypes.CDLL(None, use_errno=True)
    found = getattr(library, name, None) or getattr(library, _OTHER_NAME.get(name, ""), None)
    if found is None:
        raise OSError(f"the C library of this system has no {name}")
    found.argtypes = _ARGUMENTS[name]
    found.restype = ctypes.c_int64 if name in WIDE else ctypes.c_int
    return found  # type: ignore[no-any-return]


def need(returned: int) -> int:
    """Return the result of a call; OSError if it failed."""
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return returned


def buffer_of(memory: Any) -> Any:
    """Return the bytes of a writable object as an argument of calls."""
    return (ctypes.c_char * len(memory)).from_buffer(memory)


def passed(returned: int) -> int:
    """Return the result of a call, failed or not; it takes as long as :func:`need`."""
    if returned < 0:
        return returned
    return returned


def again(name: str, row: Sequence[int]) -> int:
    """Repeat a call with numbers and addresses; return its result, OSError if it fails."""
    kind = ctypes.c_int64 if name in WIDE else ctypes.c_int
    call = ctypes.CFUNCTYPE(kind, *(ctypes.c_int64,) * len(row), use_errno=True)
    return need(call(address_of(function(name)))(*row))


def address_of(function: Any) -> int:
    """Return the address of a function or of a ctypes buffer."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def name_at(name: bytes) -> int:
    """Return the address of the text of a name, valid as long as the name exists."""
    return address_of(ctypes.c_char_p(name))


def listing(folder: bytes) -> tuple[int, Callable[[], int]]:
    """Open a folder; return its descriptor and its listing calls: two to list, one to rewind."""
    descriptor = os.open(folder, os.O_RDONLY)
    entries, again = function("getdents64"), function("lseek64")
    into = ctypes.create_string_buffer(_ENTRIES)

    def every() -> int:
        while need(entries(descriptor, into, _ENTRIES)):
            pass
        return need(again(descriptor, 0, os.SEEK_SET))

    return descriptor, every


def no_listing() -> Callable[[], int]:
    """Return the calls of :func:`listing` without a folder."""
    entries, again = function("getdents64"), function("lseek64")
    into = ctypes.create_string_buffer(_ENTRIES)

    def every() -> int:
        for _ in range(2):
            passed(entries(NO_FILE, into, _ENTRIES))
        return passed(again(NO_FILE, 0, os.SEEK_SET))

    return every


ARGUMENTS = 5
"""Number of arguments of each call by address; functions with fewer ignore the others."""


def table(rows: Iterable[Sequence[int]]) -> array[int]:
    """Return the arguments of calls, a row each, as the loops below take them."""
    return array("q", (one for row in rows for one in (*row, *(0,) * (ARGUMENTS - len(row)))))


def called(function: int, wide: bool, rows: array[int], row: int) -> int:
    """Call a function with the arguments of a row; ``wide``: its result has 64 bits, else 32."""
    return _at(function, wide, *rows[ARGUMENTS * row : ARGUMENTS * (row + 1)])


def _at(function: int, wide: bool, *arguments: int) -> int:
    result: int = _function(function, wide)(*arguments)
    return result


@cache
def _function(address: int, wide: bool) -> Any:
    kind = ctypes.c_int64 if wide else ctypes.c_int
    return ctypes.CFUNCTYPE(kind, *(ctypes.c_int64,) * ARGUMENTS)(address)


def in_turn(function: int, wide: bool, rows: array[int], first: int, last: int) -> int:
    """Make the calls of some rows; return the row of the first failure, or ``last``."""
    for row in range(first, last):
        if called(function, wide, rows, row) < 0:
            return row
    return last


def regardless(function: int, wide: bool, rows: array[int], first: int, last: int) -> int:
    """Make the calls of some rows, failed or not; return ``last``."""
    for row in range(first, last):
        called(function, wide, rows, row)
    return last


def opened(opens: int, closes: int, rows: array[int], first: int, last: int) -> int:
    """Open and close the file of each row; return the row of the first failure, or ``last``."""
    for row in range(first, last):
        at = ARGUMENTS * row
        file = _at(opens, False, *rows[at : at + 3], 0, 0)
        if file < 0 or _at(closes, False, file, 0, 0, 0, 0) < 0:
            return row
    return last

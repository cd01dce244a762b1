"""A call of a function of the C library by its address, for when nothing is compiled.

Arguments and results are whole numbers, which addresses are, too.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

ARGUMENTS = 5
"""Of each call; functions that take less do not look at the others."""


def called(function: int, wide: bool, a: int, b: int, c: int, d: int, e: int) -> int:
    """Call a function; ``wide``: its result has 64 bits, else 32."""
    result: int = _function(function, wide)(a, b, c, d, e)
    return result


@cache
def _function(address: int, wide: bool) -> Any:
    kind = ctypes.c_int64 if wide else ctypes.c_int
    return ctypes.CFUNCTYPE(kind, *(ctypes.c_int64,) * ARGUMENTS)(address)

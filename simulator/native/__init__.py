"""The native engine: carries out any plan; its kernel is C++, compiled where there is a compiler.

``kernel.hpp`` explains the kernel. Python makes the columns that it takes (columns.py) and a result
of its tables (outcome.py).
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from simulator.errors import RefusedError

if TYPE_CHECKING:
    from simulator.native.columns import ColumnCache

KERNEL = "simulator.native.kernel"


@cache
def has_kernel() -> bool:
    """Return whether the kernel is compiled here. It is found, but not imported."""
    return find_spec(KERNEL) is not None


def require_kernel() -> None:
    """Raise RefusedError where the kernel is not compiled."""
    if not has_kernel():
        raise RefusedError(
            "the native engine is not compiled here: install nwtsim from a wheel, or a C++ "
            "compiler (Debian: g++) and then run 'make setup' in a checkout"
        )


def known_if_any() -> ColumnCache | None:
    """Return what remembers the columns of a plan, or None where the kernel is not compiled."""
    if not has_kernel():
        return None
    from simulator.native.columns import ColumnCache

    return ColumnCache()

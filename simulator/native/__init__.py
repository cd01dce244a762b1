"""The native engine, which runs any plan: a C++ kernel, compiled where a compiler is available.

``kernel.hpp`` explains the kernel. Python converts a plan to the kernel's input columns
(columns.py) and its output tables to a result (outcome.py).
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
    """Return whether the kernel is compiled here, without importing it."""
    return find_spec(KERNEL) is not None


def require_kernel() -> None:
    """Raise RefusedError if the kernel is not compiled."""
    if not has_kernel():
        raise RefusedError(
            "the native engine is not compiled here: install nwtsim from a wheel, or a C++ "
            "compiler (Debian: g++) and then run 'make setup' in a checkout"
        )


def column_cache() -> ColumnCache | None:
    """Return a cache for the columns of plans, or None if the kernel is not compiled."""
    if not has_kernel():
        return None
    from simulator.native.columns import ColumnCache

    return ColumnCache()

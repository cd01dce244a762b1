"""Numerical problems that a client can give to a server: operations and bytes of one call.

The formulas are those of the Ninf paper (its slide "Benchmarks").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Problem(Protocol):
    """What one call computes and moves."""

    @property
    def kind(self) -> str:
        """Its name."""
        ...

    @property
    def operations(self) -> int:
        """Operations that count for its performance."""
        ...

    @property
    def bytes_in(self) -> int:
        """Bytes from the client to the server."""
        ...

    @property
    def bytes_out(self) -> int:
        """Bytes back."""
        ...

    @property
    def length(self) -> int:
        """Length of its vectors, which decides how near it comes to a machine's full speed."""
        ...


@dataclass(frozen=True, slots=True)
class Linpack:
    """Solve ``n`` linear equations: 2/3 n^3 + 2 n^2 operations, 8 n^2 + 20 n bytes.

    The matrix and the right side go in (8 n^2 + 8 n), the solution and the pivots come
    back (8 n + 4 n).

    >>> Linpack(1000).operations, Linpack(1000).bytes_in + Linpack(1000).bytes_out
    (668666667, 8020000)
    """

    n: int
    kind = "linpack"

    @property
    def operations(self) -> int:
        """2/3 n^3 + 2 n^2, to the nearest."""
        return (2 * self.n**3 + 6 * self.n**2 + 1) // 3

    @property
    def bytes_in(self) -> int:
        """Matrix and right side."""
        return 8 * self.n**2 + 8 * self.n

    @property
    def bytes_out(self) -> int:
        """Solution and pivots."""
        return 12 * self.n

    @property
    def length(self) -> int:
        """A column."""
        return self.n


@dataclass(frozen=True, slots=True)
class EmbarrassinglyParallel:
    """EP of the NAS benchmarks: 2^(n + 1) operations, and hardly a byte.

    >>> EmbarrassinglyParallel(24).operations
    33554432
    """

    n: int
    kind = "ep"
    bytes_in = 64
    bytes_out = 256

    @property
    def operations(self) -> int:
        """Random numbers: 2^(n + 1)."""
        return 1 << (self.n + 1)

    @property
    def length(self) -> int:
        """One for all: its vectors are as long as the program likes."""
        return self.operations


PROBLEMS: dict[str, Callable[[int], Problem]] = {"linpack": Linpack, "ep": EmbarrassinglyParallel}

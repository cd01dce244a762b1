"""Computing of a program's own libraries for its calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.runtime.operations import CREATE, LOOKUP, OPEN, PLAIN, READ, SEEK, STAT, WRITE

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]


class LibraryCosts(NamedTuple):
    """What a program computes for its calls, beside the system's part of them; ns."""

    call: int = 0
    """For a read, a write or a seek."""
    open: int = 0
    """To open a file and to close it again."""
    stat: int = 0
    """To ask for a file's status, or to look for a name."""
    page: int = 0
    """To touch a page of memory first, where a program keeps what it has read."""
    far: int = 0
    """To read a page of memory that no cache of a processor has;"""
    search: float = 1.0
    """how often that counts for a page that the library keeps, and searches each time."""
    turn: int = 0
    """A turn of a loop: it stays where what it made goes."""
    only: bool = False
    """Whether it computes for its calls alone, as a program that copies does."""


FREE = LibraryCosts()
_COLUMN = {READ: 0, WRITE: 0, SEEK: 0, OPEN: 1, CREATE: 1, STAT: 2, LOOKUP: 2}


def library_ns(kind: Numbers, clients: Sequence[LibraryCosts], client: Numbers) -> Numbers:
    """Return what the libraries of its client compute for each row; a close's is its open's."""
    import numpy as np

    costs = np.array([(*one[:3], 0) for one in clients] or [(0, 0, 0, 0)], np.int64)
    column = np.array([_COLUMN.get(one, 3) for one in range(PLAIN + 1)])
    found: Numbers = costs[client, column[kind & PLAIN]]
    return found

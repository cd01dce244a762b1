"""Calls gathered in a buffer, as a library with a larger one would make them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.workload.traced import with_buffers

if TYPE_CHECKING:
    from simulator.workload.traced import Traced


@dataclass(frozen=True, slots=True)
class Buffer:
    """Buffers of some files, each client its own; other files are left as they are.

    What is in a buffer is written before a sync or close of the file, before the client makes
    or awaits another one, and at its end.
    """

    sizes: Mapping[int, int]
    """Number of the file -> bytes of the buffer."""

    def __call__(self, traced: Traced) -> Traced:
        """Return the program with these buffers."""
        sizes = array("q", [self.sizes.get(number, 0) for number in range(len(traced.files))])
        return with_buffers(traced, sizes)[0]

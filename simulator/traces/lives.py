"""From when to when each process of a trace made calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Numbers = np.ndarray[Any, Any]


class Lives:
    """First and last calls of processes, by the process's number."""

    def __init__(self) -> None:
        self.first = np.zeros(0, np.int64)
        """When each process made its first call, and ended its last; ns."""
        self.last = np.zeros(0, np.int64)
        self.called = np.zeros(0, np.int64)
        """When each made its last call."""
        self.pid = np.zeros(0, np.int64)

    def take(self, process: Numbers, begin: Numbers, end: Numbers, pid: Numbers) -> None:
        """Lengthen the lives of the processes of a batch."""
        count = int(process.max()) + 1
        if count > len(self.first):
            more = count - len(self.first)
            self.first = np.append(self.first, np.full(more, 2**62))
            self.last = np.append(self.last, np.full(more, -(2**62)))
            self.called = np.append(self.called, np.full(more, -(2**62)))
            self.pid = np.append(self.pid, np.full(more, -1))
        np.minimum.at(self.first, process, begin)
        np.maximum.at(self.last, process, end)
        np.maximum.at(self.called, process, begin)
        self.pid[process] = pid

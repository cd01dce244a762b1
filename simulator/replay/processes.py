"""Processes of a trace: when they made calls, and the language of the program that each runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simulator.plan.codes import OPEN
from simulator.replay.operations import KIND_OF
from simulator.workload.languages import LIBRARIES, language_of, language_of_file, library_of

if TYPE_CHECKING:
    from simulator.replay.arrays import Batch, Codes
    from simulator.workload.languages import Language
    from simulator.workload.libraries import LibraryCosts

NEVER = 2**62
"""The first call of a process that has made none."""
_OPENS = frozenset(name for name, kind in KIND_OF.items() if kind == OPEN)


class Lifetimes:
    """First and last calls of processes, by the process's number."""

    def __init__(self) -> None:
        self.first = np.zeros(0, np.int64)
        """When each process made its first call, and ended its last; ns."""
        self.last = np.zeros(0, np.int64)
        self.called = np.zeros(0, np.int64)
        """When each made its last call."""
        self.pid = np.zeros(0, np.int64)

    def take(self, batch: Batch) -> None:
        """Extend the lives of the processes of a batch."""
        more = int(batch.process.max()) + 1 - len(self.first)
        if more > 0:
            self.add(np.full(more, NEVER), np.full(more, -NEVER), -1)
        np.minimum.at(self.first, batch.process, batch.begin)
        np.maximum.at(self.last, batch.process, batch.end)
        np.maximum.at(self.called, batch.process, batch.begin)
        self.pid[batch.process] = batch.numbers("pid", 0)

    def add(self, first: np.ndarray, last: np.ndarray, pid: int) -> None:
        """Add processes with their first calls, and with the ends of their last ones."""
        self.first = np.append(self.first, first)
        self.last = np.append(self.last, last)
        self.called = np.append(self.called, last)
        self.pid = np.append(self.pid, np.full(len(first), pid))


class Languages:
    """The programs that processes have become, and what these loaded."""

    def __init__(self) -> None:
        self._program: dict[int, str] = {}
        self._loaded: dict[int, set[Language]] = defaultdict(set)
        self._shown: list[Language | None] = []
        """For each file's number the language of a program that loads it."""

    def take(self, batch: Batch, files: Codes) -> None:
        """Add the programs that a batch of calls started, and the files that they opened."""
        file, names = batch.codes("file"), files.texts
        self._shown += [language_of_file(name) for name in names[len(self._shown) :]]
        shows = np.array([one is not None for one in (*self._shown, None)], bool)
        started = batch.called(("execve",)) & (batch.returned == 0)
        opened = batch.called(_OPENS) & (batch.returned >= 0) & shows[file]
        for row in np.flatnonzero(started | opened).tolist():
            process, number = int(batch.process[row]), int(file[row])
            if not started[row]:
                shown = self._shown[number]
                assert shown is not None
                self._loaded[process].add(shown)
            elif number >= 0:
                self._program[process] = names[number]
                self._loaded.pop(process, None)

    def program(self, process: int) -> str:
        """Return the program that a process has started in its own place; empty without one."""
        return self._program.get(process, "")

    def of(self, process: int, parents: Mapping[int, int]) -> tuple[Language, LibraryCosts]:
        """Return a process's language, and what its libraries cost; a fork has its parent's."""
        while process not in self._program and not self._loaded.get(process):
            if process not in parents:
                return "any", LIBRARIES["any"]
            process = parents[process]
        program = self._program.get(process, "")
        language = language_of(program, self._loaded.get(process, set()))
        return language, library_of(program, language)

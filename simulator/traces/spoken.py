"""Which language each process of a trace is written in, by its program and the files it loads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.answers.languages import LIBRARIES, language_of, language_of_file, library_of

if TYPE_CHECKING:
    from simulator.answers.languages import Language
    from simulator.workload.libraries import LibraryCosts

    Numbers = np.ndarray[Any, Any]


class Spoken:
    """The programs that processes have become, and what these loaded."""

    def __init__(self) -> None:
        self._program: dict[int, str] = {}
        self._loaded: dict[int, set[Language]] = defaultdict(set)
        self._shown: list[Language | None] = []
        """For each file's number the language of a program that loads it."""

    def take(
        self, process: Numbers, started: Numbers, opened: Numbers, file: Numbers, names: list[str]
    ) -> None:
        """Take in the rows of a batch: successful ``execve`` and opens, and the files of all."""
        self._shown += [language_of_file(name) for name in names[len(self._shown) :]]
        shows = np.array([one is not None for one in (*self._shown, None)], bool)
        for row in np.flatnonzero(started | (opened & shows[file])).tolist():
            one, number = int(process[row]), int(file[row])
            if not started[row]:
                shown = self._shown[number]
                assert shown is not None
                self._loaded[one].add(shown)
            elif number >= 0:
                self._program[one] = names[number]
                self._loaded.pop(one, None)

    def of(self, process: int, parents: Mapping[int, int]) -> tuple[Language, LibraryCosts]:
        """Return a process's language, and what its libraries cost; a fork has its parent's."""
        while process not in self._program and not self._loaded.get(process):
            if process not in parents:
                return "any", LIBRARIES["any"]
            process = parents[process]
        program = self._program.get(process, "")
        language = language_of(program, self._loaded.get(process, set()))
        return language, library_of(program, language)

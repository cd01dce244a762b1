"""A traced program as patterns see it: its calls, when they were made, and on which machine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.answers.advise import Concerned
from simulator.answers.calls import Columns
from simulator.answers.language import Language, language_of
from simulator.plan.codes import OPERATIONS, READ, WRITE
from simulator.units import format_size, format_time

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.workload.traced import Traced

    Numbers = np.ndarray[Any, Any]

_VERBS = {"stat": "stat of", "sync": "fsync of", "open": "open of", "close": "close of"}


class Program:
    """The calls of a program, its machine, and what its calls cost there."""

    def __init__(
        self,
        traced: Traced,
        machine: Machine,
        *,
        filesystem: str,
        costs: frozenset[int],
        began: Numbers | None = None,
    ) -> None:
        """``costs``: kinds of calls that take time on the machine, beside reads and writes.

        ``began``: when each row began, ns since the program's start; None if the log has no times.
        """
        self.traced = traced
        self.machine = machine
        self.filesystem = filesystem
        self.costs = costs
        self.began = began
        self.columns = Columns(traced)

    @cached_property
    def language(self) -> Language:
        """The language that the program seems to be written in."""
        return language_of([one.name for one in self.traced.files])

    def files(self, rows: Numbers) -> tuple[Concerned, ...]:
        """Return the files of some rows, those with most calls first."""
        if not len(rows):
            return ()
        file, which = np.unique(self.columns.file[rows], return_inverse=True)
        calls = np.bincount(which)
        moves = np.isin(self.columns.kind[rows], (READ, WRITE))
        moved = np.zeros(len(file), np.int64)
        np.add.at(moved, which, np.where(moves, self.columns.size[rows], 0))
        files = self.traced.files
        order = np.lexsort((file, -calls))
        return tuple(
            Concerned(files[int(file[one])].name, int(calls[one]), int(moved[one]))
            for one in order.tolist()
        )

    def example(self, row: int) -> str:
        """Say which call a row is: what, of which file, by whom, and when."""
        columns = self.columns
        kind, name = int(columns.kind[row]), self.traced.files[int(columns.file[row])].name
        word = OPERATIONS[kind]
        if columns.size[row] > 0 and word.startswith(("read", "write")):
            told = f"{word} of {format_size(int(columns.size[row]))} at byte"
            told += f" {int(columns.offset[row]):,} of {name}"
        else:
            told = f"{_VERBS.get(word, f'{word} of')} {name}"
        told += f" by {self.traced.clients[int(columns.client[row])].name}"
        if self.began is not None:
            told += f", {format_time(int(self.began[row]))} after the start"
        return told

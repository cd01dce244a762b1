"""Predictions that are frozen in a file before results are seen, and judged by results later.

A folder has ``predictions.csv``, its digest (``predictions.sha256``), and results: ``open.csv``,
those that could be seen when the model was made, or those that were measured after.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import median

from simulator.output import placing
from simulator.progress import progress_bar

Row = dict[str, str]
WITHIN = 1.1


class MissingColumnError(Exception):
    """A table of results lacks columns."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A result beside what was predicted of it, as logarithms of predicted over measured."""

    group: str
    simulated: float
    formula: float


@dataclass(frozen=True, slots=True)
class Frozen:
    """The frozen predictions of a folder: one row for each value of the key columns."""

    folder: Path
    keys: tuple[str, ...]
    wanted: tuple[str, ...] = ()
    """Columns that results need besides the keys."""
    seen: str = "open.csv"
    """File of the results that are here."""

    @property
    def file(self) -> Path:
        """Return the file of predictions."""
        return self.folder / "predictions.csv"

    @property
    def seal(self) -> Path:
        """Return the file of the predictions' digest."""
        return self.folder / "predictions.sha256"

    def rows(self, name: str) -> list[Row]:
        """Return the rows of a table in the folder."""
        return read_rows(self.folder / name)

    def intact(self) -> bool:
        """Return whether the predictions are those whose digest is on record."""
        return self.seal.read_text("ascii").split()[0] == _digest(self.file)

    def key(self, row: Row) -> tuple[str, ...]:
        """Return what identifies the row of a prediction or result."""
        return tuple(row[name] for name in self.keys)

    def predicted(self) -> dict[tuple[str, ...], Row]:
        """Return the predictions by their keys."""
        return {self.key(row): row for row in self.rows(self.file.name)}

    def known(self, results: list[Row]) -> list[Row]:
        """Return the results of which there are predictions."""
        made = self.predicted()
        return [row for row in results if self.key(row) in made]

    def write(self, head: Sequence[str], made: Iterable[Sequence[object]], count: int) -> None:
        """Write ``count`` predictions as they are made, then their digest."""
        with (
            placing(self.file) as place,
            place.open("w", encoding="utf-8", newline="") as file,
            progress_bar(count, unit="prediction") as advance,
        ):
            table = csv.writer(file, lineterminator="\n")
            table.writerow(head)
            for row in made:
                table.writerow(row)
                advance(1)
        self.seal.write_text(f"{_digest(self.file)}  {self.file.name}\n", "ascii")

    def results(self, path: Path) -> list[Row]:
        """Return the results in a file. Raises MissingColumnError."""
        found = read_rows(path)
        lacking = [name for name in (*self.keys, *self.wanted) if found and name not in found[0]]
        if lacking or not self.known(found):
            what = f"no column {', '.join(lacking)}" if lacking else "no row that was predicted"
            raise MissingColumnError(
                f"{path} has {what}; results have the columns of {self.folder / self.seen}"
            )
        return found

    def unknown(self, results: list[Row]) -> list[str]:
        """Return a line that says how many results have no prediction, if any."""
        count = len(results) - len(self.known(results))
        return [f"{count} results have no prediction"] if count else []

    def main(
        self,
        words: list[str],
        write: Callable[[], None],
        compare: Callable[[list[Row]], str],
        more: str = "",
    ) -> int:
        """Compare the results that are here, or those of a file, or write predictions.

        ``more`` are other words of the study, for the sentence that says what there is. Returns an
        exit code.
        """
        if words == ["write"]:
            write()
        elif not words:
            print(compare(self.rows(self.seen)), end="")
        elif len(words) == 2 and words[0] == "compare" and Path(words[1]).is_file():
            try:
                results = self.results(Path(words[1]))
            except MissingColumnError as error:
                print(error, file=sys.stderr)
                return 2
            print(compare(results), end="")
        else:
            name = self.folder.name
            usage = f"usage: python -m experiments.{name} [write | compare FILE.csv{more}]"
            print(usage, file=sys.stderr)
            return 2
        return 0


def tabulate(judged: Sequence[Judged], label: str) -> list[str]:
    """Return a line for each group, and for all: median errors, and how many are within 10 %."""
    head = ("results", "simulated", "within 10 %", "formula", "within 10 %")
    groups = list(dict.fromkeys(one.group for one in judged))
    groups += ["all"] if len(groups) > 1 else []
    width = max(12, *(len(group) + 2 for group in groups))
    lines = ["".join([f"{label:<{width}}", *(f"{one:>13}" for one in head)])]
    for group in groups:
        some = [one for one in judged if group in ("all", one.group)]
        cells = [f"{group:<{width}}", f"{len(some):>13}"]
        for sizes in ([abs(one.simulated) for one in some], [abs(one.formula) for one in some]):
            inside = sum(size <= log(WITHIN) for size in sizes)
            cells += [f"{100 * (exp(median(sizes)) - 1):>11.1f} %", f"{inside:>13}"]
        lines.append("".join(cells))
    better = sum(abs(one.simulated) < abs(one.formula) for one in judged)
    return [*lines, f"nearer than the formula: {better} of {len(judged)}"]


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

"""The error that validation measured for a kind of figure: what no interval of this machine has.

An interval from run to run, or from values, says how far figures of *this model* lie apart. How far
the model is from machines was measured elsewhere, on other machines and programs, and is stated
beside: it is no part of any percentage. The record is ``modelerror.json``, which
``experiments/validation/modelerror.py`` writes.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMAT = "model-error/2"
FILE = Path(__file__).with_name("modelerror.json")
_KINDS = {
    **dict.fromkeys(("elapsed_s", "end_s", "read_s", "write_s"), "times"),
    **dict.fromkeys(
        ("read_MBps", "write_MBps", "stable_MBps", "read_io_MBps", "write_io_MBps"), "rates"
    ),
}
"""Figures of a run -> their kind; of others validation has measured no error."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Errors of predicted figures of one kind, from one place."""

    what: str
    """Noun of the predicted figures."""
    where: str
    """Page with each number."""
    errors: tuple[float, ...]
    """Simulated over measured, less 1, of each."""
    study: str = ""
    """The study that it is of; empty if of no file of a machine."""

    def half_within(self) -> float:
        """Return the error that half of the figures do not exceed, either way as a factor."""
        return self._within(0.5)

    def most_within(self) -> float:
        """Return the error that 9 of 10 do not exceed; of fewer figures that of the worst."""
        return self._within(0.9)

    def _within(self, share: float) -> float:
        factors = sorted(max(1 + one, 1 / (1 + one)) for one in self.errors)
        place = max(0, -(-int(100 * share) * len(factors) // 100) - 1)
        return factors[place] - 1

    def sentence(self) -> str:
        """Return it as one line."""
        count = len(self.errors)
        worst = self._within(1.0)
        parts = [f"half within {_percent(self.half_within())}"]
        parts += [f"9 of 10 within {_percent(self.most_within())}"] if count >= 10 else []
        parts.append(f"the worst {_percent(worst)}")
        return f"{count} {self.what}: {', '.join(parts)} ({self.where})"

    def to_record(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "what": self.what,
            "where": self.where,
            "count": len(self.errors),
            "half_within": self.half_within(),
            "most_within": self.most_within(),
            "worst": self._within(1.0),
        }


def _percent(error: float) -> str:
    return f"{100 * error:.0f} %" if error < 1 else f"a factor of {1 + error:.2g}"


def model_error(figure: str) -> tuple[Measured, ...]:
    """Return what was measured of this kind of figure, a column of a sweep; nothing if nothing was.

    >>> [one.where.rpartition("/")[2] for one in model_error("elapsed_s")]
    ['ssken.md', 'pagecache.md', 'merge.md', 'reality.md']
    >>> model_error("job_p99_ms")
    ()
    """
    return _recorded().get(_KINDS.get(figure, ""), ())


def recorded_of(study: str | None) -> tuple[list[Measured], list[Measured]]:
    """Return what a study measured of times, and of rates; None: what all did."""
    times, rates = (
        [one for one in _recorded()[kind] if study in (None, one.study)]
        for kind in ("times", "rates")
    )
    return times, rates


def studies() -> dict[str, dict[str, frozenset[str]]]:
    """Return the machines of each study with errors, and their kinds of resources."""
    return {
        study: {name: frozenset(kinds) for name, kinds in machines.items()}
        for study, machines in _read()["studies"].items()
    }


def fits() -> list[str]:
    """Return the studies whose errors are of numbers left out of a fit of their machine."""
    return list(_read()["fits"])


@functools.cache
def _recorded() -> dict[str, tuple[Measured, ...]]:
    return {
        kind: tuple(
            Measured(one["what"], one["where"], tuple(one["errors"]), one["study"])
            for one in _read()[kind]
        )
        for kind in ("times", "rates")
    }


@functools.cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found

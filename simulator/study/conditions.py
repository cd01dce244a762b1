"""Conditions of a claim: one comparison each, over the figures that runs give.

A condition is ``FIGURE OPERATOR VALUE`` or ``FIGURE within P % of VALUE``. An operator is one of
``< <= > >= ==``; a value is a number or the name of another figure; ``*`` in the name of the
figure stands for any text: all such figures must fulfil the condition, and there must be one.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from simulator.errors import InputError, did_you_mean

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
_COMPARISON = re.compile(r"(\S+) (<|<=|>|>=|==) (\S+)")
_CLOSENESS = re.compile(r"(\S+) within (\S+) % of (\S+)")


class ConditionError(InputError):
    """A condition that is not understood, or that names a figure that is not there."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a figure with a number or with another figure."""

    text: str
    """As written."""
    figure: str
    """Name of the figure; may have ``*``."""
    operator: str
    """``<``, ``<=``, ``>``, ``>=``, ``==`` or ``within``."""
    value: float | str
    """A number, or the name of a figure."""
    percent: float = 0.0
    """Largest distance of a figure, with ``within``."""

    def named(self, figures: Mapping[str, float]) -> list[str]:
        """Return the names of the figures that must fulfil it; ConditionError if there is none."""
        names = [name for name in figures if fnmatchcase(name, self.figure)]
        if not names:
            raise ConditionError(
                f"{self.text}: no figure {self.figure}; {did_you_mean(self.figure, figures)}"
            )
        return names

    def bound(self, figures: Mapping[str, float]) -> float:
        """Return the number on the right side; ConditionError if no figure has that name."""
        if not isinstance(self.value, str):
            return self.value
        if self.value not in figures:
            near = did_you_mean(self.value, figures)
            raise ConditionError(f"{self.text}: no figure {self.value}; {near}")
        return figures[self.value]

    def holds(self, figures: Mapping[str, float]) -> bool:
        """True if all figures that it names fulfil it."""
        bound = self.bound(figures)
        return all(self._holds(figures[name], bound) for name in self.named(figures))

    def _holds(self, figure: float, bound: float) -> bool:
        if self.operator == "within":
            return abs(figure - bound) <= self.percent / 100 * abs(bound)
        return OPERATORS[self.operator](figure, bound)


def condition(text: str) -> Condition:
    """Parse a condition; ConditionError if it is none.

    >>> condition("growth > 4").holds({"growth": 4.1})
    True
    >>> condition("ratio_* within 10 % of 2").holds({"ratio_1": 2.1, "ratio_2": 2.3})
    False
    """
    if made := _COMPARISON.fullmatch(text):
        return Condition(text, made[1], made[2], _value(made[3]))
    if made := _CLOSENESS.fullmatch(text):
        try:
            return Condition(text, made[1], "within", _value(made[3]), float(made[2]))
        except ValueError:
            pass
    raise ConditionError(f"{text!r} is no condition; write `figure > 4` or `a within 10 % of b`")


def conditions(texts: Sequence[str]) -> tuple[Condition, ...]:
    """Parse the conditions of a claim."""
    return tuple(condition(str(text)) for text in texts)


def broken(of: Sequence[Condition], figures: Mapping[str, float]) -> list[str]:
    """Return the texts of the conditions that do not hold; not a number fulfils none."""
    return [one.text for one in of if not one.holds(figures)]


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text

"""Share of machines, drawn from uncertain values, on which claims hold, and its cause."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from simulator.extras import need

_TAIL = 0.025
"""Probability of each tail outside of an interval of 95 %."""
ENOUGH = 12
"""Minimum number of machines for naming a deciding assumption."""
LEAST_APART = 0.25
"""Minimum difference of two shares for naming a deciding assumption."""


def exact_interval(passed: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of Clopper and Pearson for a share; (0, 1) without any machine.

    For shares below it, this many or more would pass with a probability below 2.5 %; for shares
    above it, this few or fewer. If all pass it begins at 0.025**(1 / of).

    >>> low, high = exact_interval(15, 20)
    >>> round(low, 4), round(high, 4)
    (0.509, 0.9134)
    >>> [round(exact_interval(n, n)[0], 2) for n in (3, 10, 20)]
    [0.29, 0.69, 0.83]
    """
    need("scipy")
    from scipy.special import betaincinv

    low = 0.0 if passed == 0 else float(betaincinv(passed, of - passed + 1, _TAIL))
    high = 1.0 if passed == of else float(betaincinv(passed + 1, of - passed, 1 - _TAIL))
    return low, high


@dataclass(frozen=True, slots=True)
class Side:
    """One half of an assumption's range, or an option, and the share of machines with the claim."""

    where: str
    passed: int
    of: int

    @property
    def share(self) -> float:
        """The share of its machines on which the claim holds."""
        return self.passed / self.of


@dataclass(frozen=True, slots=True)
class Divider:
    """The assumption that best separates machines on which a claim holds from others."""

    assumption: str
    better: Side
    worse: Side

    @property
    def apart(self) -> float:
        """Difference of the claim's share between both sides."""
        return self.better.share - self.worse.share


@dataclass(frozen=True, slots=True)
class Strength:
    """Number of plausible machines on which a claim, or a figure, holds."""

    id: str
    role: str
    text: str
    passed: int
    of: int
    """Plausible machines: those drawn, without those that cannot be fitted."""
    broken: Mapping[str, int]
    """Condition -> number of machines on which it is violated, in descending order."""
    divider: Divider | None
    """None if the claim holds on all of them or on none, or if no assumption decides it."""
    expected: bool = True
    """True if the study expects it to hold; false if it is listed as contradicted."""

    @property
    def share(self) -> float:
        """The share of plausible machines on which it holds; nan without any."""
        return self.passed / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of all machines that could be drawn."""
        return exact_interval(self.passed, self.of)

    def to_json(self) -> dict[str, object]:
        """Return the JSON record."""
        return {
            "id": self.id,
            "role": self.role,
            "text": self.text,
            "expected": self.expected,
            "passed": self.passed,
            "of": self.of,
            "share": None if not self.of else self.share,
            "interval_95": list(self.interval),
            "broken": dict(self.broken),
            "divider": None if self.divider is None else asdict(self.divider),
        }


def divider(
    sides: Mapping[str, Sequence[str]], held: Sequence[bool], *, least: float = LEAST_APART
) -> Divider | None:
    """Return the assumption whose sides differ most in the share of machines with a claim.

    ``sides``: the side of each machine, by assumption; ``held``: true for machines on which the
    claim holds. None if no two sides of three machines or more differ by ``least``, or with less
    than ``ENOUGH`` machines. Of equal ones the first is returned.

    >>> found = divider({"a": ["low"] * 6 + ["up"] * 6}, [True] * 6 + [False] * 6)
    >>> found.assumption, found.better.where, found.apart
    ('a', 'low', 1.0)
    """
    best: Divider | None = None
    if len(held) < ENOUGH:
        return None
    for name, where in sides.items():
        counted: dict[str, list[bool]] = {}
        for side, holds in zip(where, held, strict=True):
            counted.setdefault(side, []).append(holds)
        found = [
            Side(side, sum(all_), len(all_)) for side, all_ in counted.items() if len(all_) > 2
        ]
        if len(found) < 2:
            continue
        here = Divider(name, max(found, key=_share), min(found, key=_share))
        if here.apart >= least and (best is None or here.apart > best.apart):
            best = here
    return best


def _share(side: Side) -> float:
    return side.share

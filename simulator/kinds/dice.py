"""Draws of small odd numbers that make ties frequent: a thin cover of a Random."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.service import ServiceSpec, SizePoint

if TYPE_CHECKING:
    from random import Random

LEFT_OUT = object()
"""Stands for a key that a drawn section does not have."""

Whole = int
"""Its name in the class that has a method ``int``."""


class Dice:
    """Draws from a Random, real or Hypothesis's own."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.exact = self.maybe(40)
        """Only whole ns for a byte and even times: nothing is ever rounded, and much coincides."""

    def int(self, low: Whole, high: Whole) -> Whole:
        """Draw a whole number, the bounds included."""
        return self.rng.randint(low, high)

    def some(self, *choices: Any) -> Any:
        """Draw one of the choices."""
        return choices[self.rng.randint(0, len(choices) - 1)]

    def maybe(self, percent: Whole = 50) -> bool:
        """Draw whether something is so."""
        return self.rng.randint(1, 100) <= percent

    def few(self, most: Whole) -> Whole:
        """Draw a number from 0 to ``most``, small ones more often."""
        return min(self.int(0, most), self.int(0, most))

    def time_ns(self) -> Whole:
        """Draw a time; often none, seldom long."""
        return Whole(self.some(0, 0, 1, 10, 10, 50, 300, 2000))

    def rate(self) -> float:
        """Draw bytes per second; seldom without limit."""
        if self.maybe(5):
            return math.inf
        ns: float = self.some(1, 1, 2, 3, 5, 8, 20)
        if not self.exact and self.maybe():
            ns *= self.some(0.3, 0.77, 1.13)
        return 1e9 / ns

    def service(self, *, points: bool = False) -> ServiceSpec:
        """Draw a rate and an overhead; with ``points`` at times times by size instead of a rate."""
        if not points or self.exact or self.maybe(70):
            return ServiceSpec(self.rate(), self.time_ns())
        sizes = sorted({self.int(1, 300) for _ in range(self.int(1, 3))})
        times = sorted(self.int(1, 900) for _ in sizes)
        made = tuple(map(SizePoint, sizes, times))
        fastest = max(1e9 * one.size / one.time_ns for one in made)
        return ServiceSpec(fastest, self.time_ns(), points=made)

    def table(self) -> ServiceSpec:
        """Draw a service, at times by size and by how many requests are under way."""
        deeper = self.int(1, 4) if self.maybe(30) and not self.exact else 0
        first, *others = (self.service(points=True) for _ in range(deeper + 1))
        return replace(first, deeper=tuple(others))

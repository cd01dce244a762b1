"""Work for a core of its node: copying, or what a server's processor does for a request."""

from __future__ import annotations

from typing import Any, Literal

from simulator.config.part import READ, WRITE, rate_of
from simulator.config.quantities import Flag
from simulator.config.rates import Names
from simulator.kinds.dice import Dice
from simulator.kinds.parts.delay.section import Delay


class Core(Delay):
    """Work that a core of the node does for a request: copying, or a server's time for it."""

    later = frozenset(("copies",))
    alone = True
    fails = False
    what = "work of a core"
    busy = True
    many = False
    roles = {"stage": 1, "work": 1, "sync": 1}

    kind: Literal["core"]  # type: ignore[assignment]
    """Which kind of part this is."""
    at: Names
    """The groups of nodes whose cores do it."""
    copies: Flag | None = None
    """It is the memory: what a program's calls move along a path that passes it before any store is
    copied by it, and not by the cpu beside, but for what a Fortran runtime copies."""

    @property
    def structure(self) -> tuple[Any, ...]:
        """Return what paths through it depend on."""
        return (*super().structure, self.copies)

    @property
    def copies_at(self) -> float:
        """Bytes per second at which it copies what calls move, if it does."""
        return max(rate_of(self.rate, way) for way in (READ, WRITE))

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw a service."""
        return {"service": dice.service(points=True)}

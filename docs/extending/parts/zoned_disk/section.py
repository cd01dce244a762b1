"""A disk whose rate falls from its outermost track to its innermost one."""

from dataclasses import dataclass
from typing import Any, Literal

from simulator.config.part import Device
from simulator.config.quantities import Rate, Size, Time
from simulator.kinds.dice import Dice
from simulator.kinds.traits import PartSpec
from simulator.service import ServiceSpec


@dataclass(frozen=True)
class ZonedSpec(PartSpec):
    """Rates in bytes per second; an address is a byte of the disk, from its outermost track on."""

    outer: int
    inner: int
    capacity: int
    position_ns: int

    def service_ns(self, address: int, size: int, *, moved: bool) -> int:
        """size / rate at the address, and positioning if the arm has moved."""
        depth = min(address, self.capacity) / self.capacity
        rate = self.outer + (self.inner - self.outer) * depth
        return ServiceSpec(rate).service_ns(size) + (self.position_ns if moved else 0)


class ZonedDisk(Device):
    """A disk with zones: tracks outside hold more, so that they pass faster."""

    what = "disk with zones"
    medium = True
    spec = ZonedSpec
    roles = {"device": 2, "work": 1}

    kind: Literal["zoned-disk"]
    """Which kind of part this is."""
    outer: Rate
    """Rate of the outermost track."""
    inner: Rate
    """Rate of the innermost track."""
    capacity: Size
    """Of one disk."""
    position: Time
    """Seek and rotational delay of a request that does not follow the last one."""

    def row(self) -> dict[str, Any]:
        spec = ZonedSpec(round(self.outer), round(self.inner), self.capacity, self.position)
        alone = ServiceSpec((self.outer + self.inner) / 2)
        return {"spec": spec, "service": alone}

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        inner = 10**9 if dice.exact else 10**9 // dice.some(2, 7)
        spec = ZonedSpec(10**9, inner, dice.some(1_000, 100_000), dice.some(0, 300))
        return {"spec": spec, "service": ServiceSpec(1e9)}

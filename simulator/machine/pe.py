"""A processing element, as far as I/O sees it: it copies data and makes calls.

Not modelled: the vector unit (computing is a given time), memory as a contended part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.noise import SILENT, Noise

if TYPE_CHECKING:
    from simulator.machine.actor import Actor


@dataclass(frozen=True, slots=True)
class PeSpec:
    """Copying and overheads of a PE: bytes per second and ns."""

    copy_rate: float
    record_overhead_ns: int = 0
    """One READ or WRITE statement of a record; also packing or unpacking a message of one."""
    call_overhead_ns: int = 0
    """One system call."""
    turn_overhead_ns: int = 0
    """One turn of the Fortran buffer: a transfer of data between the buffer and a file."""

    def copy_ns(self, size: int, records: int = 0) -> int:
        """Time to move ``size`` bytes of ``records`` records between program and buffer."""
        return records * self.record_overhead_ns + int(size * (1e9 / self.copy_rate) + 0.5)

    def call_ns(self, *, turn: bool) -> int:
        """Time of a call before anything leaves the PE; ``turn`` if it moves a buffer."""
        return self.call_overhead_ns + (self.turn_overhead_ns if turn else 0)


class Pe:
    """A PE with its account.

    Nothing queues here: one client alone uses it, but for clients of listed calls, which may
    share it, and whose gaps say when it had time for them.
    """

    __slots__ = ("busy_ns", "bytes", "name", "noise", "requests", "servers", "spec")

    def __init__(self, name: str, spec: PeSpec, *, noise: Noise = SILENT) -> None:
        self.name = name
        self.spec = spec
        self.noise = noise
        self.servers = 1
        self.requests = 0
        self.bytes = 0
        self.busy_ns = 0

    def copy(self, actor: Actor, size: int, records: int = 0) -> int:
        """Copy data; returns how long it takes, in ns."""
        return self._spend(actor, self.spec.copy_ns(size, records), size)

    def call(self, actor: Actor, *, turn: bool) -> int:
        """Make a call; returns how long it takes until it leaves the PE, in ns."""
        return self._spend(actor, self.spec.call_ns(turn=turn), 0)

    def own_ns(self, service_ns: int, *, turn: bool) -> int:
        """How much of a call's time is the system's, and not the turn of the buffer before it."""
        whole = self.spec.call_ns(turn=turn)
        return service_ns * self.spec.call_overhead_ns // whole if whole else 0

    def _spend(self, actor: Actor, service_ns: int, size: int) -> int:
        self.requests += 1
        service_ns = self.noise.stretch(service_ns, self.requests)
        self.bytes += size
        self.busy_ns += service_ns
        actor.charge(self.name, 0, service_ns)
        return service_ns

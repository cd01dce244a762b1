"""SCFS: large files through the SSU as a cache (NWT paper, section 3).

A call is divided at the SSU's units. For each piece the unit is made resident, by a fetch
from disk if need be, and then the bytes cross the crossbar through a channel of the SSU.

Not modelled: reading ahead; more than one piece of a call under way at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.machine.crossbar import Port, cross

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.machine.actor import Actor, Steps
    from simulator.machine.ssu import CachedFile, Ssu
    from simulator.machine.station import Station


class Scfs:
    """The path from a PE's port over the SSU's port and channels into the cache."""

    def __init__(
        self, ssu: Ssu, port: Port, *, read_channel: Station, write_channel: Station
    ) -> None:
        self.ssu = ssu
        self.port = port
        self.read_channel = read_channel
        self.write_channel = write_channel

    def read(self, actor: Actor, port: Port, file: CachedFile, offset: int, size: int) -> Steps:
        """Read a range of a file; done when the last byte has reached the PE."""
        for index, low, high in self._units(offset, size):
            yield from self.ssu.open_for_read(actor, file, index)
            yield actor.until(cross(actor, self.port, port, high - low, self.read_channel))

    def write(self, actor: Actor, port: Port, file: CachedFile, offset: int, size: int) -> Steps:
        """Write a range of a file; done when the last byte is in the SSU."""
        for index, low, high in self._units(offset, size):
            yield from self.ssu.open_for_write(actor, file, index, low, high)
            yield actor.until(cross(actor, port, self.port, high - low, self.write_channel))
            self.ssu.close_write(file, index, low, high)

    def close(self, actor: Actor, file: CachedFile) -> Steps:
        """Close a file that was written: its write-back may begin; nobody waits for it."""
        self.ssu.close(file)
        yield from ()

    def _units(self, offset: int, size: int) -> Iterator[tuple[int, int, int]]:
        """(unit, first byte, byte after the last) of each unit that a range touches."""
        unit = self.ssu.spec.unit
        end = offset + size
        while offset < end:
            index = offset // unit
            low = offset - index * unit
            high = min(unit, end - index * unit)
            yield index, low, high
            offset = index * unit + high

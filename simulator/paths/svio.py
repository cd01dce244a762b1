"""SVIO: printed output goes into the SSU's SVO area, and to a front-end file afterwards.

While the job runs a write only crosses the crossbar into the SSU. When the job has ended,
a remote copy (``rcp``) brings what it printed over the LAN into a file of the front end
(NWT paper, section 3); nobody waits for that.

Not modelled: a limit of the SVO area, reading back what was printed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.machine.crossbar import Port, cross

if TYPE_CHECKING:
    from simulator.machine.actor import Actor, Steps
    from simulator.machine.lan import Lan
    from simulator.machine.station import Station
    from simulator.machine.volumes import Backing


class Svio:
    """The path into the SVO area, and the copy out of it."""

    def __init__(
        self, port: Port, channel: Station, lan: Lan, backing: Backing, *, piece_size: int
    ) -> None:
        self.port = port
        self.channel = channel
        self.lan = lan
        self.backing = backing
        self.piece_size = piece_size

    def write(self, actor: Actor, port: Port, size: int) -> Steps:
        """Print ``size`` bytes; done when the last is in the SVO area."""
        yield actor.until(cross(actor, port, self.port, size, self.channel))

    def copy_out(self, copier: Actor, file: int, size: int) -> Steps:
        """Copy ``size`` bytes from the SVO area to a file, after the job."""
        for start in range(0, size, self.piece_size):
            piece = min(self.piece_size, size - start)
            yield self.lan.send(copier, piece)
            yield from self.backing.write(copier, file, start, piece)

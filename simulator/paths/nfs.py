"""NFS: small files over the LAN between the front end and the control processor.

A call is divided into requests of a fixed size, one after the other. Each crosses the
crossbar between the PE and the control processor, the LAN, and the front end's server,
and reaches the disk before it is answered (NFS version 2 writes synchronously).

Not modelled: caches of the client and of the server, attribute calls, retransmission.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.machine.crossbar import Port, cross

if TYPE_CHECKING:
    from simulator.machine.actor import Actor, Steps
    from simulator.machine.lan import Lan
    from simulator.machine.station import Station
    from simulator.machine.volumes import Backing


class Nfs:
    """The path over the control processor's port, the LAN and the server to a volume."""

    def __init__(
        self, port: Port, lan: Lan, server: Station, backing: Backing, *, rpc_size: int
    ) -> None:
        self.port = port
        self.lan = lan
        self.server = server
        self.backing = backing
        self.rpc_size = rpc_size

    def read(self, actor: Actor, port: Port, file: int, offset: int, size: int) -> Steps:
        """Read a range of a file; done when its last request has been answered."""
        for start in range(offset, offset + size, self.rpc_size):
            piece = min(self.rpc_size, offset + size - start)
            yield actor.until(self.server.take(actor, piece))
            yield from self.backing.read(actor, file, start, piece)
            yield self.lan.send(actor, piece)
            yield actor.until(cross(actor, self.port, port, piece))

    def write(self, actor: Actor, port: Port, file: int, offset: int, size: int) -> Steps:
        """Write a range of a file; done when its last byte is on disk."""
        for start in range(offset, offset + size, self.rpc_size):
            piece = min(self.rpc_size, offset + size - start)
            yield actor.until(cross(actor, port, self.port, piece))
            yield self.lan.send(actor, piece)
            yield actor.until(self.server.take(actor, piece))
            yield from self.backing.write(actor, file, start, piece)

"""Process servers: on each node of a group, one that creates the processes of launched jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from simulator.config.errors import Fault
from simulator.config.quantities import Time
from simulator.config.services import Service

from ..message_server.section import MessageServer, has_processor, without_processor

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine


class ProcessServer(Service):
    """A process server on each node: it makes the processes of jobs that are 'launched'."""

    creates = True

    kind: Literal["process-server"]
    """Which kind of service this is."""
    create: Time
    """Making one process; time of the node's ``processor``."""

    def misfits(self, machine: Machine) -> Iterator[Fault]:
        """Find groups of nodes without a processor, or without message servers."""
        yield from without_processor(machine, self.at)
        servers = [one.at for one in machine.services_of(MessageServer).values()]
        sound = all(has_processor(machine, one) for one in (self.at, *servers))
        if self.at not in servers and sound:  # Else the message server is the mistake.
            about = f"no message server is at {self.at}, by which a process server is asked"
            yield ("at",), f"{about}; write one in services"

"""Message servers: on each node of a group, one that polls for messages and delivers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from simulator.config.errors import Fault
from simulator.config.part import spec_of
from simulator.config.quantities import Flag, Rate, Size, Time
from simulator.config.section import check, default
from simulator.config.services import Service
from simulator.config.sources import A_CORE, FREE
from simulator.plan.services import MessageServerSpec
from simulator.units import Bytes, BytesPerSecond, Nanoseconds, format_time

from ...parts.processor.section import Processor

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine


class MessageServer(Service):
    """A message server on each node; times are of the node's ``processor``."""

    kind: Literal["message-server"]
    """Which kind of service this is."""
    interval: Time
    """From one poll for messages to the next; more than a poll takes."""
    poll: Time
    """One poll, whether it finds anything or not."""
    send: Time
    """Taking one message from a process and handing it to the network."""
    deliver: Time
    """Handing one message that was found to its process."""
    lookup: Time = default(Nanoseconds(0), FREE)
    """Looking up one port in the directory."""
    copy_rate: Rate = default(BytesPerSecond(5e9), A_CORE)
    """Rate at which a message is copied, at either end."""
    header: Size = default(Bytes(64), "assumed: an address, a length and a few numbers")
    """Bytes of a message beside its data."""
    location_cache: Flag = default(True, "a port never moves, so what is remembered stays true")
    """A server remembers where the ports are that it has asked for."""

    @check("poll")
    @staticmethod
    def _leaves_time(poll: Nanoseconds, interval: Nanoseconds) -> None:
        if poll >= interval:
            about = f"polls of {format_time(poll)} every {format_time(interval)} leave no time for"
            raise ValueError(f"{about} anything else; write less than the interval")

    def categories(self, name: str) -> Sequence[str]:
        """Return the account categories of sending, locating ports, and awaiting messages."""
        return f"{name}.sending", f"{name}.locating", f"{name}.awaiting"

    def misfits(self, machine: Machine) -> Iterator[Fault]:
        """Find groups of nodes without the processor that servers share with a process."""
        yield from without_processor(machine, self.at)

    def spec(self) -> MessageServerSpec:
        """Return what an engine takes."""
        return spec_of(MessageServerSpec, self, remember=self.location_cache)


def without_processor(machine: Machine, group: str) -> Iterator[Fault]:
    """Find a group of nodes that have no part of kind ``processor``."""
    if not has_processor(machine, group):
        about = f"no processor is at {group}; write one in parts"
        yield ("at",), f"{about}, like '{{kind: processor, at: {group}, update: 600 ns}}'"


def has_processor(machine: Machine, group: str) -> bool:
    """Return whether the nodes of a group have a part of kind ``processor``."""
    parts = machine.parts.values()
    return any(isinstance(one, Processor) and group in one.at for one in parts)

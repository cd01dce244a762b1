"""The kinds of parts, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.parts.cpu import Cpu
from simulator.reference.parts.delay import Delay
from simulator.reference.parts.disk import Disk
from simulator.reference.parts.queue import Queue
from simulator.reference.parts.raid import Raid
from simulator.reference.parts.shared import Shared

if TYPE_CHECKING:
    from simulator.reference.parts.part import Part

KINDS: dict[str, type[Part]] = {
    "cpu": Cpu,
    "queue": Queue,
    "delay": Delay,
    "disk": Disk,
    "shared": Shared,
    "raid": Raid,
}

"""Classes of resources of machines, for typing: ``machine.part("disk", Disk)``."""

from simulator.config.part import Part
from simulator.kinds.parts.array.section import Array
from simulator.kinds.parts.core.section import Core
from simulator.kinds.parts.cpu.section import Cpu
from simulator.kinds.parts.delay.section import Delay
from simulator.kinds.parts.disk.section import Disk
from simulator.kinds.parts.io_server.section import IoServer
from simulator.kinds.parts.journal.section import Journal
from simulator.kinds.parts.link.section import Link
from simulator.kinds.parts.network.section import Network
from simulator.kinds.parts.pool.section import Pool
from simulator.kinds.parts.processor.section import Processor
from simulator.kinds.parts.queue.section import Queue
from simulator.kinds.parts.raid.section import Raid
from simulator.kinds.parts.shared.section import Shared
from simulator.kinds.parts.ssd.section import Ssd
from simulator.kinds.parts.tape.section import Tape
from simulator.kinds.parts.timeshare.section import TimeShare

__all__ = [
    "Array",
    "Core",
    "Cpu",
    "Delay",
    "Disk",
    "IoServer",
    "Journal",
    "Link",
    "Network",
    "Part",
    "Pool",
    "Processor",
    "Queue",
    "Raid",
    "Shared",
    "Ssd",
    "Tape",
    "TimeShare",
]

"""The kinds of parts. To add one: a module with its section here, and its class in ``AnyPart``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from simulator.config.parts.cpu import Cpu
from simulator.config.parts.disk import Disk, Tape
from simulator.config.parts.ionode import IoServer, Raid
from simulator.config.parts.network import Network
from simulator.config.parts.queue import Delay, Pool, Queue
from simulator.config.parts.serving import Link, Processor, TimeShare
from simulator.config.parts.shared import Shared

AnyPart = Annotated[
    Cpu
    | Queue
    | Network
    | Shared
    | Disk
    | Tape
    | Delay
    | Pool
    | IoServer
    | Raid
    | Processor
    | TimeShare
    | Link,
    Field(discriminator="kind"),
]
"""A part of any kind; ``kind`` tells which."""

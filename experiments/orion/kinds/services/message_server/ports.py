"""Messages between the message servers of nodes, and the ports to which they are delivered.

A port has a name and is on one node. One node's server keeps the directory of all ports; each
server can cache the locations that it has looked up. A port never moves to another node, so cached
locations remain valid.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import simpy

from simulator.reference.actor import Actor

Purpose = Literal["data", "query", "answer", "create", "register", "created", "start"]


@dataclass(slots=True)
class Message:
    """One message under way."""

    purpose: Purpose
    port: str
    """Name of the destination port, or of the port that it is about."""
    source: int
    """Node of the sender."""
    target: int
    """Node of the receiver."""
    size: int
    """Bytes, its header included."""
    mesh: int = -1
    """Row of the mesh whose edge it carries."""
    rank: int = -1
    """Rank that sent the edge."""
    exchange: int = -1
    """Number of the exchange."""
    channel: int = -1
    """Row of its channel, instead of a port."""
    node: int = -1
    """Location of the port, in a reply or registration."""
    arrived_ns: int = -1
    """Arrival time at the receiving node, before a poll finds it."""


class Port:
    """A queue of messages, and the actors that wait at it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.box: deque[Message] = deque()
        self._waiting: deque[Actor] = deque()

    def put(self, message: Message) -> None:
        """Deliver a message, and wake the actor that has waited longest."""
        self.box.append(message)
        if self._waiting:
            self._waiting.popleft().wake()

    def wait(self, actor: Actor) -> simpy.Event:
        """Return the event to yield in order to resume at the next unclaimed message."""
        self._waiting.append(actor)
        return actor.blocked(lambda: f"a message at port {self.name}")


class Locations:
    """Locations of ports known to one server.

    >>> known = Locations(remember=True)
    >>> known.find("mesh.1"), known.learn("mesh.1", 1), known.find("mesh.1")
    (None, None, 1)
    """

    def __init__(self, *, remember: bool) -> None:
        self.remember = remember
        self._known: dict[str, int] = {}

    def find(self, name: str) -> int | None:
        """Return the node of a port, if it is cached."""
        return self._known.get(name)

    def learn(self, name: str, node: int) -> None:
        """Cache the location of a port, if this server caches any."""
        if self.remember:
            self._known[name] = node

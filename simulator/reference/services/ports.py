"""Messages between the message servers of nodes, and the ports that they are delivered to.

A port has a name and is on one node. One node's server keeps the directory of all ports; each
server can remember where those are that it has asked for. A name never moves to another node, so
what is remembered stays true.
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
    """One message on its way."""

    purpose: Purpose
    port: str
    """Name of the port that it is for, or is about."""
    source: int
    """Node that sent it."""
    target: int
    """Node that it goes to."""
    size: int
    """Bytes, its header included."""
    mesh: int = -1
    """Row of the mesh whose edge it carries,"""
    rank: int = -1
    """the rank that sent the edge,"""
    exchange: int = -1
    """and the number of the exchange."""
    channel: int = -1
    """Row of the channel that it goes along, instead of a port."""
    node: int = -1
    """In an answer and a registration: where the port is."""
    arrived_ns: int = -1
    """When it was at the receiving node, found or not."""


class Port:
    """A box for messages, and the actors that wait at it."""

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
        """Return the event to yield in order to go on at the next message that is not another's."""
        self._waiting.append(actor)
        return actor.blocked(lambda: f"a message at port {self.name}")


class Locations:
    """What one server knows about where ports are.

    >>> known = Locations(remember=True)
    >>> known.find("mesh.1"), known.learn("mesh.1", 1), known.find("mesh.1")
    (None, None, 1)
    """

    def __init__(self, *, remember: bool) -> None:
        self.remember = remember
        self._known: dict[str, int] = {}

    def find(self, name: str) -> int | None:
        """Return the node of a port, if it is remembered."""
        return self._known.get(name)

    def learn(self, name: str, node: int) -> None:
        """Remember where a port is, if this server remembers at all."""
        if self.remember:
            self._known[name] = node

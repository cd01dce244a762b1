"""A follower of the mesh that processes compute while a run is simulated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["whole", "edges", "rest"] | int
"""What of a block is computed at one go: all of it, the edges, the rest, or a colour."""
WHOLE: Part = "whole"
EDGES: Part = "edges"
REST: Part = "rest"


class Follower:
    """Receives what processes do with a mesh; this one does nothing with it."""

    clock: Callable[[], int] = staticmethod(lambda: 0)
    """The time of the run, in ns, as a function; the run sets it."""

    def compute(self, rank: int, part: Part) -> None:
        """Note that a process has computed a part of its block."""

    def send(self, rank: int, neighbour: int, exchange: int) -> None:
        """Note that a process hands its edge to the message server."""

    def wait(self, rank: int, exchange: int) -> None:
        """Note that a process needs its neighbours' edges to go on."""

    def take(self, rank: int, neighbour: int, exchange: int) -> None:
        """Note that a process has all edges of an exchange, and takes this neighbour's."""

"""Where actors wait for each other: a lock that one of them holds, and a barrier at which all meet.

Who is woken goes on in the same nanosecond, at the turn of its number.

Not modelled: what asking costs (the asker's time), readers who share a lock, giving up.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.machine.actor import Actor, Steps


class Lock:
    """One holder at a time; the others wait in the order in which they came."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.held = False
        self._queue: deque[Actor] = deque()

    def take(self, actor: Actor) -> Steps:
        """Hold it; done when it is held."""
        if self.held:
            began = actor.now
            self._queue.append(actor)
            yield actor.blocked()
            actor.charge(self.name, actor.now - began, 0)
        self.held = True

    def release(self) -> None:
        """Hand it to whoever came first."""
        if self._queue:
            self._queue.popleft().wake()
        else:
            self.held = False


class Barrier:
    """All go on when the last has come."""

    def __init__(self, name: str, members: int) -> None:
        self.name = name
        self.members = members
        self._here: list[Actor] = []

    def meet(self, actor: Actor) -> Steps:
        """Wait for the others."""
        if len(self._here) + 1 == self.members:
            for other in self._here:
                other.wake()
            self._here.clear()
            return
        began = actor.now
        self._here.append(actor)
        yield actor.blocked()
        actor.charge(self.name, actor.now - began, 0)

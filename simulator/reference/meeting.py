"""Where processes wait for each other: locks, barriers, marks, messages, and the ends of others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps


class Waiting:
    """Actors that wait for one thing, and the column that their time is charged to."""

    def __init__(self, column: int, what: Callable[[], str]) -> None:
        self.actors: deque[Actor] = deque()
        self._column = column
        self._what = what

    def wait(self, actor: Actor) -> Steps:
        """Wait to be woken."""
        since = actor.now
        self.actors.append(actor)
        yield actor.blocked(self._what)
        actor.charge(self._column, actor.now - since, 0)

    def wake_all(self) -> None:
        """Wake all."""
        while self.actors:
            self.actors.popleft().wake()


class Lock:
    """One holder at a time; the others wait in the order in which they came."""

    def __init__(self, column: int, number: int) -> None:
        self._holder: Actor | None = None
        self._waiting = Waiting(column, lambda: f"lock {number}{self._held_by()}")

    def _held_by(self) -> str:
        return f" (held by {self._holder.name})" if self._holder else ""

    def take(self, actor: Actor) -> Steps:
        """Hold it; done when it is held."""
        if self._holder is None:
            self._holder = actor
        else:
            yield from self._waiting.wait(actor)

    def release(self) -> None:
        """Hand it to the actor that came first."""
        actors = self._waiting.actors
        self._holder = actors.popleft() if actors else None
        if self._holder is not None:
            self._holder.wake()


class Barrier:
    """All go on when the last has come."""

    def __init__(self, column: int, number: int, members: int) -> None:
        self.members = members
        self._waiting = Waiting(column, lambda: f"barrier {number} ({self._here()} of {members})")

    def _here(self) -> int:
        return len(self._waiting.actors)

    def meet(self, actor: Actor) -> Steps:
        """Wait for the others."""
        if self._here() + 1 == self.members:
            self._waiting.wake_all()
        else:
            yield from self._waiting.wait(actor)


class Mark:
    """A place in a program that others wait for."""

    def __init__(self, column: int, number: int) -> None:
        self.passed = False
        self._waiting = Waiting(column, lambda: f"mark {number}")

    def wait(self, actor: Actor) -> Steps:
        """Wait until it has been passed."""
        yield from self._waiting.wait(actor)

    def pass_by(self) -> None:
        """Pass it: all that wait go on."""
        self.passed = True
        self._waiting.wake_all()


class Channel:
    """Messages from one process to another."""

    def __init__(self, column: int, number: int, source: str) -> None:
        self._arrived = 0
        what = f"a message of {source} (channel {number})"
        self._waiting = Waiting(column, lambda: what)

    def put(self) -> None:
        """A message has arrived."""
        self._arrived += 1
        self._waiting.wake_all()

    def take(self, actor: Actor) -> Steps:
        """Take a message; done when there is one."""
        while not self._arrived:
            yield from self._waiting.wait(actor)
        self._arrived -= 1

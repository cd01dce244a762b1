"""Marks: places in a program that others wait for, such as a fork, or the end of a child."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import simpy

    from simulator.machine.actor import Actor

OTHERS_PART = "other.processes"
"""Under this name a client's account has the time that it waited for another."""


class Marks:
    """Which marks have been passed, and who waits for which."""

    def __init__(self, count: int) -> None:
        self.passed = bytearray(count)
        self._waiting: dict[int, list[Actor]] = {}

    def wait(self, actor: Actor, mark: int) -> simpy.Event:
        """The event to yield in order to go on when a mark is passed, which it has not been."""
        self._waiting.setdefault(mark, []).append(actor)
        return actor.blocked()

    def pass_by(self, mark: int) -> None:
        """Pass a mark: all that wait for it go on."""
        self.passed[mark] = 1
        for actor in self._waiting.pop(mark, []):
            actor.wake()

"""Polls that find nothing, many at a time: what message servers do while nothing happens.

A message server that has no message waits here for the begin or the end of a poll. Before the next
event of anything else nobody can see its polls: they are booked together, without an event for
each. When a message comes, its server goes on by itself.
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace
from math import inf
from typing import TYPE_CHECKING

from simulator.reference.actor import Alarm

if TYPE_CHECKING:
    import simpy

    from simulator.reference.services.messages import MessageServer
    from simulator.reference.services.services import Services


class Polls:
    """All message servers of a run that wait for their next poll without a message."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._clock = services.clock
        self._waiting: list[tuple[int, int, MessageServer]] = []
        """(when, number of the server's actor, server); one that has left is not removed."""
        self._alarm: Alarm | None = None
        self._turn = -1
        """The number of the actor in whose turn the alarm rings."""

    def enter(self, server: MessageServer, due_ns: int) -> None:
        """Let a server wait without a message for its poll at ``due_ns``."""
        server.due_ns = due_ns
        heappush(self._waiting, (due_ns, server.actor.number, server))
        if self._waiting[0][2] is server:
            self._set()

    def leave(self, server: MessageServer) -> None:
        """Let a server go on by itself, to which a message has come."""
        due, server.due_ns = server.due_ns, -1
        server.actor.go_on(due)

    def _set(self) -> None:
        """Ring at the first begin or end of a poll, in the turn of its server."""
        due, self._turn, server = self._waiting[0]
        alarm = self._alarm = Alarm(self._clock)
        alarm.callbacks = [self._ring]
        self._clock.ring(alarm, server.actor.turn, due)

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is not self._alarm or self._services.over:
            return  # It was set to an earlier time since, or all processes have ended.
        clock, waiting = self._clock, self._waiting
        next_ns = clock.peek()
        if next_ns == inf:  # Nothing can happen any more but polls.
            self._services.over = True
            return
        turn = self._turn
        while waiting:
            due, number, server = waiting[0]
            if due != server.due_ns:
                heappop(waiting)
            elif due < next_ns or (number == turn and due == clock.now):
                server.poll_until(int(next_ns))
                heapreplace(waiting, (server.due_ns, number, server))
                turn = -1
            else:
                self._set()
                return

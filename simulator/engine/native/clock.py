"""The clock: when each actor goes on, and which one is next.

A tournament over the actors: each has one time, and every match is won by the earlier, the
left (lower-numbered) of two equals. So the tie rule of the model - in one nanosecond the
lower number acts first - is the shape of the tree.
"""

from __future__ import annotations

from array import array

NEVER = 1 << 62
"""Later than any time: the actor waits for somebody else."""


class Clock:
    """The times at which numbered actors go on; ns."""

    def __init__(self, actors: int) -> None:
        size = 1
        while size < actors:
            size *= 2
        self.now = 0
        self.alarms = 0
        """How often an actor was set to go on."""
        self.size = size
        self.time = array("q", [NEVER]) * (2 * size)
        self.who = array("q", [0]) * (2 * size)
        for leaf in range(size):
            self.who[size + leaf] = leaf
        for node in range(size - 1, 0, -1):
            self.who[node] = self.who[2 * node]

    def next_actor(self) -> int:
        """Advance to the earliest time; returns whose it is, or -1 if there is none."""
        if self.time[1] == NEVER:
            return -1
        self.now = self.time[1]
        return self.who[1]

    def at(self, actor: int, time: int) -> None:
        """Let an actor go on at ``time``."""
        self.alarms += 1
        self.play(actor, time)

    def wake(self, actor: int) -> None:
        """Let an actor that waits go on now, at its own turn."""
        self.alarms += 1
        self.play(actor, self.now)

    def stop(self, actor: int) -> None:
        """An actor waits for somebody else, or has ended."""
        self.play(actor, NEVER)

    def play(self, actor: int, time: int) -> None:
        """Give an actor's leaf a time, and play its matches up to the first that is as before."""
        node = self.size + actor
        who = actor
        self.time[node] = time
        while node > 1:
            rival = self.time[node ^ 1]
            name = self.who[node ^ 1]
            if rival < time + (node & 1):  # the rival of a right child wins if they are equal
                time = rival
                who = name
            node >>= 1
            if self.time[node] == time and self.who[node] == who:
                return
            self.time[node] = time
            self.who[node] = who

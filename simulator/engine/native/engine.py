"""The loop: whoever is next acts, until nobody has anything to do any more.

The actors are numbered as in the reference engine: clients, write-back workers, remote
copies after jobs, and the LAN if it is shared fairly.
"""

from __future__ import annotations

from array import array

from simulator.engine.native.clients import Clients
from simulator.engine.native.clock import Clock
from simulator.engine.native.codes import ENDED
from simulator.engine.native.ssu import Ssu

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.engine.native.interpreted import cython

IDLE, LINE, PATHS, DISKS = 0, 1, 2, 3


class Engine:
    """A machine at work."""

    def __init__(
        self, clock: Clock, ssu: Ssu, clients: Clients, count: int, workers: int, copiers: int
    ) -> None:
        self.clock = clock
        self.ssu = ssu
        self.clients = clients
        self.count = count
        self.workers = workers
        self.copiers = copiers
        """One for each client, or none if nobody prints."""
        # Remote copies: which phase's file, how far, and which leg of a piece.
        self.copy_phase = array("q", [-1]) * max(1, copiers)
        self.copy_at = array("q", [0]) * max(1, copiers)
        self.copy_place = array("q", [IDLE]) * max(1, copiers)

    def loop(self, events: int) -> bool:
        """Let so many events happen; returns whether that was the end."""
        actor = self.clock.next_actor()
        while actor >= 0 and events > 0:
            events -= 1
            time = self.act(actor)
            if time < 0:
                self.clock.stop(actor)
            else:
                self.clock.at(actor, time)
            actor = self.clock.next_actor()
        return actor < 0

    def act(self, actor: int) -> int:
        """Let an actor act; returns the time it goes on, or a negative number."""
        count = self.count
        if actor < count:
            time = self.clients.step(actor)
            if time == ENDED:
                self.start_copy(actor)
            return time
        if actor < count + self.workers:
            return self.ssu.work(actor)
        if actor < count + self.workers + self.copiers:
            return self.copy_out(actor, actor - count - self.workers)
        return self.ring()

    def ring(self) -> int:
        """The LAN ends transfers; it has an alarm of its own, which does not count as one."""
        time = self.clients.lan.ring()
        self.clock.alarms -= time >= 0
        return time

    def start_copy(self, client: int) -> None:
        """After a job that has printed, its copier begins."""
        if self.copiers and self.next_print(client, 0) >= 0:
            self.clock.wake(self.count + self.workers + client)

    def next_print(self, client: int, phase: int) -> int:
        """The first phase of a job, from ``phase`` on, whose file has been printed to; or -1."""
        first = self.clients.first_phase[client]
        while phase < self.clients.phases[client]:
            if (
                self.clients.print_row[first + phase] == first + phase
                and self.clients.printed[first + phase]
            ):
                return phase
            phase += 1
        return -1

    def copy_out(self, actor: int, client: int) -> int:
        """One leg of a remote copy: the LAN, a path, a disk; piece by piece, file by file."""
        place = self.copy_place[client]
        first = self.clients.first_phase[client]
        if place == IDLE:
            phase = self.next_print(client, 0)
            self.copy_phase[client] = phase
            self.copy_at[client] = 0
            return self.copy_piece(actor, client)
        phase = self.copy_phase[client]
        file = self.clients.file[first + phase]
        piece = min(
            self.clients.rpc_size, self.clients.printed[first + phase] - self.copy_at[client]
        )
        if place == LINE:
            self.copy_place[client] = PATHS
            return self.clients.backing.on_paths(actor, file, piece)
        if place == PATHS:
            self.copy_place[client] = DISKS
            return self.clients.backing.on_disks(actor, file, self.copy_at[client], piece)
        self.copy_at[client] += piece
        if self.copy_at[client] >= self.clients.printed[first + phase]:
            phase = self.next_print(client, phase + 1)
            if phase < 0:
                return ENDED
            self.copy_phase[client] = phase
            self.copy_at[client] = 0
        return self.copy_piece(actor, client)

    def copy_piece(self, actor: int, client: int) -> int:
        """Begin the next piece of a remote copy."""
        row = self.clients.first_phase[client] + self.copy_phase[client]
        self.copy_place[client] = LINE
        piece = min(self.clients.rpc_size, self.clients.printed[row] - self.copy_at[client])
        return self.clients.send(actor, piece)


def run_for(engine: Engine, events: int) -> bool:
    """Run an engine for so many events, with no lock held; returns whether that was the end."""
    with cython.nogil:
        ended = engine.loop(events)
    return ended

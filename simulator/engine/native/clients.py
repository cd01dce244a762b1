"""The clients: each job's master PE as a state machine; ``engine/reference.py`` step by step.

``step`` lets one client act until it has to wait, and returns the time it goes on, or
BLOCKED, or ENDED. Where it goes on is its *place*.
"""

from __future__ import annotations

from array import array

from simulator.engine.native.backing import Backing
from simulator.engine.native.clock import Clock
from simulator.engine.native.codes import (
    BLOCKED,
    ENDED,
    NFS,
    POSIX,
    READY,
    SCFS,
    WORK_COMPUTE,
    WORK_READ,
    WORK_WRITE,
)
from simulator.engine.native.lan import FairLan
from simulator.engine.native.ssu import Ssu
from simulator.engine.native.stations import Stations
from simulator.runtime.records import MARK, NO_LIMIT, READ, SEEK
from simulator.runtime.streams import RecordStreams

START, COMPUTED, PACKED, CROSSED, CALLED, UNIT, MOVED, FLUSHED = 0, 1, 2, 3, 4, 5, 6, 7
NFS_A, NFS_B, NFS_C, NFS_D, NFS_E, PRINTED = 8, 9, 10, 11, 12, 13


class Clients:
    """All clients, and the parts of the machine that they use."""

    def __init__(
        self,
        clock: Clock,
        stations: Stations,
        backing: Backing,
        ssu: Ssu,
        lan: FairLan,
        streams: RecordStreams,
        clients: int,
        phases: int,
        files: int,
    ) -> None:
        self.clock = clock
        self.stations = stations
        self.backing = backing
        self.ssu = ssu
        self.lan = lan
        self.streams = streams
        # The machine.
        self.ssu_in = -1
        self.ssu_out = -1
        self.ssu_read = -1
        self.ssu_write = -1
        self.cp_in = -1
        self.cp_out = -1
        self.lan_part = -1
        self.lan_fair = 0
        self.server = -1
        self.rpc_size = 1
        self.record_overhead = 0
        self.copy_ns_per_byte = 0.0
        self.call_overhead = 0
        self.turn_overhead = 0
        self.cached_file = array("q", [-1]) * max(1, files)
        # Phases, all jobs' one after the other.
        self.work = array("q", [0]) * phases
        self.file = array("q", [0]) * phases
        self.path = array("q", [0]) * phases
        self.policy = array("q", [0]) * phases
        self.buffer = array("q", [0]) * phases
        self.lengths = array("q", [0]) * phases
        self.compute = array("q", [0]) * phases
        # Jobs.
        self.first_phase = array("q", [0]) * clients
        self.phases = array("q", [0]) * clients
        self.repeat = array("q", [1]) * clients
        self.first_pe = array("q", [0]) * clients
        self.pes = array("q", [1]) * clients
        self.start = array("q", [0]) * clients
        # Where each client is.
        self.place = array("q", [START]) * clients
        self.round = array("q", [0]) * clients
        self.phase = array("q", [-1]) * clients
        self.began = array("q", [0]) * clients
        self.moved = array("q", [0]) * clients
        self.more = array("q", [0]) * clients
        self.pending = array("q", [0]) * clients
        self.rank = array("q", [0]) * clients
        self.share = array("q", [0]) * clients
        self.at = array("q", [0]) * clients
        self.end = array("q", [0]) * clients
        self.index = array("q", [0]) * clients
        self.cached = array("q", [0]) * clients
        self.piece = array("q", [0]) * clients
        # What comes out.
        self.computed = array("q", [0]) * clients
        self.ended = array("q", [-1]) * clients
        self.read_bytes = array("q", [0]) * clients
        self.read_ns = array("q", [0]) * clients
        self.write_bytes = array("q", [0]) * clients
        self.write_ns = array("q", [0]) * clients
        self.printed = array("q", [0]) * phases
        """Bytes of the SVO area that a phase's file has got; of its first phase in the job."""
        self.print_row = array("q", [-1]) * phases

    def step(self, c: int) -> int:
        """Let a client act; returns the time it goes on, or BLOCKED, or ENDED."""
        place = self.place[c]
        if place == CALLED:
            return self.issue(c)
        if place == UNIT:
            return self.open_unit(c)
        if place == MOVED:
            return self.unit_moved(c)
        if place == PACKED:
            return self.packed(c)
        if place == CROSSED:
            return self.crossed(c)
        if place == FLUSHED:
            return self.finish_transfer(c)
        if place == PRINTED:
            return self.pump(c)
        if place >= NFS_A:
            return self.nfs_step(c, place)
        return self.next_phase(c)  # START, COMPUTED

    # -- phases -----------------------------------------------------------------------------

    def next_phase(self, c: int) -> int:
        """Begin the next phase of a job, or end it."""
        phase = self.phase[c] + 1
        if phase >= self.phases[c]:
            phase = 0
            self.round[c] += 1
            if self.round[c] == self.repeat[c] or not self.phases[c]:
                self.ended[c] = self.clock.now
                return ENDED
        self.phase[c] = phase
        row = self.first_phase[c] + phase
        if self.work[row] == WORK_COMPUTE:
            self.computed[c] += self.compute[row]
            self.place[c] = COMPUTED
            return self.clock.now + self.compute[row]
        write = self.work[row] == WORK_WRITE
        self.streams.restart(
            c, self.policy[row], write, self.buffer[row], NO_LIMIT, self.lengths[row]
        )
        self.cached[c] = self.cached_file[self.file[row]]
        self.began[c] = self.clock.now
        self.moved[c] = 0
        return self.pump(c)

    def pump(self, c: int) -> int:
        """Take the runtime's calls one after the other, until one moves data."""
        row = self.first_phase[c] + self.phase[c]
        while True:
            self.more[c] = self.streams.step(c)
            copied = self.streams.copied[c]
            self.moved[c] += copied
            if copied or self.streams.records[c]:
                if self.pes[c] > 1:
                    self.rank[c] = 0
                    if self.work[row] == WORK_READ:
                        self.copy(c)
                    time = self.exchange(c)
                    if time != READY:
                        return time
                    if self.work[row] == WORK_WRITE:
                        self.copy(c)
                else:
                    self.copy(c)
            if not self.more[c]:
                return self.flush(c)
            if self.call(c):
                return self.catch_up(c, CALLED)

    def flush(self, c: int) -> int:
        """The runtime makes no more calls: let the rest of the time pass."""
        if self.pending[c]:
            return self.catch_up(c, FLUSHED)
        return self.finish_transfer(c)

    def finish_transfer(self, c: int) -> int:
        """Close the file of a transfer, and go on with the job."""
        row = self.first_phase[c] + self.phase[c]
        passed = self.clock.now - self.began[c]
        if self.work[row] == WORK_WRITE:
            if self.path[row] == SCFS:
                self.ssu.close(self.cached_file[self.file[row]])
            self.write_bytes[c] += self.moved[c]
            self.write_ns[c] += passed
        else:
            self.read_bytes[c] += self.moved[c]
            self.read_ns[c] += passed
        return self.next_phase(c)

    # -- inside the job -----------------------------------------------------------------------

    def catch_up(self, c: int, place: int) -> int:
        """Let the time pass that the job's PEs have spent by themselves, in one event."""
        time = self.clock.now + self.pending[c]
        self.pending[c] = 0
        self.place[c] = place
        return time

    def copy_ns(self, size: int, records: int) -> int:
        """As ``PeSpec.copy_ns``."""
        transfer = int(size * self.copy_ns_per_byte + 0.5)
        return records * self.record_overhead + transfer

    def copy(self, c: int) -> None:
        """The master copies between program and buffer."""
        size = self.streams.copied[c]
        service = self.copy_ns(size, self.streams.records[c])
        self.pending[c] += self.stations.spend(c, 3 * self.first_pe[c], service, size)

    def call(self, c: int) -> bool:
        """The master makes the runtime's call; returns whether it moves data."""
        size = self.streams.size[c]
        moves = self.streams.op[c] != SEEK and size > 0
        service = self.call_overhead
        if moves and size > MARK and self.streams.policy[c] != POSIX:
            service += self.turn_overhead
        self.pending[c] += self.stations.spend(c, 3 * self.first_pe[c], service, 0)
        return moves

    def exchange(self, c: int) -> int:
        """Go on sharing the data with the other PEs; READY when all have had their turn."""
        size = self.streams.copied[c]
        pes = self.pes[c]
        row = self.first_phase[c] + self.phase[c]
        rank = self.rank[c] + 1
        while rank < pes:
            share = size * (rank + 1) // pes - size * rank // pes
            if share:
                self.rank[c] = rank
                self.share[c] = share
                pe = self.first_pe[c] + (rank if self.work[row] == WORK_WRITE else 0)
                service = self.copy_ns(share, self.streams.records[c])
                self.pending[c] += self.stations.spend(c, 3 * pe, service, share)
                return self.catch_up(c, PACKED)
            rank += 1
        return READY

    def packed(self, c: int) -> int:
        """A share has been packed: it crosses the crossbar."""
        row = self.first_phase[c] + self.phase[c]
        master = self.first_pe[c]
        other = master + self.rank[c]
        self.place[c] = CROSSED
        if self.work[row] == WORK_WRITE:
            return self.stations.cross(c, 3 * other + 2, 3 * master + 1, -1, self.share[c])
        return self.stations.cross(c, 3 * master + 2, 3 * other + 1, -1, self.share[c])

    def crossed(self, c: int) -> int:
        """A share has crossed: it is unpacked, and the next has its turn."""
        row = self.first_phase[c] + self.phase[c]
        pe = self.first_pe[c] + (0 if self.work[row] == WORK_WRITE else self.rank[c])
        service = self.copy_ns(self.share[c], self.streams.records[c])
        self.pending[c] += self.stations.spend(c, 3 * pe, service, self.share[c])
        time = self.exchange(c)
        if time != READY:
            return time
        if self.work[row] == WORK_WRITE:
            self.copy(c)
        if not self.more[c]:
            return self.flush(c)
        if self.call(c):
            return self.catch_up(c, CALLED)
        return self.pump(c)

    # -- paths ----------------------------------------------------------------------------------

    def issue(self, c: int) -> int:
        """Carry out the runtime's call along the phase's path."""
        row = self.first_phase[c] + self.phase[c]
        self.at[c] = self.streams.offset[c]
        self.end[c] = self.streams.offset[c] + self.streams.size[c]
        if self.path[row] == SCFS:
            self.index[c] = self.at[c] // self.ssu.unit
            return self.open_unit(c)
        if self.path[row] == NFS:
            return self.nfs_piece(c)
        first = self.print_row[row]
        self.printed[first] = max(self.printed[first], self.end[c])
        self.place[c] = PRINTED
        port = 3 * self.first_pe[c]
        return self.stations.cross(c, port + 2, self.ssu_in, self.ssu_write, self.streams.size[c])

    def open_unit(self, c: int) -> int:
        """Have the next unit of the call resident, and move its bytes."""
        file = self.cached[c]
        index = self.index[c]
        low = self.at[c] - index * self.ssu.unit
        high = min(self.ssu.unit, self.end[c] - index * self.ssu.unit)
        port = 3 * self.first_pe[c]
        if self.streams.op[c] == READ:
            time = self.ssu.open_for_read(c, file, index)
            if time == READY:
                self.place[c] = MOVED
                return self.stations.cross(c, self.ssu_out, port + 1, self.ssu_read, high - low)
        else:
            time = self.ssu.open_for_write(c, file, index, low, high)
            if time == READY:
                self.place[c] = MOVED
                return self.stations.cross(c, port + 2, self.ssu_in, self.ssu_write, high - low)
        self.place[c] = UNIT
        return time

    def unit_moved(self, c: int) -> int:
        """The bytes of a unit have moved: the next unit, or the next call."""
        index = self.index[c]
        low = self.at[c] - index * self.ssu.unit
        high = min(self.ssu.unit, self.end[c] - index * self.ssu.unit)
        if self.streams.op[c] != READ:
            file = self.cached[c]
            self.ssu.close_write(file, index, low, high)
        self.at[c] += high - low
        self.index[c] = index + 1
        if self.at[c] < self.end[c]:
            return self.open_unit(c)
        return self.pump(c)

    def nfs_piece(self, c: int) -> int:
        """Begin the next NFS request of the call, or take the next call."""
        if self.at[c] >= self.end[c]:
            return self.pump(c)
        piece = min(self.rpc_size, self.end[c] - self.at[c])
        self.piece[c] = piece
        self.place[c] = NFS_A
        if self.streams.op[c] == READ:
            return self.stations.take(c, self.server, piece)
        return self.stations.cross(c, 3 * self.first_pe[c] + 2, self.cp_in, -1, piece)

    def send(self, c: int, size: int) -> int:
        """Send over the LAN; returns the time of arrival, or BLOCKED until the link says so."""
        if self.lan_fair:
            self.lan.send(c, size)
            return BLOCKED
        return self.stations.take(c, self.lan_part, size)

    def nfs_step(self, c: int, place: int) -> int:
        """One leg of an NFS request after another: five, in the order of its direction."""
        file = self.file[self.first_phase[c] + self.phase[c]]
        piece = self.piece[c]
        if place == NFS_E:
            self.at[c] += piece
            return self.nfs_piece(c)
        self.place[c] = place + 1
        if self.streams.op[c] == READ:
            if place == NFS_A:
                return self.backing.on_disks(c, file, self.at[c], piece)
            if place == NFS_B:
                return self.backing.on_paths(c, file, piece)
            if place == NFS_C:
                return self.send(c, piece)
            return self.stations.cross(c, self.cp_out, 3 * self.first_pe[c] + 1, -1, piece)
        if place == NFS_A:
            return self.send(c, piece)
        if place == NFS_B:
            return self.stations.take(c, self.server, piece)
        if place == NFS_C:
            return self.backing.on_paths(c, file, piece)
        return self.backing.on_disks(c, file, self.at[c], piece)

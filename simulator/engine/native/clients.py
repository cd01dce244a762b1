"""The clients: each job's master PE as a state machine; ``engine/reference.py`` step by step.

``step`` lets one client act until it has to wait, and returns the time it goes on, or
BLOCKED, or ENDED. Where it goes on is its *place*.
"""

from __future__ import annotations

from simulator.engine.native.clienttable import ClientTable
from simulator.engine.native.codes import (
    BLOCKED,
    ENDED,
    NFS,
    READY,
    SCFS,
    START,
    WORK_CALLS,
    WORK_COMPUTE,
    WORK_READ,
    WORK_WRITE,
)
from simulator.runtime.listed import CLOSE, OPEN, PASS, PAUSE, WAIT
from simulator.runtime.policies import POSIX
from simulator.runtime.records import MARK, NO_LIMIT, READ, SEEK, WRITE

COMPUTED, PACKED, CROSSED, CALLED, UNIT, MOVED, FLUSHED = 1, 2, 3, 4, 5, 6, 7
NFS_A, NFS_B, NFS_C, NFS_D, NFS_E, PRINTED, LISTED, AWAITED = 8, 9, 10, 11, 12, 13, 14, 15


class Clients(ClientTable):
    """All clients at work."""

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
            return self.moved_on(c)
        if place == LISTED:
            return self.take_listed(c)
        if place == AWAITED:
            return self.awaited(c)
        if place >= NFS_A:
            return self.nfs_step(c, place)
        if place == START:
            self.started[c] = self.clock.now
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
        if self.work[row] == WORK_CALLS:
            self.listing.begin(c, self.first_call[row], self.calls[row])
            return self.take_listed(c)
        write = self.work[row] == WORK_WRITE
        self.streams.restart(
            c, self.policy[row], write, self.buffer[row], NO_LIMIT, self.lengths[row]
        )
        self.on_file[c] = self.file[row]
        self.on_path[c] = self.path[row]
        self.cached[c] = self.cached_file[self.file[row]]
        self.began[c] = self.clock.now
        self.moved[c] = 0
        self.note_now(c, OPEN, 0)
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
        if self.work[row] == WORK_CALLS:
            return self.next_phase(c)
        passed = self.clock.now - self.began[c]
        self.note_now(c, CLOSE, self.work[row] == WORK_WRITE)
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
        whole = self.call_overhead
        if moves and size > MARK and self.streams.policy[c] != POSIX:
            whole += self.turn_overhead
        service = self.stations.spend(c, 3 * self.first_pe[c], whole, 0)
        self.pending[c] += service
        if self.listing.recording:
            if whole:
                service = service * self.call_overhead // whole
            self.listing.called[c] = self.clock.now + self.pending[c] - service
            if not moves:
                self.note_call(c)
        return moves

    def note_call(self, c: int) -> None:
        """The runtime's call has ended."""
        end = self.clock.now + self.pending[c]
        offset, size = self.streams.offset[c], self.streams.size[c]
        self.listing.note(c, self.streams.op[c], self.on_file[c], offset, size, end)

    def note_now(self, c: int, kind: int, size: int) -> None:
        """A file is opened, or closed."""
        self.listing.called[c] = self.clock.now
        self.listing.note(c, kind, self.on_file[c], 0, size, self.clock.now)

    # -- listed calls -------------------------------------------------------------------------

    def take_listed(self, c: int) -> int:
        """Take listed calls one after the other, until one takes time; ``runtime/listed.py``."""
        while self.listing.at[c] < self.listing.end[c]:
            row = self.listing.at[c]
            if not self.listing.counted[c]:
                self.listing.counted[c] = 1
                self.computed[c] += self.listing.gap[row]
                self.pending[c] += self.listing.gap[row]
            kind = self.listing.kind[row]
            if kind >= CLOSE and kind != PAUSE and self.pending[c]:
                return self.catch_up(c, LISTED)
            self.listing.called[c] = self.clock.now + self.pending[c]
            if kind <= WRITE:
                pe = 3 * self.first_pe[c]
                self.pending[c] += self.stations.spend(c, pe, self.call_overhead, 0)
                if kind != SEEK and self.listing.size[row]:
                    self.be_at(c, row)
                    return self.catch_up(c, CALLED)
            elif kind == PASS:
                self.listing.pass_by(self.listing.offset[row])
            elif kind == WAIT and not self.listing.passed[self.listing.offset[row]]:
                self.listing.wait(c, self.listing.offset[row])
                self.place[c] = AWAITED
                return BLOCKED
            elif kind == CLOSE and self.listing.size[row]:
                file = self.listing.file[row]
                if self.file_path[file] == SCFS:
                    self.ssu.close(self.cached_file[file])
            self.end_listed(c)
        return self.flush(c)

    def be_at(self, c: int, row: int) -> None:
        """Let a listed call that moves data be the client's call."""
        file = self.listing.file[row]
        self.on_file[c] = file
        self.on_path[c] = self.file_path[file]
        self.cached[c] = self.cached_file[file]
        self.streams.call(
            c, self.listing.kind[row], self.listing.offset[row], self.listing.size[row]
        )

    def end_listed(self, c: int) -> None:
        """A listed call has ended."""
        row = self.listing.at[c]
        kind, size = self.listing.kind[row], self.listing.size[row]
        end = self.clock.now + self.pending[c]
        if kind == READ:
            self.read_bytes[c] += size
            self.read_ns[c] += end - self.listing.called[c]
        elif kind == WRITE:
            self.write_bytes[c] += size
            self.write_ns[c] += end - self.listing.called[c]
        self.listing.note(c, kind, self.listing.file[row], self.listing.offset[row], size, end)
        self.listing.at[c] = row + 1
        self.listing.counted[c] = 0

    def awaited(self, c: int) -> int:
        """What the client waited for has come."""
        waited = self.clock.now - self.listing.called[c]
        self.stations.accounts.charge(c, self.others_part, waited, 0)
        self.end_listed(c)
        return self.take_listed(c)

    def moved_on(self, c: int) -> int:
        """A call has moved its bytes: take the next."""
        if self.work[self.first_phase[c] + self.phase[c]] == WORK_CALLS:
            self.end_listed(c)
            return self.take_listed(c)
        self.note_call(c)
        return self.pump(c)

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
        self.at[c] = self.streams.offset[c]
        self.end[c] = self.streams.offset[c] + self.streams.size[c]
        if self.on_path[c] == SCFS:
            self.index[c] = self.at[c] // self.ssu.unit
            return self.open_unit(c)
        if self.on_path[c] == NFS:
            return self.nfs_piece(c)
        first = self.print_row[self.first_phase[c] + self.phase[c]]
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
        return self.moved_on(c)

    def nfs_piece(self, c: int) -> int:
        """Begin the next NFS request of the call, or take the next call."""
        if self.at[c] >= self.end[c]:
            return self.moved_on(c)
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
        file = self.on_file[c]
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

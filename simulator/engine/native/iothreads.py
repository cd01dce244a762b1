"""Parallel input and output as a flat state machine: threads, and couriers to I/O nodes.

The model is that of ``engine/parallel_io.py``, and its actors have the same numbers: threads first,
then a courier for each pair of a thread and an I/O node. Buffer caches and RAID units are the parts
that the reference engine uses too; they have no clock.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.engine.native.clock import Clock
from simulator.engine.native.codes import BLOCKED, ENDED, READY
from simulator.machine.buffercache import BufferCache
from simulator.runtime.iocodes import (
    AT_BARRIER,
    BARRIER,
    CROSSBAR,
    DISKS,
    FILE_LOCK,
    LATER,
    LOCK,
    MERGING,
    NODES,
    PARTS,
    READ,
    SEND,
    START,
    UNLOCK,
    WAIT,
    WRITE,
)

if TYPE_CHECKING:
    from simulator.runtime.iosteps import Groups, Requests, Steps

BEGIN, NEXT, ACT, LOCKED, MET, AWAITED = range(6)
IDLE, SENT, HANDLED, MERGED, ARRIVED, COPIED, REPLIED = range(7)
KINDS_OF_TIME = len(PARTS)


def zeros(count: int) -> array[int]:
    """A column of so many zeros."""
    return array("q", [0]) * max(1, count)


class Network:
    """Ports and processors of nodes, first come, first served; and the account of each actor."""

    def __init__(
        self, clock: Clock, nodes: int, servers: int, port: tuple[int, float], actors: int
    ) -> None:
        self.clock = clock
        self.servers = servers
        self.overhead = port[0]
        self.ns_per_byte = port[1]
        # Ports: those out of the nodes, then those into them.
        self.nodes = nodes
        self.port_free = zeros(2 * nodes)
        self.port_bytes = zeros(2 * nodes)
        self.messages = zeros(2 * nodes)
        self.server_free = zeros(nodes * servers)
        self.requests = zeros(nodes)
        self.busy = zeros(nodes)
        self.spent = zeros(2 * KINDS_OF_TIME * actors)

    def charge(self, actor: int, part: int, wait: int, service: int) -> None:
        """Write down time that an actor spent."""
        place = 2 * (actor * KINDS_OF_TIME + part)
        self.spent[place] += wait
        self.spent[place + 1] += service

    def clear(self, actor: int) -> None:
        """Begin an actor's account anew."""
        place = 2 * actor * KINDS_OF_TIME
        for at in range(place, place + 2 * KINDS_OF_TIME):
            self.spent[at] = 0

    def hand_over(self, actor: int, other: int) -> None:
        """Add an actor's account to another's."""
        place = 2 * actor * KINDS_OF_TIME
        there = 2 * other * KINDS_OF_TIME
        for at in range(2 * KINDS_OF_TIME):
            self.spent[there + at] += self.spent[place + at]

    def cross(self, actor: int, sender: int, receiver: int, size: int) -> int:
        """Send bytes from node to node; returns the time at which they have arrived."""
        into = self.nodes + receiver
        start = max(self.clock.now, self.port_free[sender], self.port_free[into])
        end = start + self.overhead + int(size * self.ns_per_byte + 0.5)
        self.port_free[sender] = end
        self.port_free[into] = end
        self.port_bytes[sender] += size
        self.port_bytes[into] += size
        self.messages[sender] += 1
        self.messages[into] += 1
        self.charge(actor, CROSSBAR, start - self.clock.now, end - start)
        return end

    def work(self, actor: int, node: int, service: int) -> int:
        """Have a node's processor do something; returns the time it is done."""
        best = node * self.servers
        for server in range(best + 1, best + self.servers):
            if self.server_free[server] < self.server_free[best]:
                best = server
        start = max(self.clock.now, self.server_free[best])
        self.server_free[best] = start + service
        self.requests[node] += 1
        self.busy[node] += service
        self.charge(actor, NODES, start - self.clock.now, service)
        return start + service


class IoEngine:
    """Everybody at work."""

    def __init__(
        self,
        clock: Clock,
        network: Network,
        caches: list[BufferCache],
        tables: tuple[Steps, Requests, Groups],
        costs: tuple[int, int, int, float],
        threads: tuple[array[int], array[int], array[int]],
        members: int,
    ) -> None:
        """``costs``: header bytes, ns of a request and a piece, ns to copy a byte.

        ``threads``: node, first step and number of steps of each; ``members`` meet at barriers.
        """
        steps, requests, groups = tables
        self.clock = clock
        self.network = network
        self.caches = caches
        self.nodes = len(caches)
        self.header, self.request_ns, self.piece_ns, self.copy_ns = costs
        self.kind = steps.kind
        self.think = steps.think
        self.part = steps.part
        self.first = steps.first
        self.requests_of = steps.count
        self.node = requests.node
        self.size = requests.size
        self.message = requests.message
        self.pieces = requests.pieces
        self.group = requests.group
        self.extent = requests.first
        self.extents = requests.count
        # Columns without a row would be no memory to look at.
        self.group_members = groups.members or zeros(1)
        self.group_size = groups.size or zeros(1)
        self.group_more = groups.more or zeros(1)
        self.group_extent = groups.first or zeros(1)
        self.group_extents = groups.count or zeros(1)
        self.gathered = zeros(len(groups.members))
        self.latest = array("q", [-1]) * max(1, len(groups.members))
        """The courier that came last to a group; couriers before it are in a chain."""
        # Threads.
        self.home, self.row, self.end = threads
        self.threads = len(self.home)
        self.place = zeros(self.threads)
        self.since = zeros(self.threads * (1 + self.nodes))
        self.open = zeros(self.threads)
        self.started = zeros(self.threads)
        self.ended = array("q", [-1]) * self.threads
        self.waiter = array("q", [-1]) * self.threads
        # Couriers.
        couriers = self.threads * self.nodes
        self.request = zeros(couriers)
        self.writes = zeros(couriers)
        self.stage = zeros(couriers)
        self.before = array("q", [-1]) * couriers
        # The lock, and the barrier.
        self.held = 0
        self.queue = zeros(self.threads)
        self.queued = 0
        self.served = 0
        self.members = members
        self.here = zeros(self.threads)
        self.met = 0

    def loop(self, events: int) -> bool:
        """Let so many events happen; returns whether that was the end."""
        actor = self.clock.next_actor()
        while actor >= 0 and events > 0:
            events -= 1
            time = self.step(actor) if actor < self.threads else self.carry(actor)
            if time < 0:
                self.clock.stop(actor)
            else:
                self.clock.at(actor, time)
            actor = self.clock.next_actor()
        return actor < 0

    # -- threads ------------------------------------------------------------------------

    def step(self, thread: int) -> int:
        """Let a thread go on; returns when it goes on again, or a negative number."""
        now = self.clock.now
        place = self.place[thread]
        if place == BEGIN:
            self.started[thread] = now
        elif place == LOCKED:
            self.network.charge(thread, FILE_LOCK, now - self.since[thread], 0)
        elif place == MET:
            self.network.charge(thread, AT_BARRIER, now - self.since[thread], 0)
        elif place == AWAITED:
            self.network.charge(thread, LATER, now - self.since[thread], 0)
        while True:
            row = self.row[thread]
            if place != ACT:
                if row == self.end[thread]:
                    return self.finish(thread)
                if self.think[row]:
                    self.network.charge(thread, self.part[row], 0, self.think[row])
                    self.place[thread] = ACT
                    return now + self.think[row]
            self.row[thread] = row + 1
            place = NEXT
            self.place[thread] = NEXT
            time = self.act(thread, row)
            if time != READY:
                return time

    def finish(self, thread: int) -> int:
        """A thread has gone through its steps."""
        self.ended[thread] = self.clock.now
        if self.waiter[thread] >= 0:
            self.clock.wake(self.waiter[thread])
        return ENDED

    def act(self, thread: int, row: int) -> int:
        """Do what a step says; returns when the thread goes on, or a negative number."""
        kind = self.kind[row]
        first = self.first[row]
        if kind in {READ, WRITE}:
            return self.ask(thread, row, kind == WRITE)
        if kind == SEND:
            return self.network.cross(
                thread, self.home[thread], self.home[first], self.requests_of[row]
            )
        if kind == LOCK:
            if self.held:
                self.queue[self.queued % self.threads] = thread
                self.queued += 1
                return self.pause(thread, LOCKED)
            self.held = 1
        elif kind == UNLOCK:
            self.release()
        elif kind == BARRIER:
            return self.meet(thread)
        elif kind == START:
            self.clock.wake(first)
        elif kind == WAIT and self.ended[first] < 0:
            self.waiter[first] = thread
            return self.pause(thread, AWAITED)
        return READY

    def pause(self, thread: int, place: int) -> int:
        """A thread waits for somebody."""
        self.since[thread] = self.clock.now
        self.place[thread] = place
        return BLOCKED

    def release(self) -> None:
        """Hand the lock to whoever came first."""
        if self.served < self.queued:
            self.clock.wake(self.queue[self.served % self.threads])
            self.served += 1
        else:
            self.held = 0

    def meet(self, thread: int) -> int:
        """Come to the barrier; the last one lets all go on."""
        if self.met + 1 < self.members:
            self.here[self.met] = thread
            self.met += 1
            return self.pause(thread, MET)
        for at in range(self.met):
            self.clock.wake(self.here[at])
        self.met = 0
        return READY

    def ask(self, thread: int, row: int, write: bool) -> int:
        """Send requests to I/O nodes, all at once."""
        first = self.first[row]
        count = self.requests_of[row]
        base = thread * self.nodes
        for request in range(first, first + count):
            courier = base + self.node[request]
            self.request[courier] = request
            self.writes[courier] = write
            self.clock.wake(self.threads + courier)
        self.open[thread] = count
        return BLOCKED

    # -- couriers -----------------------------------------------------------------------

    def carry(self, actor: int) -> int:
        """Let a courier go on; returns when it goes on again, or a negative number."""
        courier = actor - self.threads
        stage = self.stage[courier]
        request = self.request[courier]
        node = self.node[request]
        home = self.home[courier // self.nodes]
        if stage == IDLE:
            self.network.clear(actor)
            stage = SENT
            if node != home:
                self.stage[courier] = SENT
                size = self.header + self.message[request]
                if self.writes[courier]:
                    size += self.size[request]
                return self.network.cross(actor, home, node, size)
        if stage == SENT:
            self.stage[courier] = HANDLED
            stage = HANDLED
            if self.group[request] >= 0:
                return self.network.work(actor, node, self.handling(request))
        if stage in {HANDLED, ARRIVED, COPIED}:
            time = self.serve(actor, courier, node)
            if time != READY:
                return time
            stage = MERGED
        elif stage == MERGED:
            self.network.charge(actor, MERGING, self.clock.now - self.since[actor], 0)
        if stage == MERGED and node != home:
            self.stage[courier] = REPLIED
            size = self.header if self.writes[courier] else self.header + self.size[request]
            return self.network.cross(actor, node, home, size)
        self.stage[courier] = IDLE
        self.answer(actor, courier // self.nodes)
        return BLOCKED

    def serve(self, actor: int, courier: int, node: int) -> int:
        """What an I/O node does for a request; READY when the data are where they belong."""
        now = self.clock.now
        stage = self.stage[courier]
        request = self.request[courier]
        group = self.group[request]
        cache: BufferCache = self.caches[node]
        first = self.extent[request]
        count = self.extents[request]
        if group >= 0:
            first = self.group_extent[group]
            count = self.group_extents[group]
        if stage == HANDLED:
            if group >= 0 and self.gathered[group] + 1 < self.group_members[group]:
                self.gathered[group] += 1
                self.before[courier] = self.latest[group]
                self.latest[group] = courier
                self.since[actor] = now
                self.stage[courier] = MERGED
                return BLOCKED
            asker = courier // self.nodes if group < 0 else -1
            ready = cache.access(now, first, count, self.writes[courier], asker)  # type: ignore[arg-type]
            stage = ARRIVED
            if ready > now:
                self.network.charge(actor, DISKS, ready - now, 0)
                self.stage[courier] = ARRIVED
                return ready
        if stage == ARRIVED:
            self.stage[courier] = COPIED
            return self.network.work(actor, node, self.working(request, group))
        if self.writes[courier]:
            cache.written(now, first, count)
        if group >= 0:
            self.dismiss(group)
        return READY

    def handling(self, request: int) -> int:
        """Processor time for a request without its data; ns."""
        return self.request_ns + self.pieces[request] * self.piece_ns

    def working(self, request: int, group: int) -> int:
        """Processor time once the blocks are there: a request, or the data of those merged; ns."""
        if group < 0:
            return self.handling(request) + int(self.size[request] * self.copy_ns + 0.5)
        return self.group_more[group] + int(self.group_size[group] * self.copy_ns + 0.5)

    def dismiss(self, group: int) -> None:
        """A merged request is done: all who waited for it go on."""
        courier = self.latest[group]
        while courier >= 0:
            self.clock.wake(self.threads + courier)
            courier = self.before[courier]

    def answer(self, actor: int, thread: int) -> None:
        """A request is answered; where the last one spent its time, the thread did."""
        self.open[thread] -= 1
        if not self.open[thread]:
            self.network.hand_over(actor, thread)
            self.clock.wake(thread)

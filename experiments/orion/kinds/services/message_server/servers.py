"""Message servers: they poll for messages at an interval, deliver them, and send for processes.

Their costs are in :class:`simulator.plan.services.MessageServerSpec`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from heapq import heappop, heappush, heapreplace
from math import inf
from typing import TYPE_CHECKING

import simpy

from simulator.mixing import mix
from simulator.plan.noise import stream_key
from simulator.reference.actor import Actor, Alarm, Server, Steps

from ...parts.processor.reference import Workstation
from .ports import Locations, Message, Port

if TYPE_CHECKING:
    from simulator.plan.services import MessageServicePlan

    from .reference import Messages


DIRECTORY_NODE = 0
"""The node whose server has the directory of ports."""


class Adapter:
    """Network adapter of a node: sends one message after the other."""

    def __init__(self, service: MessageService, node: int, number: int) -> None:
        self.service = service
        self.node = node
        self.actor = Actor(service.clock, number, f"{service.plan.name}{node}.adapter")
        self.sent = 0
        self.bytes = 0
        self._queue: deque[Message] = deque()
        self._idle = False

    def put(self, message: Message) -> None:
        """Queue a message."""
        self._queue.append(message)
        if self._idle:
            self._idle = False
            self.actor.wake()

    def run(self) -> Steps:
        """Send queued messages, for ever."""
        plan = self.service.plan
        while True:
            while self._queue:
                message = self._queue.popleft()
                nodes = (self.node, message.target)
                yield from self.service.world.send(
                    self.actor, plan.top, plan.places, nodes, message.size
                )
                self.sent += 1
                self.bytes += message.size
                self.service.servers[message.target].arrive(message)
            self._idle = True
            yield self.actor.blocked(lambda: "messages to send")


class MessageServer:
    """The message server of one node."""

    def __init__(self, service: MessageService, node: int, numbers: tuple[int, int]) -> None:
        """``numbers``: those of its own actor and of its adapter's."""
        self.service = service
        self.node = node
        self.spec = service.plan.spec
        self.actor = Server(service.clock, numbers[0], f"{service.plan.name}{node}")
        self.adapter = Adapter(service, node, numbers[1])
        processor = service.world.machine.instance(service.plan.processor, node)
        assert isinstance(processor, Workstation)
        self.processor = processor
        self.locations = Locations(remember=self.spec.remember)
        self.directory: dict[str, int] = {}
        self.ports: dict[str, Port] = {}
        self.takers: dict[str, Callable[[Message], None]] = {}
        """Purpose of a message -> handler that takes it instead of a port."""
        self.polls = 0
        self.queries = 0
        self.posted = 0
        self.found = 0
        self.delivered = 0
        self.unfound_ns = 0
        """Total time between arrivals of messages and the polls that found them."""
        self.due_ns = -1
        """While it is idle: begin of its next poll, or end of the current one."""
        self._polling = False
        """True while a poll is under way."""
        self._after_ns = -1
        """Earliest begin of the next poll."""
        self._arrived: deque[Message] = deque()
        self._asking: dict[str, Port] = {}

    # -- receiving ----------------------------------------------------------------------------

    def arrive(self, message: Message) -> None:
        """Accept an arriving message, which waits for the next poll."""
        message.arrived_ns = self.actor.now
        self._arrived.append(message)
        if self.due_ns >= 0:
            self.service.services.polls.leave(self)

    def run(self) -> Steps:
        """Poll until all processes have ended; polls that find nothing are booked together.

        When a message arrives it resumes at its next poll, or at the end of the current one.
        """
        actor, services = self.actor, self.service.services
        due = self._first_poll_ns()
        while True:
            actor.count(1)
            if services.over:
                return
            services.polls.enter(self, due)
            yield actor.idle()
            if self._polling:
                self._polling, due = False, self._after_ns
            elif self.service.services.over:  # The run had not ended when it began to wait.
                return
            else:
                due = actor.now + self.spec.interval_ns
                self.polls += 1
                yield actor.until(self.processor.serve(self.spec.poll_ns))
            while self._arrived:
                message = self._arrived.popleft()
                self.found += 1
                self.unfound_ns += actor.now - message.arrived_ns
                yield from self._hand_over(message)
            due = max(due, actor.now)

    def poll_until(self, next_ns: int) -> None:
        """Book the empty polls before ``next_ns``, at least the first."""
        interval, poll, processor = self.spec.interval_ns, self.spec.poll_ns, self.processor
        if self._polling:
            self._polling = False
            self.actor.count(1)
            self.due_ns = max(self._after_ns, self.due_ns)
            if self.due_ns >= next_ns:
                return
        count = (next_ns - poll - self.due_ns - 1) // interval + 1
        if count > 0 and processor.free_ns <= self.due_ns:
            processor.serve_often(self.due_ns, poll, count, interval)
            self.polls += count
            self.actor.count(2 * count)
            self.due_ns += count * interval
            if self.due_ns >= next_ns:
                return
        self._polling = True  # It may last until then, or beyond.
        self.polls += 1
        self.actor.count(1)
        self._after_ns = self.due_ns + interval
        self.due_ns = processor.serve_at(self.due_ns, poll)

    def _first_poll_ns(self) -> int:
        """Return a time drawn uniformly from one interval; without a seed, evenly spaced times."""
        plan, interval = self.service.world.plan, self.spec.interval_ns
        if plan.noisy:
            stream = self.service.plan.stream.format(i=self.node)
            return mix(stream_key(plan.seed, plan.run, stream), 1) % interval
        return interval * self.node // self.service.plan.count

    def _hand_over(self, message: Message) -> Steps:
        yield self.actor.until(self.processor.serve(self.spec.deliver_cost_ns(message.size)))
        if message.purpose == "query":
            yield from self._answer(message)
        elif message.purpose == "register":
            self.directory[message.port] = message.node
        elif message.purpose == "answer":
            self.locations.learn(message.port, message.node)
            self._asking[message.port].put(message)
        elif message.purpose in self.takers:
            self.takers[message.purpose](message)
        elif message.channel >= 0:
            self.service.world.channels[message.channel].put()
        else:
            self.ports[message.port].put(message)
        self.delivered += 1

    def _answer(self, query: Message) -> Steps:
        """Reply to another server with the location of a port."""
        self.queries += 1
        spec = self.spec
        cost = spec.lookup_ns + spec.send_cost_ns(spec.header)
        yield self.actor.until(self.processor.serve(cost))
        node = self.directory[query.port]
        self.post(Message("answer", query.port, self.node, query.source, spec.header, node=node))

    # -- sending ------------------------------------------------------------------------------

    def send(self, actor: Actor, message: Message) -> Steps:
        """Send a process's message to a named port; the process pays and waits."""
        message.target = yield from self._locate(actor, message.port)
        yield from self._work(
            actor, self.spec.send_cost_ns(message.size), self.service.plan.sending_column
        )
        self.post(message)

    def post(self, message: Message) -> None:
        """Send a message; one for the own node waits for the next poll like others."""
        self.posted += 1
        if message.target == self.node:
            self.arrive(message)
        else:
            self.adapter.put(message)

    def _work(self, actor: Actor, work_ns: int, column: int) -> Steps:
        waited = yield from self.processor.compute(actor, work_ns)
        actor.charge(column, waited, work_ns)

    def _locate(self, actor: Actor, port: str) -> Generator[simpy.Event, None, int]:
        """Find the node of a port, from the directory if it is not cached."""
        spec, column = self.spec, self.service.plan.locating_column
        known = self.locations.find(port)
        if known is not None:
            return known
        if self.node == DIRECTORY_NODE:
            yield from self._work(actor, spec.lookup_ns, column)
            self.locations.learn(port, self.directory[port])
            return self.directory[port]
        asked = self._asking.setdefault(port, Port(port))
        yield from self._work(actor, spec.send_cost_ns(spec.header), column)
        self.post(Message("query", port, self.node, DIRECTORY_NODE, spec.header))
        began = actor.now
        while not asked.box:
            yield asked.wait(actor)
        actor.charge(column, actor.now - began, 0)
        return asked.box.popleft().node


class MessageService:
    """The message servers of all nodes of the service."""

    def __init__(self, services: Messages, plan: MessageServicePlan) -> None:
        self.services = services
        self.world = services.world
        self.plan = plan
        self.clock = services.clock
        self.servers = [
            MessageServer(self, node, (plan.first + node, plan.first + 2 * plan.count + node))
            for node in range(plan.count)
        ]

    def open_port(self, name: str, node: int) -> None:
        """Create a port that all servers know from the start."""
        self.servers[node].ports[name] = Port(name)
        self.servers[DIRECTORY_NODE].directory[name] = node

    def posted(self) -> int:
        """Return the number of messages sent."""
        return sum(server.posted for server in self.servers)


class IdleServers:
    """All message servers of a run that are idle until their next poll."""

    def __init__(self, services: Messages) -> None:
        self._services = services
        self._clock = services.clock
        self._waiting: list[tuple[int, int, MessageServer]] = []
        """(time, number of the server's actor, server); entries of resumed servers remain."""
        self._alarm: Alarm | None = None
        self._turn = -1
        """Number of the actor in whose turn the alarm rings."""

    def enter(self, server: MessageServer, due_ns: int) -> None:
        """Block an idle server until its poll at ``due_ns``."""
        server.due_ns = due_ns
        heappush(self._waiting, (due_ns, server.actor.number, server))
        if self._waiting[0][2] is server:
            self._set()

    def leave(self, server: MessageServer) -> None:
        """Resume a server at which a message has arrived."""
        due, server.due_ns = server.due_ns, -1
        server.actor.go_on(due)

    def _set(self) -> None:
        """Schedule the first begin or end of a poll, in the turn of its server."""
        due, self._turn, server = self._waiting[0]
        alarm = self._alarm = Alarm(self._clock)
        alarm.callbacks = [self._ring]
        self._clock.ring(alarm, server.actor.turn, due)

    def _ring(self, alarm: simpy.Event) -> None:
        if alarm is not self._alarm or self._services.over:
            return  # It was set to an earlier time since, or all processes have ended.
        clock, waiting = self._clock, self._waiting
        next_ns = clock.peek()
        if next_ns == inf:  # Only polls remain.
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

"""A message server: looks for messages at an interval, delivers what it finds, sends for others.

``MessageServerSpec`` holds the costs and the closed forms; ``MessageServer`` is the server on its
node's processor, ``Adapter`` the node's way onto the network.

Modelled: a poll every interval, which costs processor time whether it finds something or not; the
time a message lies there unfound; the cost of sending and delivering each message, by message and
by byte; asking for the place of a port, and remembering it.
Not modelled: lost messages, limits of buffers, priorities among messages.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.ports import Locations, Message, Port

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    import simpy

    from simulator.machine.actor import Actor, Steps
    from simulator.machine.lan import Lan
    from simulator.machine.workstation import Processor

DIRECTORY_NODE = 0
"""The node whose server knows all ports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageServerSpec:
    """What a message server costs, in ns of its node's processor."""

    interval_ns: int
    """From one poll to the next."""
    poll_ns: int
    """One poll."""
    send_ns: int
    """Taking one message from a process and handing it to the network."""
    deliver_ns: int
    """Handing one message that was found to the process it is for."""
    lookup_ns: int
    """Looking up one name in the directory."""
    copy_rate: float
    """Bytes per second at which a message is copied, at either end."""
    header: int
    """Bytes of a message beside its data."""
    remember: bool
    """It remembers where ports are."""

    def __post_init__(self) -> None:
        if self.interval_ns <= self.poll_ns:
            raise ValueError("polls that take as long as their interval leave no time for others")

    def send_cost_ns(self, size: int) -> int:
        """Processor time to send ``size`` bytes."""
        return self.send_ns + self._copy_ns(size)

    def deliver_cost_ns(self, size: int) -> int:
        """Processor time to deliver ``size`` bytes once they are found."""
        return self.deliver_ns + self._copy_ns(size)

    def _copy_ns(self, size: int) -> int:
        return int(size * 1e9 / self.copy_rate + 0.5)

    # -- closed forms -----------------------------------------------------------------------

    @property
    def share(self) -> float:
        """Share of the processor that polling takes."""
        return self.poll_ns / self.interval_ns

    @property
    def detection_ns(self) -> float:
        """Mean time from an arrival at any moment to the end of the poll that finds it."""
        return self.interval_ns / 2

    def loop_ns(self, work_ns: float, stages: float = 1.0) -> float:
        """Time of a loop with ``stages`` detections one after the other.

        T = W / (1 - c / tau) + K tau / 2
        """
        return work_ns / (1 - self.share) + stages * self.detection_ns

    def best_interval_ns(self, work_ns: float, stages: float = 1.0) -> float:
        """The interval for which :meth:`loop_ns` is least: c + sqrt(2 W c / K)."""
        return self.poll_ns + math.sqrt(2 * work_ns * self.poll_ns / stages)


class Adapter:
    """A node's way onto the network: one message after the other."""

    def __init__(self, actor: Actor, lan: Lan) -> None:
        self.actor = actor
        self.lan = lan
        self.servers: list[MessageServer] = []
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
        """Send what is queued, for ever."""
        while True:
            while self._queue:
                message = self._queue.popleft()
                yield self.lan.send(self.actor, message.size)
                self.sent += 1
                self.bytes += message.size
                self.servers[message.target].arrive(message)
            self._idle = True
            yield self.actor.blocked()


class MessageServer:
    """The message server of one node."""

    def __init__(
        self, node: int, actor: Actor, cpu: Processor, spec: MessageServerSpec, adapter: Adapter
    ) -> None:
        self.node = node
        self.actor = actor
        self.cpu = cpu
        self.spec = spec
        self.adapter = adapter
        self.locations = Locations(remember=spec.remember)
        self.directory: dict[str, int] = {}
        self.ports: dict[str, Port] = {}
        self.hands: Mapping[str, Callable[[Message], None]] = {}
        """Purpose of a message -> who takes it instead of a port."""
        self.polls = 0
        self.queries = 0
        self.posted = 0
        self.found = 0
        self.delivered = 0
        self.unfound_ns = 0
        """Time that messages lay there until a poll found them."""
        self.watch: Callable[[], None] = lambda: None
        """Called at each poll."""
        self._arrived: deque[Message] = deque()
        self._asking: dict[str, Port] = {}

    # -- receiving --------------------------------------------------------------------------

    def arrive(self, message: Message) -> None:
        """A message has come over the network; it lies there until a poll finds it."""
        message.arrived_ns = int(self.actor.env.now)
        self._arrived.append(message)

    def run(self, first_ns: int) -> Steps:
        """Poll for ever; the first poll is at ``first_ns``."""
        actor, spec = self.actor, self.spec
        yield actor.until(first_ns)
        while True:
            due = actor.now + spec.interval_ns
            self.polls += 1
            end = self.cpu.serve(actor.now, spec.poll_ns)
            if not self._arrived and self.actor.env.peek() > end:
                # Nothing happens until the poll ends, so that nothing comes: no event for its end.
                actor.alarms += 1
                self.watch()
                yield actor.until(max(due, end))
                continue
            yield actor.until(end)
            while self._arrived:
                message = self._arrived.popleft()
                self.found += 1
                self.unfound_ns += actor.now - message.arrived_ns
                yield from self._hand_over(message)
            self.watch()
            yield actor.until(max(due, actor.now))

    def _hand_over(self, message: Message) -> Steps:
        cost = self.spec.deliver_cost_ns(message.size)
        yield self.actor.until(self.cpu.serve(self.actor.now, cost))
        if message.purpose == "query":
            yield from self._answer(message)
        elif message.purpose == "register":
            self.directory[message.port] = message.node
        elif message.purpose == "answer":
            self.locations.learn(message.port, message.node)
            self._asking[message.port].put(message)
        elif message.purpose in self.hands:
            self.hands[message.purpose](message)
        else:
            self.ports[message.port].put(message)
        self.delivered += 1

    def _answer(self, query: Message) -> Steps:
        """Tell another server where a port is."""
        self.queries += 1
        spec = self.spec
        cost = spec.lookup_ns + spec.send_cost_ns(spec.header)
        yield self.actor.until(self.cpu.serve(self.actor.now, cost))
        node = self.directory[query.port]
        answer = Message("answer", query.port, self.node, query.source, spec.header, node=node)
        self.post(answer)

    # -- sending ----------------------------------------------------------------------------

    def send(self, actor: Actor, message: Message) -> Steps:
        """Send a process's message to a port by its name; the process pays and waits for that."""
        node = yield from self._locate(actor, message.port)
        message.target = node
        cost = self.spec.send_cost_ns(message.size)
        yield from self.cpu.compute(actor, cost, SENDING)
        self.post(message)

    def post(self, message: Message) -> None:
        """Put a message on its way; one for the own node waits for the next poll like others."""
        self.posted += 1
        if message.target == self.node:
            self.arrive(message)
        else:
            self.adapter.put(message)

    def _locate(self, actor: Actor, port: str) -> Generator[simpy.Event, None, int]:
        """Find out on which node a port is; asks the directory if need be."""
        spec = self.spec
        known = self.locations.find(port)
        if known is not None:
            return known
        if self.node == DIRECTORY_NODE:
            yield from self.cpu.compute(actor, spec.lookup_ns, LOCATING)
            self.locations.learn(port, self.directory[port])
            return self.directory[port]
        asked = self._asking.setdefault(port, Port(port))
        yield from self.cpu.compute(actor, spec.send_cost_ns(spec.header), LOCATING)
        self.post(Message("query", port, self.node, DIRECTORY_NODE, spec.header))
        began = actor.now
        while not asked.box:
            yield asked.wait(actor)
        actor.charge(LOCATING, actor.now - began, 0)
        return asked.box.popleft().node


SENDING = "sending"
LOCATING = "locating ports"

"""Process servers, which create processes, and launchers, which ask for those of a job."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simulator.reference.actor import Actor, Server, Steps

from ..message_server.ports import Message, Port
from ..message_server.servers import DIRECTORY_NODE, MessageServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.plan.services import LaunchPlan
    from simulator.reference.world import World

    from ..message_server.servers import MessageService


class ProcessServer:
    """The process server of one node."""

    def __init__(
        self, messages: MessageServer, number: int, created: Callable[[str], None]
    ) -> None:
        """``created`` is called with the name of each process that exists now."""
        self.messages = messages
        self._tell = created
        self.plan = messages.service.plan
        name = f"{self.plan.process_server}{messages.node}"
        self.actor = Server(messages.service.clock, number, name)
        self.created = 0
        self._asked: deque[Message] = deque()
        self._idle = False
        messages.takers["create"] = self.ask

    def ask(self, message: Message) -> None:
        """Accept a request to create a process."""
        self._asked.append(message)
        if self._idle:
            self._idle = False
            self.actor.wake()

    def run(self) -> Steps:
        """Create the requested processes, for ever."""
        while True:
            while self._asked:
                yield from self._create(self._asked.popleft())
            self._idle = True
            yield self.actor.blocked(lambda: "processes to make")

    def _create(self, asked: Message) -> Steps:
        """Create a process with its port, register the port in the directory, and report."""
        actor, server = self.actor, self.messages
        yield actor.until(server.processor.serve(self.plan.create_ns))
        self.created += 1
        server.ports[asked.port] = Port(asked.port)
        self._tell(asked.port)
        header = server.spec.header
        for purpose, target in (("register", DIRECTORY_NODE), ("created", asked.source)):
            yield actor.until(server.processor.serve(server.spec.send_cost_ns(header)))
            server.post(
                Message(
                    "register" if purpose == "register" else "created",
                    asked.port,
                    server.node,
                    target,
                    header,
                    node=server.node,
                )
            )


class Launcher:
    """Requests all processes of a job, waits until they exist, and starts them."""

    def __init__(
        self, world: World, plan: LaunchPlan, service: MessageService, number: int
    ) -> None:
        processes = world.plan.processes[plan.first : plan.first + plan.count]
        self.processes = processes
        self.service = service
        self.node = processes[0].node
        self.actor = Actor(world.machine.clock, number, f"{processes[0].job}.launcher")
        self._box = Port(f"{processes[0].job}.startup")
        self._start_ns = processes[0].start_ns

    def take(self, message: Message) -> None:
        """Note that a process exists."""
        self._box.put(message)

    def run(self) -> Steps:
        """Request all processes, and start them."""
        yield self.actor.until(self._start_ns)
        for process in self.processes:
            yield from self._send(Message("create", process.name, self.node, process.node, 0))
        while len(self._box.box) < len(self.processes):
            yield self._box.wait(self.actor)
        for process in self.processes:
            yield from self._send(Message("start", process.name, self.node, process.node, 0))

    def _send(self, message: Message) -> Steps:
        server = self.service.servers[self.node]
        message.size = server.spec.header
        yield self.actor.until(server.processor.serve(server.spec.send_cost_ns(message.size)))
        server.post(message)

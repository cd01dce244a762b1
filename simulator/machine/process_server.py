"""A process server: makes processes on its node when another node asks for one.

Not modelled: ending processes, loading the program over the network.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.message_server import DIRECTORY_NODE
from simulator.machine.ports import Message, Port

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.machine.actor import Actor, Steps
    from simulator.machine.message_server import MessageServer


@dataclass(frozen=True, slots=True)
class ProcessServerSpec:
    """What a process server costs, in ns of its node's processor."""

    create_ns: int
    """Making one process."""


class ProcessServer:
    """The process server of one node."""

    def __init__(
        self,
        actor: Actor,
        messages: MessageServer,
        spec: ProcessServerSpec,
        begin: Callable[[str], None],
    ) -> None:
        self.actor = actor
        self.messages = messages
        self.spec = spec
        self.created = 0
        self._begin = begin
        """Starts the process that has the port of this name."""
        self._asked: deque[Message] = deque()
        self._idle = False

    def ask(self, message: Message) -> None:
        """Take a request for a process."""
        self._asked.append(message)
        if self._idle:
            self._idle = False
            self.actor.wake()

    def run(self) -> Steps:
        """Make what was asked for, for ever."""
        actor = self.actor
        while True:
            while self._asked:
                yield from self._create(self._asked.popleft())
            self._idle = True
            yield actor.blocked()

    def _create(self, asked: Message) -> Steps:
        """Make a process with its port, enter the port in the directory, and report."""
        actor, server = self.actor, self.messages
        yield actor.until(server.cpu.serve(int(actor.env.now), self.spec.create_ns))
        self.created += 1
        server.ports[asked.port] = Port(asked.port)
        self._begin(asked.port)
        header = server.spec.header
        for purpose in ("register", "created"):
            yield actor.until(server.cpu.serve(actor.now, server.spec.send_cost_ns(header)))
            told = Message(
                purpose, asked.port, server.node, DIRECTORY_NODE, header, node=server.node
            )
            server.post(told)

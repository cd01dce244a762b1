"""All services of a run: they begin with it, and end with the last process."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING

from simulator.reference.actor import Actor, Server, Steps
from simulator.reference.services.mesh import MeshWork
from simulator.reference.services.messages import (
    DIRECTORY_NODE,
    IdleServers,
    MessageServer,
    MessageService,
)
from simulator.reference.services.numerical import Numerical
from simulator.reference.services.ports import Message, Port
from simulator.result.numerical import LinkResult, NumericalResult, ServerResult
from simulator.result.services import MeshNodeResult, MeshResult, ServiceResult
from simulator.workload.follower import Follower

if TYPE_CHECKING:
    from simulator.plan.services import LaunchPlan, MeshPlan
    from simulator.reference.process import Process
    from simulator.reference.world import World


class ProcessServer:
    """The process server of one node."""

    def __init__(self, messages: MessageServer, number: int) -> None:
        self.messages = messages
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
        server.service.world.services.made(asked.port)
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

    def __init__(self, world: World, plan: LaunchPlan, number: int) -> None:
        processes = world.plan.processes[plan.first : plan.first + plan.count]
        self.processes = processes
        self.service = world.services.messages[plan.service]
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


FIRST_CALL = 1 << 60
"""Number of the first call that runs concurrently with its process; the sampling actor precedes
it."""


class Services:
    """All services of a run besides storage."""

    def __init__(self, world: World, followers: Mapping[int, Follower]) -> None:
        """``followers`` observe meshes, by their rows in the plan."""
        self.world = world
        self.plan = world.plan.services
        self.clock = world.machine.clock
        self.over = False
        """True once all processes have ended."""
        self.polls = IdleServers(self)
        """Message servers that are idle until their next poll."""
        self.followers = [followers.get(row, Follower()) for row in range(len(self.plan.meshes))]
        for follower in self.followers:
            follower.clock = lambda: self.clock.now
        self.messages = [MessageService(world, one) for one in self.plan.messages]
        self.numerical = Numerical(world)
        self.beside: list[Actor] = []
        """Calls that run concurrently with their processes."""
        self.counts: dict[str, ServiceResult] = {}
        """Counters of message servers, after the end."""
        self._process_servers: list[ProcessServer] = []
        self._launched: dict[str, Process] = {}
        self._servers: dict[str, ServerResult] = {}
        self._links: dict[str, LinkResult] = {}
        self._stock_ns = -1

    def new_number(self) -> int:
        """Return the number of the next concurrent call."""
        return FIRST_CALL + len(self.beside)

    # -- beginning and end ----------------------------------------------------------------------

    def begin(self) -> None:
        """Start all servers; processes exist already."""
        launched = {
            number
            for launch in self.plan.launches
            for number in range(launch.first, launch.first + launch.count)
        }
        for row, service in enumerate(self.messages):
            for number, process in enumerate(self.world.processes):
                if number in launched:
                    self._launched[process.plan.name] = process
                elif not process.plan.queued and self._on(row, process):
                    service.open_port(process.plan.name, process.node)
            for server in service.servers:
                self._start(server)
        launches = len(self.plan.launches)
        for number, launch in enumerate(self.plan.launches):
            launcher = Launcher(self.world, launch, number - launches)
            home = launcher.service.servers[launcher.node]
            self._listen(home, launcher)
            launcher.actor.begin(launcher.run())
        if self.plan.servers and self.plan.stock_ns >= 0:
            clerk = Server(self.clock, FIRST_CALL - 1, "stock")
            clerk.begin(self._sample_when_due(clerk))

    def _start(self, server: MessageServer) -> None:
        server.adapter.actor.begin(server.adapter.run())
        plan = server.service.plan
        if plan.process_server:
            maker = ProcessServer(server, plan.first + plan.count + server.node)
            self._process_servers.append(maker)
            maker.actor.begin(maker.run())
        server.actor.begin(server.run())

    def _listen(self, home: MessageServer, launcher: Launcher) -> None:
        """Pass messages for a launcher to it; others go to their ports."""
        names = {process.name for process in launcher.processes}
        others = home.takers.get("created")
        home.takers["created"] = lambda message: (
            launcher.take(message) if message.port in names or others is None else others(message)
        )

    def _on(self, row: int, process: Process) -> bool:
        """Return whether a process has a message server of a service on its node."""
        plan = self.plan.messages[row]
        return process.plan.group == plan.group and process.plan.node < plan.count

    def end(self) -> None:
        """Record counters of services after the last process has ended."""
        self.over = True
        for service in self.messages:
            for server in service.servers:
                self._note(server)
        for maker in self._process_servers:
            counts = {"created": maker.created}
            self.counts[maker.actor.name] = ServiceResult(
                maker.plan.process_server, "process-server", counts
            )
        if self.plan.servers and self._stock_ns < 0 <= self.plan.stock_ns:
            return  # It is still to come.
        if self.plan.servers and self._stock_ns < 0:
            self._sample()

    def _note(self, server: MessageServer) -> None:
        counts = {
            "polls": server.polls,
            "posted": server.posted,
            "found": server.found,
            "delivered": server.delivered,
            "queries": server.queries,
            "unfound_ns": server.unfound_ns,
            "over_the_network": server.adapter.sent,
            "network_bytes": server.adapter.bytes,
            "processor_ns": server.processor.server_ns,
        }
        name = server.service.plan.name
        self.counts[server.actor.name] = ServiceResult(name, "message-server", counts)

    # -- messages ---------------------------------------------------------------------------------

    def send(self, process: Process, channel: int, size: int) -> Steps:
        """Send a message along a channel, through the message server of the process's node."""
        row = self.world.plan.channels[channel]
        target = self.world.processes[row.target]
        server = self.messages[row.service].servers[process.node]
        message = Message(
            "data", target.plan.name, process.node, target.node, size + server.spec.header
        )
        message.channel = channel
        yield from server.send(process.actor, message)

    # -- processes that are made ----------------------------------------------------------------

    def made(self, name: str) -> None:
        """Resume a process that a process server has created."""
        self._launched[name].actor.wake()

    def await_start(self, process: Process) -> Steps:
        """Wait until a process is created and started; edges that arrive earlier are kept."""
        actor = process.actor
        yield actor.blocked(lambda: "a process server to make it")
        row = next(row for row in range(len(self.messages)) if self._on(row, process))
        port = self.messages[row].servers[process.node].ports[process.plan.name]
        while True:
            for message in port.box:
                if message.purpose == "start":
                    port.box.remove(message)
                    return
            yield port.wait(actor)

    # -- numerical servers ------------------------------------------------------------------------

    def _sample_when_due(self, clerk: Server) -> Steps:
        yield clerk.until(self.plan.stock_ns)
        self._sample()

    def _sample(self) -> None:
        now = self._stock_ns = self.clock.now
        for server in self.numerical.servers:
            used, threads = server.processor.account()
            loads = tuple(server.processor.load.samples)
            self._servers[server.plan.name] = ServerResult(
                pes=server.spec.pes,
                calls=server.calls,
                used_ns=used,
                load_mean=fmean(loads) if loads else 0.0,
                load_peak=max(loads, default=0.0),
                runnable_mean=threads / now if now else 0.0,
                loads=loads,
            )
        network = self.numerical.network
        for link, moved in zip(network.links, network.carried(), strict=True):
            self._links[link.name] = LinkResult(rate=link.spec.rate, bytes=moved)

    def numerical_result(self) -> NumericalResult | None:
        """Return the counters of numerical servers; None without any."""
        if not self.plan.servers:
            return None
        beside: dict[int, tuple[int, int]] = {}
        for actor in self.beside:
            for column, (wait, service) in actor.spent.items():
                known = beside.get(column, (0, 0))
                beside[column] = known[0] + wait, known[1] + service
        return NumericalResult(
            stock_ns=self._stock_ns,
            calls=self.numerical.calls,
            servers=self._servers,
            links=self._links,
            beside=self._named(beside),
        )

    # -- meshes -----------------------------------------------------------------------------------

    def mesh_results(self) -> list[MeshResult]:
        """Return the iterations of each mesh that was computed."""
        return [self._mesh(row, mesh) for row, mesh in enumerate(self.plan.meshes)]

    def _mesh(self, row: int, mesh: MeshPlan) -> MeshResult:
        processes = self.world.processes[mesh.first : mesh.first + mesh.nodes]
        works = [process.meshes[row] for process in processes if row in process.meshes]
        ends = zip(*(work.ends for work in works), strict=True)
        return MeshResult(
            job=mesh.job,
            points=mesh.points,
            setup_ns=max(process.started_ns for process in processes),
            loop_ends_ns=tuple(max(times) for times in ends),
            nodes=[self._mesh_node(work) for work in works],
        )

    def _mesh_node(self, work: MeshWork) -> MeshNodeResult:
        plan = work.service.plan
        columns = {plan.sending_column, plan.locating_column, plan.awaiting_column}
        return MeshNodeResult(
            process=work.process.plan.name,
            points=work.block.points,
            counted_ns=work.counted_ns,
            compute_ns=work.compute_ns,
            communication_ns=sum(sum(work.spent.get(column, (0, 0))) for column in columns),
            spent=self._named(work.spent),
        )

    def _named(self, spent: Mapping[int, tuple[int, int]]) -> dict[str, tuple[int, int]]:
        columns = self.world.plan.columns
        named = ((columns[column], times) for column, times in spent.items() if any(times))
        return dict(sorted(named))

"""Message and process servers of a run, and the meshes whose edges they bring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from simulator.plan.codes import MESH
from simulator.reference.actor import Steps
from simulator.reference.services import ServiceEngine
from simulator.result.result import Result
from simulator.result.services import MeshNodeResult, MeshResult, ServiceResult
from simulator.workload.follower import Follower

from ..process_server.creation import Launcher, ProcessServer
from .mesh import MeshWork
from .ports import Message
from .servers import IdleServers, MessageServer, MessageService

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan
    from simulator.plan.services import MeshPlan, ServicesPlan
    from simulator.reference.process import Process
    from simulator.reference.world import World


class Messages(ServiceEngine):
    """All message servers, process servers and meshes of a run."""

    phases = (MESH,)

    def __init__(self, world: World, followers: Mapping[int, Follower]) -> None:
        super().__init__(world, followers)
        self.over = False
        """True once all processes have ended."""
        self.polls = IdleServers(self)
        """Message servers that are idle until their next poll."""
        self.followers = [followers.get(row, Follower()) for row in range(len(self.plan.meshes))]
        for follower in self.followers:
            follower.clock = lambda: self.clock.now
        self.messages = [MessageService(self, one) for one in self.plan.messages]
        self.works: dict[tuple[int, int], MeshWork] = {}
        """Number of a process, and row of a mesh -> its work on that."""
        self.early: dict[int, dict[tuple[int, int], list[int]]] = defaultdict(dict)
        """Number of a process -> (mesh, exchange) -> ranks whose edges have arrived."""
        self._counts: dict[str, ServiceResult] = {}
        """Counters of servers, after the end."""
        self._process_servers: list[ProcessServer] = []
        self._launched: dict[str, Process] = {}

    @classmethod
    def serves(cls, plan: ServicesPlan) -> bool:
        """Return whether a plan has message servers."""
        return bool(plan.messages)

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
            service = self.messages[launch.service]
            launcher = Launcher(self.world, launch, service, number - launches)
            home = launcher.service.servers[launcher.node]
            self._listen(home, launcher)
            launcher.actor.begin(launcher.run())

    def _start(self, server: MessageServer) -> None:
        server.adapter.actor.begin(server.adapter.run())
        plan = server.service.plan
        if plan.process_server:
            number = plan.first + plan.count + server.node
            maker = ProcessServer(server, number, self._created)
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
            self._counts[maker.actor.name] = ServiceResult(
                maker.plan.process_server, "process-server", counts
            )

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
        self._counts[server.actor.name] = ServiceResult(name, "message-server", counts)

    def add_to(self, result: Result) -> None:
        """Add the counters of servers, and the iterations of meshes."""
        result.services |= dict(sorted(self._counts.items()))
        result.meshes += [self._mesh(row, mesh) for row, mesh in enumerate(self.plan.meshes)]

    # -- messages ---------------------------------------------------------------------------------

    def phase(self, process: Process, phase: PhasePlan) -> Steps:
        """Compute some iterations of a mesh."""
        key = process.number, phase.row
        if key not in self.works:
            self.works[key] = MeshWork(self, process, phase.row)
        return self.works[key].run(phase.loops)

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

    # -- processes that are created -------------------------------------------------------------

    def _created(self, name: str) -> None:
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

    # -- meshes -----------------------------------------------------------------------------------

    def _mesh(self, row: int, mesh: MeshPlan) -> MeshResult:
        processes = self.world.processes[mesh.first : mesh.first + mesh.nodes]
        keys = [(process.number, row) for process in processes]
        works = [self.works[key] for key in keys if key in self.works]
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
            spent=self.named(work.spent),
        )

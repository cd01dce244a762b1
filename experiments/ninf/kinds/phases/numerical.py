"""Calls of numerical servers: one after the other (``solve``), or at random (``calls``)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, Literal

from simulator.config.errors import unknown_name
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.machine_file import Machine
from simulator.config.phase import Drawn, Faults, OnMachine, Phase, Spot
from simulator.config.quantities import Count, Flag, Name, Percent, Time
from simulator.config.section import Called, check
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.plan.services import CallerPlan, HostSpec, Target
from simulator.units import Nanoseconds, format_time, shown

from ..services.numerical_client.section import NumericalClient
from ..services.numerical_server.lowering import NumericalRows
from ..services.numerical_server.problems import PROBLEMS
from ..services.numerical_server.section import Library, NumericalServer, ProblemName

Choice = Annotated[Literal["fixed", "load", "compute", "bandwidth", "estimate"], Called("choose")]
"""How a call finds its server: as written; the least load for each PE; or the least estimated time
of computing, of moving its bytes, or (``estimate``) of both."""

LARGEST_N = {"linpack": 100_000, "ep": 50}
"""Of equations; of EP's logarithm."""
MOST_TRIALS = 1_000_000
"""Of all processes of a job together."""


class Numerical(Phase):
    """Calls of numerical servers."""

    served = True

    problem: ProblemName
    """What they ask for."""
    n: Count
    """Its size: equations, or EP's logarithm."""
    library: Name | None = None
    """By its name at the servers; the fastest of each for the problem if left out."""
    server: Name | None = None
    """Which server; needed unless a metaserver chooses among all with that library."""
    choose: Choice = "fixed"
    """How a call finds its server."""
    site: Name | None = None
    """Where the processes are; as their machine says if left out."""

    @check("n")
    @staticmethod
    def _not_endless(n: int, problem: str) -> None:
        if n > LARGEST_N[problem]:
            about = f"{shown(str(n))} is too large for {problem}"
            raise ValueError(f"{about}; write 1 to {LARGEST_N[problem]}")

    def faults(self, spot: Spot) -> Faults:
        """Find calls without a server."""
        del spot
        if self.choose == "fixed" and self.server is None:
            yield (), "server is missing; write it like 'server: j90', or 'choose: load'"

    def misfits(self, spot: OnMachine) -> Faults:
        """Find servers, libraries and lines that the machine does not have."""
        machine, group = spot.machine, spot.place.group
        servers = machine.services_of(NumericalServer)
        if not servers:
            yield (), f"{machine.name} has no numerical server; write one in services"
            return
        name = machine.tables.groups[group].name
        if client_of(machine, group) is None:
            about = f"{machine.name} does not say what calls cost {name}; write in services"
            yield (), f"{about} '{{kind: numerical-client, at: {name}, conversion: 15 MB/s}}'"
        if self.server is not None and self.server not in servers:
            what = f"a numerical server of {machine.name}"
            yield ("server",), unknown_name(self.server, what, servers)
            return
        if self.site is not None and self.site not in machine.sites:
            what = f"a site of {machine.name}"
            yield ("site",), unknown_name(self.site, what, machine.sites)
            return
        yield from self._libraries(machine)
        yield from self._lines(machine, group)

    def _libraries(self, machine: Machine) -> Faults:
        """Find problems that no server solves, and libraries that solve another."""
        if self.candidates(machine):
            return
        servers = [
            (name, one)
            for name, one in machine.services_of(NumericalServer).items()
            if self.server in (None, name)
        ]
        problems = {
            name: library.problem for _, one in servers for name, library in one.libraries.items()
        }
        where = ", ".join(name for name, _ in servers)
        if self.library is None:
            about = f"no library of {where} solves {self.problem}; write another problem"
            yield ("problem",), about
        elif self.library not in problems:
            yield ("library",), unknown_name(self.library, f"a library of {where}", problems)
        else:
            about = f"the library {self.library} solves {problems[self.library]}"
            yield ("problem",), f"{about}, not {self.problem}; write another library"

    def _lines(self, machine: Machine, group: int) -> Faults:
        """Find sites that no line connects."""
        client = client_of(machine, group)
        here = self.site or (client.site if client else None)
        servers = machine.services_of(NumericalServer)
        for name in self.candidates(machine):
            there = servers[name].site
            if here is None or there is None or here == there:
                continue
            for site in (here, there):
                if site in machine.sites and machine.sites[site].line is None:
                    about = f"{name} is at {there}, and the site {site} has no line; write one in"
                    yield ("site",), f"{about} sites"
                    return

    def doubts(self, spot: OnMachine) -> Faults:
        """Find calls that take no time on their way."""
        if all(one.kind != "link" for one in spot.machine.parts.values()):
            group = spot.machine.tables.groups[spot.place.group].name
            about = "no link leads to a server, so that calls take no time on their way"
            yield (), f"{about}; write one at {group} in parts, 'kind: link'"

    def candidates(self, machine: Machine) -> dict[str, Library]:
        """Return the servers that calls may go to and that can serve them, with their libraries."""
        found = {}
        for name, one in machine.services_of(NumericalServer).items():
            if self.choose != "fixed" or name == self.server:
                library = self._library_of(one)
                if library is not None:
                    found[name] = library
        return found

    def _library_of(self, server: NumericalServer) -> Library | None:
        """Return the library that a server would use; None if it has none."""
        if self.library is not None:
            named = server.libraries.get(self.library)
            return named if named is not None and named.problem == self.problem else None
        solving = [one for one in server.libraries.values() if one.problem == self.problem]
        return max(solving, key=lambda library: library.speed, default=None)

    def lower(self, process: ProcessBuilder) -> None:
        """Add calls."""
        whole = process.whole
        services, machine = whole.services.of(NumericalRows), whole.machine
        problem = PROBLEMS[self.problem](self.n)
        client = client_of(machine, process.group)
        assert client is not None
        site = self.site or client.site
        servers = list(machine.services_of(NumericalServer))
        targets = tuple(
            Target(
                server=servers.index(name),
                library=library.spec(),
                route=services.route(process.group, process.node, site, name),
            )
            for name, library in self.candidates(machine).items()
        )
        process.append(PhasePlan(kind=codes.CALLS, row=len(services.callers)))
        services.callers.append(
            CallerPlan(
                job=process.job.name,
                problem=problem.kind,
                operations=problem.operations,
                length=problem.length,
                bytes_in=problem.bytes_in,
                bytes_out=problem.bytes_out,
                host=HostSpec(client.conversion),
                targets=targets,
                choice=self.choose,
                **self.trials(process),
            )
        )

    @abstractmethod
    def trials(self, process: ProcessBuilder) -> dict[str, Any]:
        """Return how often calls are made, and the name of their random stream."""

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw a problem that the drawn servers solve."""
        problem = dice.some("linpack", "ep")
        keys: Drawn = {"problem": problem, "n": dice.int(5, 30), "library": LEFT_OUT}
        if dice.maybe():
            keys |= {"server": "numerical-server", "choose": dice.some(LEFT_OUT, "fixed")}
        else:
            chosen = dice.some("load", "compute", "bandwidth", "estimate")
            keys |= {"server": LEFT_OUT, "library": problem, "choose": chosen}
        return {**keys, "duration": "20 ms", "every": "2 ms"}


class Solve(Numerical):
    """Call a numerical server, and wait for the result."""

    rank = 13

    do: Literal["solve"]
    """What it does."""
    count: Count = 1
    """How often, one call after the other."""

    def trials(self, process: ProcessBuilder) -> dict[str, Any]:
        """Return how many calls follow each other."""
        return {"count": self.count, "stream": stream_of(process)}


_LIST = "calls are those of numerical servers; for a list write '{do: listed, calls: FILE.csv}'"


class Calling(Numerical):
    """Call numerical servers at random: trials at equal intervals start calls by chance."""

    rank = 14
    timed = "duration"
    mistaken = {"file": _LIST, "calls": _LIST}

    do: Literal["calls"]
    """What it does."""
    every: Time
    """Time between two trials."""
    chance: Percent = 1.0
    """That a trial starts a call."""
    duration: Time
    """How long calls are started; those under way then are waited for."""
    continues: Flag = False
    """Trials go on while a call is out; otherwise they stop until it has ended."""
    first: Time = Nanoseconds(0)
    """The first trial."""
    spread: Flag = False
    """The first trials of the job's processes are spread over the time between two."""

    @check("every")
    @staticmethod
    def _not_at_once(every: Nanoseconds) -> None:
        if every == 0:
            raise ValueError("'0 s' would be endless trials; write it like '3 s'")

    @check("duration")
    @staticmethod
    def _some(duration: Nanoseconds) -> None:
        if duration == 0:
            raise ValueError("'0 s' leaves no time for a call; write it like '30 min'")

    def faults(self, spot: Spot) -> Faults:
        """Find calls without a server, and too many trials."""
        yield from super().faults(spot)
        ranks = spot.job.ranks
        trials = self.duration // self.every * ranks * spot.job.times(spot.at)
        if trials > MOST_TRIALS:
            least = format_time(self.duration * ranks / MOST_TRIALS)
            about = f"{shown(format_time(self.every))} would be {trials:,} trials"
            yield ("every",), f"{about}; write {least} or more"

    def trials(self, process: ProcessBuilder) -> dict[str, Any]:
        """Return when trials are made; servers take stock until the last of them."""
        services = process.whole.services.of(NumericalRows)
        services.stock_ns = max(services.stock_ns, process.job.start + self.duration)
        spread = self.every * process.rank // process.ranks if self.spread else 0
        return {
            "every_ns": self.every,
            "first_ns": self.first + spread,
            "chance": self.chance,
            "continues": self.continues,
            "duration_ns": self.duration,
            "stream": stream_of(process),
        }


def stream_of(process: ProcessBuilder) -> str:
    """Return the name of a random stream: of a process, or of its phase if several draw."""
    several = sum(isinstance(one, Calling) for _, one in process.job.every_phase()) > 1
    stream = f"{process.job.name}/{process.rank}"
    return f"{stream}.{process.label}" if several else stream


def client_of(machine: Machine, group: int) -> NumericalClient | None:
    """Return what numerical calls cost the nodes of a group; None if nothing says so."""
    name = machine.tables.groups[group].name
    clients = machine.services_of(NumericalClient).values()
    return next((one for one in clients if one.at == name), None)

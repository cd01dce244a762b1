"""The runs of the Ninf study: cells of clients, problems, libraries and networks, each run once.

A cell is run several times with other draws of the clients' trials, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

from simulator.config.callplan import library_spec
from simulator.config.server import Servers
from simulator.engine.callplan import CallPlan
from simulator.engine.callresult import Call, CallsResult
from simulator.engine.servers import serve
from simulator.serve import load_call_plan, load_servers
from simulator.study.ledger import StudyFile
from simulator.study.study import StudyError
from simulator.study.work import Work
from simulator.workload.problems import Linpack

MACHINE = "ninf"
SIZES = (600, 1000, 1400)
FEW, MANY = (1, 2, 4), (8, 16)
CLIENTS = (*FEW, *MANY)
STEP = 10
"""Crossovers are looked for at every tenth n."""
LARGEST = 1600
TRIALS_GO_ON: tuple[tuple[str, str], ...] = (
    ("workload.clients.0.continues", "true"),
    ("workload.duration", "5 min"),
)

Settings: TypeAlias = tuple[tuple[str, str], ...]


class NinfRuns:
    """All runs of one study, each made when it is first asked for."""

    def __init__(self, study: StudyFile, runs: int, seed: int, work: Work | None = None) -> None:
        self.study = study
        self.runs = runs
        self.seed = seed
        self.made = 0
        self.work = work or Work(1)
        self._cells: dict[tuple[str, Settings], list[CallsResult]] = {}

    @cached_property
    def machine(self) -> Servers:
        """The servers of the study."""
        return load_servers(MACHINE)

    def published(self, figure: str) -> float:
        """The number that the paper prints for a figure of the study."""
        (value,) = (one.value for one in self.study.figures if one.id == figure)
        if value is None:
            raise StudyError(f"{figure} has no printed number")
        return value

    def cell(self, calls: str, *settings: tuple[str, str], runs: int = 0) -> list[CallsResult]:
        """The runs of a file of calls with these settings."""
        key = (calls, settings)
        if key not in self._cells:
            changed = any(path.startswith("machine.") for path, _ in settings)
            machine = MACHINE if changed else self.machine
            plan = load_call_plan(machine, calls, settings=settings, seed=self.seed)
            numbers = range(runs or self.runs)
            self._cells[key] = [self._serve(replace(plan, run=number)) for number in numbers]
            self.made += len(numbers)
        return self._cells[key]

    def _serve(self, plan: CallPlan) -> CallsResult:
        result = serve(plan)
        self.work.add(len(result.calls))
        return result

    # -- many clients ---------------------------------------------------------------------

    def lan(self, n: int, clients: int, library: str, *more: tuple[str, str]) -> list[CallsResult]:
        """Clients on the server's network."""
        return self.cell("ninf-lan", *_linpack(n, clients, library), *more)

    def ratio(self, n: int, clients: int, *more: tuple[str, str]) -> float:
        """Mean performance with the 4-PE library over that with the 1-PE library."""
        return rate(self.lan(n, clients, "4pe", *more)) / rate(self.lan(n, clients, "1pe"))

    def ratios(self, clients: Sequence[int]) -> dict[tuple[int, int], float]:
        """The ratio of each cell with these numbers of clients, by (n, clients)."""
        return {(n, c): self.ratio(n, c) for n in SIZES for c in clients}

    def open(self, n: int, clients: int, library: str) -> list[CallsResult]:
        """As :meth:`lan`, but trials go on while a call is out; for five minutes, once."""
        return self.cell("ninf-lan", *_linpack(n, clients, library), *TRIALS_GO_ON, runs=1)

    def wan(self, n: int, clients: int, *more: tuple[str, str]) -> list[CallsResult]:
        """Clients at one far site, with the 4-PE library."""
        return self.cell("ninf-wan", *_linpack(n, clients, "4pe"), *more)

    def sites(self, n: int, clients: int) -> list[CallsResult]:
        """As many clients at four sites."""
        settings = [
            ("workload.clients.*.n", str(n)),
            ("workload.clients.*.count", str(clients // 4)),
        ]
        return self.cell("ninf-wan-sites", *settings)

    def ep(self, clients: int, site: str) -> list[CallsResult]:
        """Clients of EP at a site."""
        settings = [
            ("workload.clients.0.count", str(clients)),
            ("workload.clients.0.site", site),
        ]
        return self.cell("ninf-ep", *settings)

    def choice(self, choose: str) -> list[CallsResult]:
        """Near and far clients, whose servers are chosen this way."""
        return self.cell("ninf-choice", ("workload.choose", choose))

    # -- one client -----------------------------------------------------------------------

    def single(
        self, client: str, n: int, server: str = "j90", library: str = "4pe", *more: tuple[str, str]
    ) -> Call:
        """One call with nobody else there: the best of any number."""
        settings = [
            ("workload.clients.0.client", client),
            ("workload.clients.0.n", str(n)),
            ("workload.clients.0.server", server),
            ("workload.clients.0.library", library),
        ]
        return self.cell("ninf-single", *settings, *more, runs=1)[0].calls[0]

    def local_ns(self, client: str, library: str, n: int) -> int:
        """The same computed by the client itself."""
        problem = Linpack(n)
        section = self.machine.clients[client].libraries[library]
        return library_spec(section).compute_ns(problem.operations, problem.length)

    def gain(self, client: str, library: str, n: int) -> float:
        """How many times faster a call is than local execution."""
        return self.local_ns(client, library, n) / self.single(client, n).elapsed_ns

    def crossover(self, client: str, library: str) -> int:
        """The smallest n, a multiple of ten, at which a call is faster, by bisection."""
        low, high = 1, LARGEST // STEP
        while low < high:
            middle = (low + high) // 2
            if self.gain(client, library, middle * STEP) > 1:
                high = middle
            else:
                low = middle + 1
        return low * STEP

    def pairs(self) -> dict[str, Call]:
        """A call of n = 1000 for each pair that the paper has measured, by ``client-server``."""
        places = {"ultra": "murata", "alpha": "murata", "j90": "4pe"}
        wanted = {
            "supersparc": ("ultra", "alpha", "j90"),
            "ultrasparc": ("alpha", "j90"),
            "alpha": ("j90",),
        }
        return {
            f"{client}-{server}": self.single(client, 1000, server, places[server])
            for client, servers in wanted.items()
            for server in servers
        }

    def gaps_s(self) -> list[float]:
        """Times between the calls of clients whose trials go on, in seconds."""
        settings = [
            ("workload.clients.0.problem", "ep"),
            ("workload.clients.0.library", "ep"),
            ("workload.clients.0.n", "4"),
            ("workload.clients.0.continues", "true"),
            ("workload.duration", "2 h"),
        ]
        starts: dict[int, list[int]] = {}
        for call in self.cell("ninf-lan", *settings, runs=1)[0].calls:
            starts.setdefault(call.caller, []).append(call.submitted_ns)
        pairs = [pair for times in starts.values() for pair in pairwise(times)]
        return [(after - before) / 1e9 for before, after in pairs]


def _linpack(n: int, clients: int, library: str) -> Settings:
    return (
        ("workload.clients.0.n", str(n)),
        ("workload.clients.0.count", str(clients)),
        ("workload.clients.0.library", library),
    )


def rate(results: Sequence[CallsResult]) -> float:
    """Mean performance of a client's calls, operations per second."""
    return fmean(one.mean_rate() for one in results)


def mean(results: Sequence[CallsResult], what: Callable[[CallsResult], float]) -> float:
    """Mean of something over the runs of a cell."""
    return fmean(map(what, results))


def elapsed_s(results: Sequence[CallsResult]) -> float:
    """Mean time of a call."""
    return mean(results, lambda one: one.mean_s(lambda call: call.elapsed_ns))

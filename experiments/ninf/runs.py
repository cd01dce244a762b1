"""The runs of the Ninf study: cells of clients, problems, libraries and networks, cached.

A cell is run several times with other draws of the clients' trials.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from simulator.config.formats import load_machine
from simulator.kinds.parts.link.section import Link
from simulator.kinds.parts.timeshare.section import TimeShare
from simulator.kinds.services.numerical_client.section import NumericalClient
from simulator.kinds.services.numerical_server.problems import Linpack
from simulator.prepared import Prepared
from simulator.run import run_plan
from simulator.study.change import NOTHING, Change
from simulator.study.study_file import StudyError
from simulator.study.work import Work

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.plan.services import LibrarySpec
    from simulator.result.numerical import NumericalCall, NumericalResult
    from simulator.study.study_file import StudyFile

MACHINE = "ninf"
SIZES = (600, 1000, 1400)
FEW, MANY = (1, 2, 4), (8, 16)
CLIENTS = (*FEW, *MANY)
STEP = 10
"""Step of n in the search for crossovers."""
LARGEST = 1600
LOADED = 5
"""Minimum number of runs for loads."""
KEPT = 160
"""Results cached by a process for the next machine: some 60 MB; a fit's figures need 35."""
ALONE = "ninf-single"
"""Runs of one call, which are not cached: making a plan takes as long."""
Made = TypeVar("Made")
Setting: TypeAlias = tuple[str, str]
Settings: TypeAlias = tuple[Setting, ...]


def jobs(processes: int | None = None, on: str | None = None) -> Settings:
    """Return settings of all jobs: number of processes, and kind of clients."""
    given = (("processes", processes), ("on", None if on is None else f"{on}-client"))
    return tuple((f"workload.jobs.*.{key}", str(one)) for key, one in given if one is not None)


def calls(**values: object) -> Settings:
    """Return settings of all phases of calls: ``calls(n=600, library="1pe")``."""
    return tuple((f"workload.jobs.*.phases.*.{key}", str(one)) for key, one in values.items())


class RunCache(Generic[Made]):
    """Cached results of the last plans of a process (read-only).

    A fit changes one value at a time, and most runs do not depend on each of them.
    """

    def __init__(self, most: int) -> None:
        """``most``: maximum number of cached results."""
        self._most = most
        self._results: OrderedDict[bytes, Made] = OrderedDict()

    def result(self, plan: Plan, run: Callable[[Plan], Made]) -> Made:
        """Return the result of ``run`` for a plan, cached for equal plans.

        Equality ignores the digest of the input, which also covers values of the machine that a
        workload does not use.
        """
        key = hashlib.sha256(pickle.dumps(replace(plan, digest=""))).digest()
        if key not in self._results:
            self._results[key] = run(plan)
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        self._results.move_to_end(key)
        return self._results[key]


TRIALS_GO_ON = calls(continues="true", duration="5 min")


class NinfRuns:
    """All runs of one study, each made on first use."""

    engine_used = "reference"

    def __init__(
        self,
        study: StudyFile,
        runs: int,
        seed: int,
        work: Work | None = None,
        change: Change = NOTHING,
    ) -> None:
        """``change`` applies to all cells; settings of a cell take precedence."""
        self.study = study
        self.runs = runs
        self.seed = seed
        self.made = 0
        self.work = work or Work(1)
        machine = change.of_machine
        self._files = functools.cache(lambda workload: Prepared(MACHINE, workload, machine))
        others = tuple(one for one in change.settings if one not in machine)
        self._change = replace(change, settings=others)
        self.machine = load_machine(MACHINE, machine)
        self._cells: dict[tuple[str, Settings, int], list[NumericalResult]] = {}

    def published(self, figure: str) -> float:
        """Return the paper's number for a figure of the study."""
        (value,) = (one.value for one in self.study.figures if one.id == figure)
        if value is None:
            raise StudyError(f"{figure} has no printed number")
        return value

    def cell(self, workload: str, *settings: Setting, runs: int = 0) -> list[NumericalResult]:
        """Return the runs of a workload with these settings."""
        count = runs or self.runs
        key = (workload, settings, count)
        if key not in self._cells:
            plan = self._plan(workload, *settings)
            result = _run_plan if workload == ALONE else _run_cache
            self._cells[key] = made = []
            for number in range(count):
                made.append(result(replace(plan, run=number)))
                self.work.add(len(made[-1].calls))
            self.made += count
        return self._cells[key]

    def _plan(self, workload: str, *settings: Setting) -> Plan:
        name = self._change.job(workload)
        plan = self._change.made(
            lambda given: self._files(name).plan(given, seed=self.seed), settings
        )
        return replace(plan, noisy=False)

    # -- many clients ---------------------------------------------------------------------

    def lan(self, n: int, clients: int, library: str, *more: Setting) -> list[NumericalResult]:
        """Return the runs of clients on the server's network."""
        return self.cell("ninf-lan", *_linpack(n, clients, library), *more)

    def loaded(self, clients: int) -> list[NumericalResult]:
        """Return the LAN with n = 1400 and the 4-PE library, several runs: peaks vary by draw."""
        count = max(self.runs, LOADED)
        return self.cell("ninf-lan", *_linpack(1400, clients, "4pe"), runs=count)

    def ratio(self, n: int, clients: int, *more: Setting) -> float:
        """Return mean performance with the 4-PE library over that with the 1-PE library."""
        return rate(self.lan(n, clients, "4pe", *more)) / rate(self.lan(n, clients, "1pe"))

    def ratios(self, clients: Sequence[int]) -> dict[tuple[int, int], float]:
        """Return the ratio of each cell with these numbers of clients, by (n, clients)."""
        return {(n, c): self.ratio(n, c) for n in SIZES for c in clients}

    def open(self, n: int, clients: int) -> list[NumericalResult]:
        """Return the runs of :meth:`lan` with trials during calls; for five minutes, once."""
        return self.cell("ninf-lan", *_linpack(n, clients, "4pe"), *TRIALS_GO_ON, runs=1)

    def wan(self, n: int, clients: int, *more: Setting) -> list[NumericalResult]:
        """Return the runs of clients at one far site, with the 4-PE library."""
        return self.cell("ninf-wan", *_linpack(n, clients, "4pe"), *more)

    def twice_the_line(self) -> Setting:
        """Return the runs with twice the rate of the far site's line."""
        line = self.machine.parts["ocha-line"]
        assert isinstance(line, Link)
        return ("machine.parts.ocha-line.rate", f"{2 * line.rate:g} B/s")

    def twice_the_pes(self) -> Setting:
        """Return the runs with twice the PEs of the J90."""
        pes = self.machine.parts["j90-pes"]
        assert isinstance(pes, TimeShare)
        return ("machine.parts.j90-pes.pes", str(2 * pes.pes))

    def sites(self, n: int, clients: int) -> list[NumericalResult]:
        """Return the runs of the same number of clients at four sites."""
        return self.cell("ninf-wan-sites", *jobs(clients // 4), *calls(n=n))

    def ep(self, clients: int, site: str) -> list[NumericalResult]:
        """Return the runs of clients of EP at a site."""
        return self.cell("ninf-ep", *jobs(clients), *calls(site=site))

    def choice(self, choose: str) -> list[NumericalResult]:
        """Return the runs of near and far clients with a choice of server."""
        return self.cell("ninf-choice", *calls(choose=choose))

    # -- one client -----------------------------------------------------------------------

    def single(
        self, client: str, n: int, server: str = "j90", library: str = "4pe", *more: Setting
    ) -> NumericalCall:
        """Return one call without others: the best for any number."""
        once = calls(every="10 s", chance="100 %", duration="1 s")
        settings = (*jobs(on=client), *calls(n=n, server=server, library=library), *once)
        return self.cell(ALONE, *settings, *more, runs=1)[0].calls[0]

    def local_ns(self, client: str, library: str, n: int) -> int:
        """Return the time of local execution by the client."""
        problem = Linpack(n)
        section = self.machine.services[f"{client}-client"]
        assert isinstance(section, NumericalClient)
        spec: LibrarySpec = section.libraries[library].spec()
        return spec.compute_ns(problem.operations, problem.length)

    def gain(self, client: str, library: str, n: int) -> float:
        """Return the speedup of a call over local execution."""
        return self.local_ns(client, library, n) / self.single(client, n).elapsed_ns

    def crossover(self, client: str, library: str) -> int:
        """Return the smallest n, a multiple of ten, at which a call is faster, by bisection."""
        low, high = 1, LARGEST // STEP
        while low < high:
            middle = (low + high) // 2
            if self.gain(client, library, middle * STEP) > 1:
                high = middle
            else:
                low = middle + 1
        return low * STEP

    def pairs(self) -> dict[str, NumericalCall]:
        """Return a call of n = 1000 for each measured pair of the paper, by ``client-server``."""
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
        """Return the times between calls of clients whose trials continue, in seconds."""
        settings = calls(problem="ep", library="ep", n=4, continues="true", duration="30 min")
        starts: dict[str, list[int]] = {}
        for call in self.cell("ninf-lan", *settings, runs=1)[0].calls:
            starts.setdefault(call.process, []).append(call.submitted_ns)
        pairs = [pair for times in starts.values() for pair in pairwise(times)]
        return [(after - before) / 1e9 for before, after in pairs]


def _run_plan(plan: Plan) -> NumericalResult:
    result = run_plan(plan, engine="reference").numerical
    assert result is not None
    return result


def _run_cache(plan: Plan) -> NumericalResult:
    return _before().result(plan, _run_plan)


@functools.cache
def _before() -> RunCache[NumericalResult]:
    """Return the results cached by this process for other machines."""
    return RunCache(KEPT)


def _linpack(n: int, clients: int, library: str) -> Settings:
    return (*jobs(clients), *calls(n=n, library=library))


def rate(results: Sequence[NumericalResult]) -> float:
    """Return the mean performance of a client's calls, operations per second."""
    return fmean(one.mean_rate() for one in results)


def mean(results: Sequence[NumericalResult], what: Callable[[NumericalResult], float]) -> float:
    """Return the mean of a quantity over the runs of a cell."""
    return fmean(map(what, results))


def elapsed_s(results: Sequence[NumericalResult]) -> float:
    """Return the mean time of a call."""
    return mean(results, lambda one: one.mean_s(lambda call: call.elapsed_ns))

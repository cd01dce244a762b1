"""The runs of the Ninf study: cells of clients, problems, libraries and networks, each run once.

A cell is run several times with other draws of the clients' trials, and kept.
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
from simulator.config.services import NumericalClient
from simulator.kinds.parts.link.section import Link
from simulator.kinds.parts.timeshare.section import TimeShare
from simulator.prepared import Prepared
from simulator.run import run_plan
from simulator.study.change import NOTHING, Change
from simulator.study.study_file import StudyError
from simulator.study.work import Work
from simulator.workload.problems import Linpack

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.numerical import NumericalCall, NumericalResult
    from simulator.study.study_file import StudyFile

MACHINE = "ninf"
SIZES = (600, 1000, 1400)
FEW, MANY = (1, 2, 4), (8, 16)
CLIENTS = (*FEW, *MANY)
STEP = 10
"""Crossovers are looked for at every tenth n."""
LARGEST = 1600
LOADED = 5
"""Runs, at least, from which loads are taken."""
KEPT = 160
"""Results that a process keeps for the next machine: some 60 MB; a fit's figures need 35."""
ALONE = "ninf-single"
"""Runs of one call, which are not kept: to make a plan takes as long."""
Made = TypeVar("Made")
Setting: TypeAlias = tuple[str, str]
Settings: TypeAlias = tuple[Setting, ...]


def jobs(processes: int | None = None, on: str | None = None) -> Settings:
    """Return settings of all jobs: how many processes, and on which kind of clients."""
    given = (("processes", processes), ("on", None if on is None else f"{on}-client"))
    return tuple((f"workload.jobs.*.{key}", str(one)) for key, one in given if one is not None)


def calls(**values: object) -> Settings:
    """Return settings of all phases of calls: ``calls(n=600, library="1pe")``."""
    return tuple((f"workload.jobs.*.phases.*.{key}", str(one)) for key, one in values.items())


class KnownRuns(Generic[Made]):
    """What came of the plans that a process has carried out last; it must not be changed.

    A fit moves one value after the other, and most runs do not depend on each of them.
    """

    def __init__(self, most: int) -> None:
        """``most``: results that are kept."""
        self._most = most
        self._kept: OrderedDict[bytes, Made] = OrderedDict()

    def result(self, plan: Plan, run: Callable[[Plan], Made]) -> Made:
        """Return what ``run`` makes of a plan, or has made of an equal one.

        Plans are equal if all but the digest of their input is: values of the machine that a
        workload does not use are in the digest only.
        """
        key = hashlib.sha256(pickle.dumps(replace(plan, digest=""))).digest()
        if key not in self._kept:
            self._kept[key] = run(plan)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


TRIALS_GO_ON = calls(continues="true", duration="5 min")


class NinfRuns:
    """All runs of one study, each made when it is first asked for."""

    engine_used = "reference"

    def __init__(
        self,
        study: StudyFile,
        runs: int,
        seed: int,
        work: Work | None = None,
        change: Change = NOTHING,
    ) -> None:
        """``change`` is made in all cells; what a cell sets itself comes after it."""
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
        """The number that the paper prints for a figure of the study."""
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
            result = _carried_out if workload == ALONE else _known
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
        """Clients on the server's network."""
        return self.cell("ninf-lan", *_linpack(n, clients, library), *more)

    def loaded(self, clients: int) -> list[NumericalResult]:
        """The LAN with n = 1400 and the 4-PE library, in several runs: a peak varies with draws."""
        count = max(self.runs, LOADED)
        return self.cell("ninf-lan", *_linpack(1400, clients, "4pe"), runs=count)

    def ratio(self, n: int, clients: int, *more: Setting) -> float:
        """Mean performance with the 4-PE library over that with the 1-PE library."""
        return rate(self.lan(n, clients, "4pe", *more)) / rate(self.lan(n, clients, "1pe"))

    def ratios(self, clients: Sequence[int]) -> dict[tuple[int, int], float]:
        """The ratio of each cell with these numbers of clients, by (n, clients)."""
        return {(n, c): self.ratio(n, c) for n in SIZES for c in clients}

    def open(self, n: int, clients: int) -> list[NumericalResult]:
        """As :meth:`lan`, but trials go on while a call is out; for five minutes, once."""
        return self.cell("ninf-lan", *_linpack(n, clients, "4pe"), *TRIALS_GO_ON, runs=1)

    def wan(self, n: int, clients: int, *more: Setting) -> list[NumericalResult]:
        """Clients at one far site, with the 4-PE library."""
        return self.cell("ninf-wan", *_linpack(n, clients, "4pe"), *more)

    def twice_the_line(self) -> Setting:
        """Twice the rate of the far site's line."""
        line = self.machine.parts["ocha-line"]
        assert isinstance(line, Link)
        return ("machine.parts.ocha-line.rate", f"{2 * line.rate:g} B/s")

    def twice_the_pes(self) -> Setting:
        """Twice the PEs of the J90."""
        pes = self.machine.parts["j90-pes"]
        assert isinstance(pes, TimeShare)
        return ("machine.parts.j90-pes.pes", str(2 * pes.pes))

    def sites(self, n: int, clients: int) -> list[NumericalResult]:
        """As many clients at four sites."""
        return self.cell("ninf-wan-sites", *jobs(clients // 4), *calls(n=n))

    def ep(self, clients: int, site: str) -> list[NumericalResult]:
        """Clients of EP at a site."""
        return self.cell("ninf-ep", *jobs(clients), *calls(site=site))

    def choice(self, choose: str) -> list[NumericalResult]:
        """Near and far clients, whose servers are chosen this way."""
        return self.cell("ninf-choice", *calls(choose=choose))

    # -- one client -----------------------------------------------------------------------

    def single(
        self, client: str, n: int, server: str = "j90", library: str = "4pe", *more: Setting
    ) -> NumericalCall:
        """One call with nobody else there: the best of any number."""
        once = calls(every="10 s", chance="100 %", duration="1 s")
        settings = (*jobs(on=client), *calls(n=n, server=server, library=library), *once)
        return self.cell(ALONE, *settings, *more, runs=1)[0].calls[0]

    def local_ns(self, client: str, library: str, n: int) -> int:
        """The same computed by the client itself."""
        problem = Linpack(n)
        section = self.machine.services[f"{client}-client"]
        assert isinstance(section, NumericalClient)
        return section.libraries[library].spec().compute_ns(problem.operations, problem.length)

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

    def pairs(self) -> dict[str, NumericalCall]:
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
        settings = calls(problem="ep", library="ep", n=4, continues="true", duration="30 min")
        starts: dict[str, list[int]] = {}
        for call in self.cell("ninf-lan", *settings, runs=1)[0].calls:
            starts.setdefault(call.process, []).append(call.submitted_ns)
        pairs = [pair for times in starts.values() for pair in pairwise(times)]
        return [(after - before) / 1e9 for before, after in pairs]


def _carried_out(plan: Plan) -> NumericalResult:
    result = run_plan(plan, engine="reference").numerical
    assert result is not None
    return result


def _known(plan: Plan) -> NumericalResult:
    return _before().result(plan, _carried_out)


@functools.cache
def _before() -> KnownRuns[NumericalResult]:
    """What this process knows of other machines."""
    return KnownRuns(KEPT)


def _linpack(n: int, clients: int, library: str) -> Settings:
    return (*jobs(clients), *calls(n=n, library=library))


def rate(results: Sequence[NumericalResult]) -> float:
    """Mean performance of a client's calls, operations per second."""
    return fmean(one.mean_rate() for one in results)


def mean(results: Sequence[NumericalResult], what: Callable[[NumericalResult], float]) -> float:
    """Mean of something over the runs of a cell."""
    return fmean(map(what, results))


def elapsed_s(results: Sequence[NumericalResult]) -> float:
    """Mean time of a call."""
    return mean(results, lambda one: one.mean_s(lambda call: call.elapsed_ns))

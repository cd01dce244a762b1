"""Repeated runs of a machine and a workload, which share all common work.

Plans are cached here and nowhere else.

A light run takes half a millisecond; reading, checking, planning and flattening take three times as
long (docs/decisions/0077). Kept from one run to the next:

- the sections of a file that settings do not change (:mod:`simulator.config.variants`),
- the compatibility of a machine and a workload, and their plan, where only numbers of resources and
  stores differ,
- the native engine's columns that two plans have in common (:mod:`simulator.native.columns`).

The results are those of ``load_plan`` and ``run_plan`` with the same settings.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from simulator.config.errors import ConfigError, Problem, raise_errors
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.identity import digest_of
from simulator.config.lowering.plan import Lowering, make_plan, with_workers
from simulator.config.lowering.tables import only_numbers_differ
from simulator.config.variants import Variants
from simulator.native import column_cache
from simulator.run import Observer, run_plan, run_totals

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.inputfile import Source
    from simulator.native.columns import ColumnCache
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.result.totals import Totals
    from simulator.run import EngineName


class Plans:
    """Makes and runs plans; similar machines share most of the work.

    One thread makes them, and several may run them: each has a cache of columns.
    """

    def __init__(self) -> None:
        self._fitted: tuple[Machine, Workload] | None = None
        self._last: tuple[Machine, Workload, Plan, bool] | None = None
        """What the last plan was made of, and whether its rows are those of one seed."""
        self._local = threading.local()

    def misfits(self, machine: Machine, workload: Workload) -> list[Problem]:
        """List incompatibilities of the two; empty if two similar ones were compatible."""
        if self._fitted is not None:
            before, same = self._fitted
            numbers = only_numbers_differ(machine, before)
            if workload is same and numbers and not workload.events:
                return []
        problems = [one for one in fit(machine, workload) if one.severity == "error"]
        if not problems:
            self._fitted = machine, workload
        return problems

    def fitted(self, machine: Machine, workload: Workload, seed: int | None = None) -> Plan:
        """Make a plan without a digest; ConfigError if the two are incompatible."""
        raise_errors(self.misfits(machine, workload))
        return self.make(machine, workload, "-", seed)

    def make(self, machine: Machine, workload: Workload, digest: str, seed: int | None) -> Plan:
        """Make the plan of a compatible pair; ``seed`` is None if service times do not vary."""
        noisy, number = seed is not None, seed or 0
        if self._last is not None:
            before, same, plan, draws = self._last
            seeds = not draws or number == plan.seed
            alike = workload is same and seeds and not workload.events
            if alike and only_numbers_differ(machine, before):
                tables = machine.tables
                stores = plan.stores
                if tables.stores != before.tables.stores:
                    stores = with_workers(tables.stores, len(plan.processes))
                mine = replace(plan, digest=digest, seed=number, noisy=noisy)
                return replace(mine, parts=tuple(tables.parts), stores=stores)
        whole = Lowering(machine, workload, number)
        whole.lower()
        plan = whole.plan(digest=digest, noisy=noisy)
        self._last = machine, workload, plan, whole.draws
        return plan

    def run(
        self,
        plan: Plan,
        *,
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
    ) -> Result:
        """Run a plan, as :func:`run_plan`; ``stopped`` is polled."""
        return run_plan(plan, engine=engine, watch=Observer(stopped), cache=self._cache())

    def totals(
        self,
        plan: Plan,
        *,
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
    ) -> Totals:
        """Run a plan in the same way, and return its totals."""
        return run_totals(plan, engine=engine, watch=Observer(stopped), cache=self._cache())

    def _cache(self) -> ColumnCache | None:
        """Return the cache of the native engine's columns for this thread."""
        if not hasattr(self._local, "cache"):
            self._local.cache = column_cache()
        cache: ColumnCache | None = self._local.cache
        return cache


class Prepared:
    """A machine and a workload that are run many times, each time with some settings changed.

    Settings have full paths. Both files are read once.

    >>> prepared = Prepared("workstation", "copy-file", [("workload.files.source.size", "1 MB")])
    >>> rates = ["40 MB/s", "80 MB/s"]
    >>> slow, fast = (prepared.plan([("machine.parts.disk.rate", rate)]) for rate in rates)
    >>> prepared.plans.run(slow).elapsed_ns > prepared.plans.run(fast).elapsed_ns
    True
    """

    def __init__(self, machine: Source, workload: Source, settings: Iterable[Setting] = ()) -> None:
        """``settings`` are those of all runs.

        Faults are reported when files are loaded, since the settings of a run may correct them.
        """
        of_machine, of_workload = divided(settings)
        self._set(Variants(MACHINE, machine, of_machine), Variants(WORKLOAD, workload, of_workload))

    @classmethod
    def of(cls, machines: Variants[Machine], workloads: Variants[Workload]) -> Self:
        """Return the prepared form of files that were read already."""
        made = cls.__new__(cls)
        made._set(machines, workloads)
        return made

    def _set(self, machines: Variants[Machine], workloads: Variants[Workload]) -> None:
        self.machines = machines
        self.workloads = workloads
        self.plans = Plans()

    def load(self, settings: Iterable[Setting] = ()) -> tuple[Machine, Workload]:
        """Return both files with some settings; ConfigError lists the faults of either."""
        of_machine, of_workload = divided(settings)
        problems: list[Problem] = []
        try:
            machine = self.machines.load(of_machine)
        except ConfigError as error:
            problems += error.problems
        try:
            workload = self.workloads.load(of_workload)
        except ConfigError as error:
            problems += error.problems
        raise_errors(problems)
        return machine, workload

    def misfits(self, settings: Iterable[Setting]) -> list[Problem]:
        """List incompatibilities of both, each value with its position."""
        of_machine, of_workload = divided(settings)
        read = self.machines.explained(of_machine), self.workloads.explained(of_workload)
        return [one for one in fit(*read) if one.severity == "error"]

    def doubts(self, settings: Iterable[Setting], *, noisy: bool) -> list[Problem]:
        """List warnings about valid but suspicious input, as a run of these settings reports them.

        ``noisy``: true if the run varies service times.
        """
        of_machine, of_workload = divided(settings)
        read = self.machines.explained(of_machine), self.workloads.explained(of_workload)
        return [one for one in fit(*read, noisy=noisy) if one.severity == "warning"]

    def plan(self, settings: Iterable[Setting] = (), *, seed: int | None = None) -> Plan:
        """Make the plan of a run; ConfigError lists all faults."""
        given = tuple(settings)
        machine, workload = self.load(given)
        if self.plans.misfits(machine, workload):
            raise ConfigError(self.misfits(given))
        return self.plans.make(machine, workload, digest_of_both(machine, workload), seed)


def divided(settings: Iterable[Setting]) -> tuple[tuple[Setting, ...], tuple[Setting, ...]]:
    """Return the settings of the machine, and those of the workload, without others (a seed).

    >>> divided([("workload.jobs.0.nodes", "8"), ("seed", "1")])
    ((), (('workload.jobs.0.nodes', '8'),))
    """
    heads: dict[str, list[Setting]] = {"machine": [], "workload": []}
    for one in settings:
        heads.get(one[0].partition(".")[0], []).append(one)
    return tuple(heads["machine"]), tuple(heads["workload"])


def digest_of_both(machine: Machine, workload: Workload) -> str:
    """Return the digest of a machine and a workload, with its files of calls."""
    if any(True for job in workload.jobs for _ in job.lists()):
        return make_plan(machine, workload).digest
    return digest_of(machine, workload)

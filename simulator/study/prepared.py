"""A machine and a workload prepared once, and run with changed settings many times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem, raise_errors
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.knobs import are_full, resolved
from simulator.config.lowering.alike import only_numbers_differ
from simulator.config.lowering.plan import Plans
from simulator.config.variants import FileText, Variants
from simulator.native.known import Known

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.run import EngineName

Files = tuple[FileText | None, FileText | None]
"""The texts of the machine's and the workload's file; None for one that is still to be read."""


class Fitting:
    """Finds out whether machines fit workloads, once for those that are alike."""

    def __init__(self) -> None:
        self._last: tuple[Machine, Workload] | None = None

    def __call__(self, machine: Machine, workload: Workload) -> bool:
        """Return whether the two fit together, as they do if two that are alike have done so."""
        if self._last is not None:
            before, same = self._last
            if workload is same and only_numbers_differ(machine, before):
                return True
        if errors_of(fit(machine, workload)):
            return False
        self._last = machine, workload
        return True


class Prepared:
    """A machine and a workload that are run many times, each time with some settings changed.

    The files are read once. Of a run whose settings are numbers, only the sections that have them
    are made and checked anew; numbers of parts and stores leave the rest of the plan and of the
    engine's tables as they were for the run before. The results are those of ``load_plan`` and
    ``run_plan`` with the same settings, and so are the errors. Not for several threads at a time.

    >>> prepared = Prepared("workstation", "copy-file", [("source.size", "1 MB")])
    >>> rates = ["40 MB/s", "80 MB/s"]
    >>> slow, fast = (prepared.run([("machine.parts.disk.rate", rate)]) for rate in rates)
    >>> slow.elapsed_ns > fast.elapsed_ns
    True
    """

    def __init__(
        self,
        machine: str,
        workload: str,
        settings: Sequence[Setting] = (),
        files: Files = (None, None),
    ) -> None:
        """Read both files; ``settings`` are those of all runs, ``files`` texts already read.

        ConfigError if a setting has a name that the files do not have; other mistakes are told
        when a plan is made, since its own settings may mend them.
        """
        self.machines: Variants[Machine] = Variants(MACHINE, machine, (), files[0])
        self.workloads: Variants[Workload] = Variants(WORKLOAD, workload, (), files[1])
        fixed = self._full(settings)
        self.machines = Variants(MACHINE, machine, of("machine", fixed), files[0])
        self.workloads = Variants(WORKLOAD, workload, of("workload", fixed), files[1])
        self._fits = Fitting()
        self._plans = Plans()
        self._known = Known()

    def plan(
        self, settings: Iterable[Setting] = (), *, seed: int | None = None, run: int = 0
    ) -> Plan:
        """Make the plan of a run; without a seed service times do not vary.

        Settings have short names or full paths. ConfigError lists everything that is wrong.
        """
        given = self._full(settings)
        mine = of("machine", given), of("workload", given)
        machine, workload = self._load(*mine)
        if not self._fits(machine, workload):
            raise_errors(fit(self.machines.explained(mine[0]), self.workloads.explained(mine[1])))
        digest = digest_of_both(machine, workload)
        return self._plans.make(machine, workload, digest, seed, run)

    def run(
        self,
        settings: Iterable[Setting] = (),
        *,
        seed: int | None = None,
        run: int = 0,
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
    ) -> Result:
        """Run with some settings changed; raises what :meth:`plan` and ``run_plan`` raise."""
        from simulator.run import Watch, run_plan

        plan = self.plan(settings, seed=seed, run=run)
        return run_plan(plan, engine=engine, watch=Watch(stopped), known=self._known)

    def _load(
        self, mine: tuple[Setting, ...], others: tuple[Setting, ...]
    ) -> tuple[Machine, Workload]:
        """Load both files; ConfigError lists what is wrong with either."""
        problems: list[Problem] = []
        try:
            machine = self.machines.load(mine)
        except ConfigError as error:
            problems += error.problems
        try:
            workload = self.workloads.load(others)
        except ConfigError as error:
            problems += error.problems
        raise_errors(problems)
        return machine, workload

    def _full(self, settings: Iterable[Setting]) -> tuple[Setting, ...]:
        """Return settings with full paths."""
        given = tuple(settings)
        if are_full(given):
            return given
        return tuple(resolved(given, self.machines.load(()), self.workloads.load(())))


def of(head: str, settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Return the settings of the machine, or of the workload."""
    return tuple(one for one in settings if one[0].partition(".")[0] == head)


def resolved_for(
    machine: str, workload: str, settings: Sequence[Setting], files: Sequence[FileText | None]
) -> list[Setting]:
    """Return settings with full paths; ConfigError as of :func:`simulator.run.with_full_paths`.

    ``files``: the texts of the machine's and the workload's file, if they have been read already.
    """
    from simulator.run import Text, with_full_paths

    read, work = (
        name if text is None else Text(*text)
        for name, text in zip((machine, workload), files, strict=True)
    )
    return with_full_paths(settings, read, work)


def digest_of_both(machine: Machine, workload: Workload) -> str:
    """Return the digest of a machine and a workload that fit together, with its files of calls."""
    from simulator.config.identity import digest_of

    if any(True for job in workload.jobs for _ in job.lists()):
        from simulator.config.lowering.plan import make_plan

        return make_plan(machine, workload).digest
    return digest_of(machine, workload)


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that are no warnings."""
    return [one for one in problems if one.severity == "error"]

"""A run that is made again with other settings, as often as a question needs it.

Files are read once; what a setting does not touch is neither read nor lowered again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, raise_errors
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.lowering.alike import only_numbers_differ
from simulator.config.lowering.plan import Plans
from simulator.config.variants import Variants
from simulator.errors import InputError
from simulator.native.known import Known
from simulator.result.errors import SimulationError
from simulator.run import EngineName, Text, Watch, run_plan

if TYPE_CHECKING:
    from simulator.config.load import File, Kind
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.variants import FileText
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.run import Inputs, Source


class Again(ABC):
    """A run of a machine that can be made again."""

    def __init__(
        self,
        machine: Machine,
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        """``stopped`` is asked now and then whether to give up (KeyboardInterrupt)."""
        self.machine = machine
        self._engine: EngineName = engine
        self._stopped = stopped
        self._known = Known()

    @property
    def workload(self) -> Workload | None:
        """The workload, if it has a file whose values can be set."""
        return None

    @abstractmethod
    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError or InputError if they are refused."""

    def run(self, settings: Sequence[Setting]) -> Result | None:
        """Run with more settings; None if the machine cannot be like that, or stands still."""
        try:
            plan = self.plan(settings)
            return run_plan(
                plan, engine=self._engine, known=self._known, watch=Watch(self._stopped)
            )
        except (ConfigError, InputError, SimulationError):
            return None


class InputsAgain(Again):
    """A run of a machine file and a workload file."""

    def __init__(
        self, inputs: Inputs, *, seed: int | None = None, engine: EngineName = "auto"
    ) -> None:
        super().__init__(inputs.machine, engine)
        self._workload = inputs.workload
        machine, workload = inputs.sources
        self._machines: Variants[Machine] = _variants(
            MACHINE, machine, [one for one in inputs.settings if _head(one) == "machine"]
        )
        self._workloads: Variants[Workload] = _variants(
            WORKLOAD, workload, [one for one in inputs.settings if _head(one) == "workload"]
        )
        self._fitted = FittedPlans(seed)

    @property
    def workload(self) -> Workload | None:
        """The workload."""
        return self._workload

    def loaded(self, settings: Sequence[Setting]) -> tuple[Machine, Workload]:
        """Return both files with more settings; ConfigError if they are refused."""
        machine = self._machines.load([one for one in settings if _head(one) == "machine"])
        mine = [one for one in settings if _head(one) == "workload"]
        return machine, self._workloads.load(mine) if mine else self._workload

    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError if they are refused."""
        return self._fitted.plan(*self.loaded(settings))


class LoweredAgain(Again):
    """A run of whatever is planned for a machine of which there are variants."""

    def __init__(
        self,
        variants: Variants[Machine],
        settings: Sequence[Setting],
        make: Callable[[Machine], Plan],
        engine: EngineName = "auto",
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        """``settings`` are those of the run itself, beside those of all variants."""
        super().__init__(variants.load(tuple(settings)), engine, stopped)
        self._variants = variants
        self._settings = tuple(settings)
        self._make = make

    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError or InputError if they are refused."""
        return self._make(self._variants.load((*self._settings, *settings)))


class FittedPlans:
    """Makes plans of machines and workloads that fit together, of like ones with little work."""

    def __init__(self, seed: int | None) -> None:
        """``seed`` is None where service times do not vary."""
        self._seed = seed
        self._plans = Plans()
        self._last: tuple[Machine, Workload] | None = None

    def plan(self, machine: Machine, workload: Workload) -> Plan:
        """Make a plan; ConfigError if the two do not fit."""
        if self._last is None or not (
            workload is self._last[1] and only_numbers_differ(machine, self._last[0])
        ):
            raise_errors(fit(machine, workload, noisy=self._seed is not None))
            self._last = machine, workload
        return self._plans.make(machine, workload, "-", self._seed)


def machine_variants(source: Source, settings: Sequence[Setting]) -> Variants[Machine]:
    """Return the variants of a machine; settings have full paths."""
    return _variants(MACHINE, source, settings)


def _variants(kind: Kind[File], source: Source, settings: Sequence[Setting]) -> Variants[File]:
    text: FileText | None = None
    if isinstance(source, Text):
        text = source.text, source.name
        source = source.name
    return Variants(kind, source, settings, text)


def _head(setting: Setting) -> str:
    return setting[0].partition(".")[0]

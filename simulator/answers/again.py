"""A run that is made again with other settings, as often as a question needs it.

Files are read once; what a setting does not touch is neither read nor lowered again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.variants import Variants
from simulator.errors import InputError
from simulator.prepared import Plans, Prepared
from simulator.result.errors import SimulationError

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.inputfile import Source
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.run import EngineName, Inputs


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
        self._plans = Plans()

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
            return self._plans.run(plan, engine=self._engine, stopped=self._stopped)
        except (ConfigError, InputError, SimulationError):
            return None


class InputsAgain(Again):
    """A run of a machine file and a workload file."""

    def __init__(
        self, inputs: Inputs, *, seed: int | None = None, engine: EngineName = "auto"
    ) -> None:
        super().__init__(inputs.machine, engine)
        self._workload = inputs.workload
        self._prepared = Prepared(*inputs.sources, inputs.settings)
        self._seed = seed

    @property
    def workload(self) -> Workload | None:
        """The workload."""
        return self._workload

    def loaded(self, settings: Sequence[Setting]) -> tuple[Machine, Workload]:
        """Return both files with more settings; ConfigError if they are refused."""
        return self._prepared.load(settings)

    def plan(self, settings: Sequence[Setting]) -> Plan:
        """Make the plan with more settings; ConfigError if they are refused."""
        return self._plans.fitted(*self.loaded(settings), self._seed)


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


def machine_variants(source: Source, settings: Sequence[Setting]) -> Variants[Machine]:
    """Return the variants of a machine; settings have full paths."""
    return Variants(MACHINE, source, settings)

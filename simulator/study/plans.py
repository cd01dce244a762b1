"""Plans of one machine with many settings: a file is read once, and what no setting touches stays.

A study makes hundreds of plans that differ in a few values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import raise_errors
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.lowering.plan import make_plan
from simulator.config.variants import Variants

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan


class Plans:
    """A machine file, and the workloads that a study runs on it."""

    def __init__(self, machine: str, settings: Sequence[Setting] = ()) -> None:
        """``settings`` are those of all plans; ConfigError if the machine is wrong with them."""
        self._machines: Variants[Machine] = Variants(MACHINE, machine, settings)
        self._workloads: dict[str, Variants[Workload]] = {}
        self.machine = self._machines.explained(())
        """The machine without the settings of single plans; knows the sources of its values."""

    def plan(
        self,
        workload: str,
        settings: Iterable[Setting] = (),
        *,
        seed: int = 0,
        noisy: bool = False,
        run: int = 0,
    ) -> Plan:
        """Make a plan; settings have full paths. ConfigError lists what is wrong, or misfits."""
        if workload not in self._workloads:
            self._workloads[workload] = Variants(WORKLOAD, workload, ())
        given = list(settings)
        machine = self._machines.load(_of("machine", given))
        work = self._workloads[workload].load(_of("workload", given))
        raise_errors(fit(machine, work, noisy=noisy))
        return make_plan(machine, work, seed=seed, noisy=noisy, run=run)


def _of(head: str, settings: Iterable[Setting]) -> tuple[Setting, ...]:
    return tuple(one for one in settings if one[0].partition(".")[0] == head)

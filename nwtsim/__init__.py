"""nwtsim from Python: machines and workloads as data, runs, sweeps and replays of them.

>>> import nwtsim
>>> result = nwtsim.run("workstation", "copy-file", seed=1)
>>> result.machine, result.elapsed_s > 0
('workstation', True)

Modules are imported on first use: ``import nwtsim`` takes some milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwtsim.calls import compare, fortran_calls, load_machine, load_workload, replay, run, sweep
from nwtsim.commands import command, trace_rows
from nwtsim.files import Machine, Workload
from nwtsim.result import Result
from nwtsim.settings import CostWarning, SettingWarning
from nwtsim.swept import Sweep
from simulator import __version__

if TYPE_CHECKING:
    from nwtsim import ninf as ninf
    from nwtsim import orion as orion
    from nwtsim import parts as parts
    from nwtsim.advised import Advised, advise
    from nwtsim.calibrated import Calibrated, calibrate
    from nwtsim.limits import interference
    from nwtsim.measured import Measured, measure
    from nwtsim.shipped import machines, requirements, workloads
    from nwtsim.sized import Option as Option
    from nwtsim.sized import Sized, size
    from nwtsim.studies import Study, published, reproduce
    from nwtsim.uncertain import Uncertain, uncertainty
    from simulator.config.errors import ConfigError as ConfigError
    from simulator.errors import InputError as InputError
    from simulator.errors import UnknownNameError as UnknownNameError
    from simulator.plan.errors import SimulationError as SimulationError
    from simulator.study.replications import Sense as Sense
    from simulator.study.replications import Verdict as Verdict

__all__ = [
    "Advised",
    "Calibrated",
    "CostWarning",
    "Machine",
    "Measured",
    "Result",
    "SettingWarning",
    "Sized",
    "Study",
    "Sweep",
    "Uncertain",
    "Workload",
    "__version__",
    "advise",
    "calibrate",
    "command",
    "compare",
    "fortran_calls",
    "interference",
    "load_machine",
    "load_workload",
    "machines",
    "measure",
    "published",
    "replay",
    "reproduce",
    "requirements",
    "run",
    "size",
    "sweep",
    "trace_rows",
    "uncertainty",
    "workloads",
]

_MODULES = ("ninf", "orion", "parts")
"""Modules of studies, and the classes of resources."""
_LATER = {
    "nwtsim.advised": ("Advised", "advise"),
    "nwtsim.calibrated": ("Calibrated", "calibrate"),
    "nwtsim.limits": ("interference",),
    "nwtsim.measured": ("Measured", "measure"),
    "nwtsim.shipped": ("machines", "requirements", "workloads"),
    "nwtsim.sized": ("Option", "Sized", "size"),
    "nwtsim.studies": ("Study", "published", "reproduce"),
    "nwtsim.uncertain": ("Uncertain", "uncertainty"),
    "simulator.config.errors": ("ConfigError",),
    "simulator.errors": ("InputError", "UnknownNameError"),
    "simulator.plan.errors": ("SimulationError",),
    "simulator.study.replications": ("Sense", "Verdict"),
}
"""Modules, and the names imported from them on first use."""


def __getattr__(name: str) -> object:
    """Import a name on first use."""
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"nwtsim.{name}")
    for module, names in _LATER.items():
        if name in names:
            found: object = getattr(importlib.import_module(module), name)
            globals()[name] = found
            return found
    from simulator.errors import nearest

    near = nearest(name, __all__)
    hint = f"; did you mean {near!r}?" if near else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    later = (name for names in _LATER.values() for name in names)
    return sorted({*globals(), *__all__, *_MODULES, *later})

"""nwtsim from Python: machines and workloads as data, runs, sweeps and replays of them.

>>> import nwtsim
>>> result = nwtsim.run("workstation", "copy-file", seed=1)
>>> result.machine, result.elapsed_s > 0
('workstation', True)

Nothing is imported before it is needed: ``import nwtsim`` takes some milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwtsim.calls import compare, fortran_calls, load_machine, load_workload, replay, run, sweep
from nwtsim.commands import command, trace_rows
from nwtsim.files import Machine, Workload
from nwtsim.result import Result
from nwtsim.settings import CostWarning, SettingWarning
from nwtsim.sized import Sized, size
from nwtsim.studies import Study, published, reproduce
from nwtsim.swept import Sweep
from simulator import __version__

if TYPE_CHECKING:
    from simulator.config.errors import ConfigError as ConfigError
    from simulator.errors import InputError as InputError
    from simulator.result.errors import SimulationError as SimulationError

__all__ = [
    "CostWarning",
    "Machine",
    "Result",
    "SettingWarning",
    "Sized",
    "Study",
    "Sweep",
    "Workload",
    "__version__",
    "command",
    "compare",
    "fortran_calls",
    "load_machine",
    "load_workload",
    "published",
    "replay",
    "reproduce",
    "run",
    "size",
    "sweep",
    "trace_rows",
]

_STUDIES = ("ninf", "orion")
"""Modules with what the notebooks of these studies use."""
_ERRORS = {
    "ConfigError": "simulator.config.errors",
    "InputError": "simulator.errors",
    "SimulationError": "simulator.result.errors",
}


def __getattr__(name: str) -> object:
    """Import an error class, or the module of a study, when it is asked for."""
    if name in _STUDIES:
        import importlib

        return importlib.import_module(f"nwtsim.{name}")
    if name not in _ERRORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(_ERRORS[name]), name)
    globals()[name] = found
    return found

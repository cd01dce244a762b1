"""Machine and workload files: YAML in, typed sections out, each mistake with its line.

Nothing below this package knows YAML. The names below are imported when they are first used, so
that ``nwtsim --help`` does not wait for pydantic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.config.errors import ConfigError as ConfigError
    from simulator.config.errors import Problem as Problem
    from simulator.config.identity import digest as digest
    from simulator.config.load import load_machine as load_machine
    from simulator.config.load import load_workload as load_workload
    from simulator.config.load import parse_machine as parse_machine
    from simulator.config.load import parse_workload as parse_workload
    from simulator.config.load import shipped_names as shipped_names
    from simulator.config.machine import Machine as Machine
    from simulator.config.precedence import Effective as Effective
    from simulator.config.precedence import effective as effective
    from simulator.config.precedence import filesystem_of as filesystem_of
    from simulator.config.record import LognormalRecord as LognormalRecord
    from simulator.config.record import Record as Record
    from simulator.config.record import UniformRecord as UniformRecord
    from simulator.config.schema import json_schema as json_schema
    from simulator.config.settings import KNOBS as KNOBS
    from simulator.config.settings import Knob as Knob
    from simulator.config.settings import Setting as Setting
    from simulator.config.settings import resolve_setting as resolve_setting
    from simulator.config.sources import Source as Source
    from simulator.config.sources import Stated as Stated
    from simulator.config.sources import provenance as provenance
    from simulator.config.sources import unproven as unproven
    from simulator.config.stores import Array as Array
    from simulator.config.stores import Disk as Disk
    from simulator.config.stores import Tape as Tape
    from simulator.config.together import check_together as check_together
    from simulator.config.together import raise_errors as raise_errors
    from simulator.config.workload import Compute as Compute
    from simulator.config.workload import Job as Job
    from simulator.config.workload import Transfer as Transfer
    from simulator.config.workload import Workload as Workload

_NAMES = {
    "errors": "ConfigError Problem",
    "identity": "digest",
    "load": "load_machine load_workload parse_machine parse_workload shipped_names",
    "machine": "Machine",
    "precedence": "Effective effective filesystem_of",
    "record": "LognormalRecord Record UniformRecord",
    "schema": "json_schema",
    "settings": "KNOBS Knob Setting resolve_setting",
    "sources": "Source Stated provenance unproven",
    "stores": "Array Disk Tape",
    "together": "check_together raise_errors",
    "workload": "Compute Job Transfer Workload",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_MODULE_OF[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})

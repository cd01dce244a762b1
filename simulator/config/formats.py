"""The formats ``machine/2`` and ``workload/2``: their kinds of files, and how to read them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from simulator.config.load import Kind, load_file
from simulator.config.machine_file import Machine
from simulator.config.machine_names import unknown_names
from simulator.config.settings import Setting
from simulator.config.workload_file import Workload
from simulator.config.workload_names import workload_faults

MACHINE = Kind("machine", Machine, partial(unknown_names, Machine), checks=Machine.faults)
WORKLOAD = Kind("workload", Workload, checks=workload_faults)
KINDS: tuple[Kind[Machine], Kind[Workload]] = (MACHINE, WORKLOAD)


def load_machine(name_or_path: str | Path, settings: Iterable[Setting] = ()) -> Machine:
    """Read a machine from a file, or by its name one that comes with the program.

    Settings whose path begins with ``machine.`` replace values of the file. ConfigError lists
    everything that is wrong.
    """
    return load_file(MACHINE, name_or_path, settings)


def parse_machine(text: str, name: str = "<text>", settings: Iterable[Setting] = ()) -> Machine:
    """Read a machine from the text of a file; ``name`` stands for the file in messages."""
    return MACHINE.parse(text, name, settings)[0]


def load_workload(name_or_path: str | Path, settings: Iterable[Setting] = ()) -> Workload:
    """Read a workload from a file, or by its name one that comes with the program.

    Settings whose path begins with ``workload.`` replace values of the file. ConfigError lists
    everything that is wrong.
    """
    return load_file(WORKLOAD, name_or_path, settings)


def parse_workload(text: str, name: str = "<text>", settings: Iterable[Setting] = ()) -> Workload:
    """Read a workload from the text of a file; ``name`` stands for the file in messages."""
    return WORKLOAD.parse(text, name, settings)[0]

"""The pairs of file formats, and who runs and draws a machine of each.

Which system a file belongs to, its first key tells: ``format: parallel-io/1``. Functions stand
here by name only, and are imported when they are used: those that run and draw a system lie in
rooms above this one.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from simulator.config.load import Kind

HEADS = ("machine", "workload")


@dataclass(frozen=True, slots=True)
class System:
    """A pair of file formats that belong together."""

    machine: str
    """What its machine files begin with, after ``format:``."""
    workload: str
    """Likewise its workload files."""
    kinds: str
    """``module:NAME`` of its two kinds of files: (machine, workload)."""
    run: str
    """``module:function`` of ``(machine, workload, settings, seed, engine, debug) -> SystemRun``;
    see :mod:`simulator.report.system`."""
    draw: str
    """``module:function`` of ``machine -> block diagram``."""
    native: bool = False
    """The native engine knows it too."""


SYSTEMS: tuple[System, ...] = (
    System(
        machine="machine/2",
        workload="workload/2",
        kinds="simulator.config.formats:KINDS",
        run="simulator.report.composed:run_composed",
        draw="simulator.report.blocks:block_diagram",
        native=True,
    ),
)
"""To add one: a row here, and its files under ``configs/``."""


def formats() -> dict[str, System]:
    """Each format of a file, and its system."""
    return {key: one for one in SYSTEMS for key in (one.machine, one.workload)}


def kinds_of(system: System) -> tuple[Kind[Any], Kind[Any]]:
    """Its kinds of machine and workload files."""
    module, _, name = system.kinds.partition(":")
    machine, workload = getattr(importlib.import_module(module), name)
    return machine, workload


def kind_of(format_: str) -> Kind[Any] | None:
    """The kind of file that begins with this format; None if no system has it."""
    system = formats().get(format_)
    if system is None:
        return None
    machine, workload = kinds_of(system)
    return machine if format_ == system.machine else workload


def system_of(name_or_path: str | Path, noun: str = "machine") -> System | None:
    """The system of a file or shipped name; None if it cannot be told."""
    return formats().get(written_format(name_or_path, noun) or "")


def written_format(name_or_path: str | Path, noun: str) -> str | None:
    """What a file, or the shipped one of that name, says it is; None if it cannot be told."""
    path = Path(name_or_path)
    shipped = shipped_root("configs") / f"{noun}s" / f"{name_or_path}.yaml"
    for one in (path, shipped):
        try:
            return format_in(one.read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):  # ValueError: a NUL in the name.
            continue
    return None


def format_in(text: str) -> str | None:
    r"""The format that a file's text begins with, as far as one line of it can tell.

    >>> format_in("# a machine\nformat: machine/2\nname: nwt\n")
    'machine/2'
    """
    found = re.search(r"^\ufeff?(?:\{ *)?format: *['\"]?([\w-]+/\d+)", text, re.MULTILINE)
    return found[1] if found else None

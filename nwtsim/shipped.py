"""Shipped files, by name: titles, and sources of the values of machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwtsim.rows import Named

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.report.shipped import Listed


def machines() -> dict[str, Listed]:
    """Return the shipped machines.

    Each has a ``title``, and ``counts`` of its values: ``sourced`` (papers, data sheets, manuals,
    measurements), ``fitted``, ``assumed``.

    >>> import nwtsim
    >>> nwtsim.machines()["nwt"].counts["sourced"] > 0
    True
    """
    from simulator.report.shipped import listed

    return Named({one.name: one for one in listed("machines")})


def workloads(machine: str | Path | None = None) -> dict[str, Listed]:
    """Return the shipped workloads, or only those compatible with a machine.

    >>> import nwtsim
    >>> nwtsim.workloads()["copy-file"].title != ""
    True
    """
    from simulator.report.shipped import fitting, listed

    found = listed("workloads") if machine is None else fitting(str(machine))
    return Named({one.name: one for one in found})


def requirements() -> dict[str, Listed]:
    """Return the shipped requirements, for :func:`nwtsim.size`."""
    from simulator.report.shipped import listed

    return Named({one.name: one for one in listed("requirements")})

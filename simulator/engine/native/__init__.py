"""The native engine: the reference's model as a flat state machine in typed plain Python.

Every module in ``MODULES`` is compiled by Cython from the unmodified ``.py`` and the ``.pxd``
beside it; without a compiler the same files run interpreted and give the same answers.

Nothing in the loop is a Python object: state is in integer arrays, one row for each client,
station or slot. Classes are compiled types that hold each other and those arrays; each is
one part of the machine.
"""

from __future__ import annotations

import importlib

MODULES = (
    "simulator.machine.cache",
    "simulator.machine.mixing",
    "simulator.machine.sharing",
    "simulator.runtime.flang",
    "simulator.runtime.gfortran",
    "simulator.runtime.lengthtable",
    "simulator.runtime.nwt",
    "simulator.runtime.posix",
    "simulator.runtime.streams",
    "simulator.runtime.streamtable",
    "simulator.engine.native.backing",
    "simulator.engine.native.clients",
    "simulator.engine.native.clock",
    "simulator.engine.native.engine",
    "simulator.engine.native.lan",
    "simulator.engine.native.ssu",
    "simulator.engine.native.stations",
)
"""What is compiled; setup.py has the same list."""


def native_build() -> str:
    """Whether the native engine's modules are ``compiled`` here, or ``interpreted``, or some."""
    files = [importlib.import_module(name).__file__ or "" for name in MODULES]
    compiled = sum(not file.endswith(".py") for file in files)
    if compiled == len(MODULES):
        return "compiled"
    return f"partly compiled: {compiled} of {len(MODULES)}" if compiled else "interpreted"

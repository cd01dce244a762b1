"""The modules that Cython compiles, in two groups. The only list of them.

``setup.py`` runs this file by its path, without importing the package, so nothing is imported
here. Each module is an unmodified ``.py`` (with a ``.pxd`` beside it, if it has one; those of
``TRACES`` are made, declaring.py) and runs interpreted where it is not compiled, with the same
results. Modules of ``MERGED`` are compiled as one (merging.py).
"""

from pathlib import Path


def kinds_in(folder: str) -> tuple[str, ...]:
    """Return the modules of the native engine of all kinds in a folder of ``simulator/kinds``."""
    found = sorted((Path(__file__).parent / "kinds" / folder).glob("[a-z]*/native.py"))
    return tuple(f"simulator.kinds.{folder}.{path.parent.name}.native" for path in found)


FUNCTIONS = (
    "simulator.kinds.runtimes.flang",
    "simulator.kinds.runtimes.gfortran",
    "simulator.kinds.runtimes.nwt",
    "simulator.kinds.runtimes.posix",
)
"""Modules of functions, whose annotations are all that the compiler needs."""

ENGINE = (
    "simulator.mixing",
    *FUNCTIONS,
    "simulator.runtime.lengthtable",
    "simulator.runtime.streams",
    "simulator.runtime.streamtable",
    "simulator.native.engine",
)
"""The native engine, and the parts of the model that it uses."""

MERGED = {
    "simulator.native.engine": (
        "simulator.native.wide",
        "simulator.native.clock",
        "simulator.native.calendars",
        "simulator.native.parts",
        "simulator.native.station",
        *kinds_in("parts"),
        "simulator.native.arraylines",
        "simulator.native.arrays",
        "simulator.native.frames",
        "simulator.native.sharing",
        "simulator.native.dealing",
        "simulator.native.stages",
        "simulator.native.tiers",
        "simulator.native.rings",
        "simulator.native.policy",
        *kinds_in("policies"),
        "simulator.native.blocks",
        "simulator.native.turns",
        "simulator.native.writeback",
        "simulator.native.reading",
        "simulator.native.stores",
        "simulator.native.locktable",
        "simulator.native.filelocks",
        "simulator.native.locks",
        "simulator.native.processes",
        "simulator.native.phasetimes",
        "simulator.native.metadata",
        "simulator.native.listed",
        "simulator.native.streaming",
        "simulator.native.clients",
        "simulator.native.slots",
        "simulator.native.raidunits",
        "simulator.native.buffers",
        "simulator.native.asking",
        "simulator.native.engine",
    ),
    "simulator.traces.machine": (
        "simulator.traces.intmap",
        "simulator.traces.text",
        "simulator.traces.names",
        "simulator.traces.used",
        "simulator.traces.rows",
        "simulator.traces.presence",
        "simulator.traces.files",
        "simulator.traces.tables",
        "simulator.traces.arguments",
        "simulator.traces.located",
        "simulator.traces.moving",
        "simulator.traces.opening",
        "simulator.traces.calls",
        "simulator.traces.heads",
        "simulator.traces.processes",
        "simulator.traces.joining",
        "simulator.traces.follow",
        "simulator.traces.leader",
        "simulator.traces.outcome",
        "simulator.traces.strace",
        "simulator.traces.truss",
        "simulator.traces.machine",
    ),
}
"""What a compiled module is made of, each before those that use it; the last gives the name. Code
that is not compiled imports from that one."""

TRACES = ("simulator.traces.machine",)
"""The reader of traces, needed by ``nwtsim trace`` only; its parts are those of ``MERGED``."""

NUMBERS = ("simulator.traces.codes",)
"""Modules of numbers, which the compiler knows as constants; they import nothing."""

"""The modules that Cython compiles, in two groups. The only list of them.

``setup.py`` runs this file by its path, without importing the package, so nothing is imported
here. Each module is an unmodified ``.py`` (with a ``.pxd`` beside it, if it has one) and runs
interpreted where it is not compiled, with the same results. Modules of ``MERGED`` are compiled as
one (merging.py).
"""

ENGINE = (
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
    "simulator.engine.native.clienttable",
    "simulator.engine.native.clock",
    "simulator.engine.native.engine",
    "simulator.engine.native.lan",
    "simulator.engine.native.listing",
    "simulator.engine.native.ssu",
    "simulator.engine.native.stations",
    "simulator.native.engine",
    "simulator.workload.buffered",
    "simulator.workload.extents",
)
"""The native engine, and the parts of the model that it uses."""

MERGED = {
    "simulator.native.engine": (
        "simulator.native.clock",
        "simulator.native.parts",
        "simulator.native.frames",
        "simulator.native.sharing",
        "simulator.native.stages",
        "simulator.native.tiers",
        "simulator.native.rings",
        "simulator.native.policies.lru",
        "simulator.native.policies.fifo",
        "simulator.native.policies.arc",
        "simulator.native.blocks",
        "simulator.native.writeback",
        "simulator.native.reading",
        "simulator.native.stores",
        "simulator.native.processes",
        "simulator.native.listed",
        "simulator.native.clients",
        "simulator.native.slots",
        "simulator.native.buffers",
        "simulator.native.asking",
        "simulator.native.engine",
    ),
}
"""What a compiled module is made of, each before those that use it; the last gives the name. Code
that is not compiled imports from that one."""

TRACES = (
    "simulator.traces.arguments",
    "simulator.traces.calls",
    "simulator.traces.files",
    "simulator.traces.follow",
    "simulator.traces.heads",
    "simulator.traces.intmap",
    "simulator.traces.leader",
    "simulator.traces.names",
    "simulator.traces.outcome",
    "simulator.traces.presence",
    "simulator.traces.rows",
    "simulator.traces.strace",
    "simulator.traces.tables",
    "simulator.traces.text",
    "simulator.traces.truss",
    "simulator.traces.used",
)
"""The reader of traces, needed by ``nwtsim trace`` only."""

"""The modules that Cython compiles, in two groups. The only list of them.

``setup.py`` runs this file by its path, without importing the package, so nothing is imported
here. Each module is an unmodified ``.py`` (with a ``.pxd`` beside it, if it has one) and runs
interpreted where it is not compiled, with the same results.
"""

ENGINE = (
    "simulator.machine.buffercache",
    "simulator.machine.cache",
    "simulator.machine.mixing",
    "simulator.machine.raid",
    "simulator.runtime.flang",
    "simulator.runtime.gfortran",
    "simulator.runtime.lengthtable",
    "simulator.runtime.nwt",
    "simulator.runtime.posix",
    "simulator.runtime.streams",
    "simulator.runtime.streamtable",
    "simulator.engine.native.clock",
    "simulator.engine.native.iothreads",
    "simulator.native.blocks",
    "simulator.native.clients",
    "simulator.native.clock",
    "simulator.native.engine",
    "simulator.native.frames",
    "simulator.native.listed",
    "simulator.native.parts",
    "simulator.native.policies.arc",
    "simulator.native.policies.fifo",
    "simulator.native.policies.lru",
    "simulator.native.processes",
    "simulator.native.reading",
    "simulator.native.rings",
    "simulator.native.sharing",
    "simulator.native.stages",
    "simulator.native.stores",
    "simulator.native.tiers",
    "simulator.native.writeback",
    "simulator.workload.buffered",
    "simulator.workload.extents",
)
"""The native engine, and the parts of the model that it uses."""

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

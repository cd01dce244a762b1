"""What the engine of a browser is compared by with the one here: results as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from simulator.native.run import run_native
from simulator.run import load_plan
from tests.engines.compare import plain
from tests.engines.records import plan_named, record, stop_the_endless

DRAWN = 100
SHIPPED = (
    *(("nwt", "test-write"), ("nwt", "test-read"), ("sr8000", "sr8000-write-fv")),
    *(("nfs-lab", "copy-file"), ("raid-lab", "checkpoint-failure"), ("nwt", "nwt-each")),
)
"""A machine and a workload each; runs that repeat themselves go by arithmetic here."""


def lines() -> Iterator[str]:
    """Yield a line for each shipped run, and for each drawn plan, by the native engine."""
    for machine, workload in SHIPPED:
        result = plain(run_native(load_plan(machine, workload)))
        yield json.dumps({"machine": machine, "workload": workload, **result}, sort_keys=True)
    stop_the_endless()
    for seed in range(DRAWN):
        yield record("native", plan_named(str(seed)))

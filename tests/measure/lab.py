"""A host that is not there: what its system says, and what its probes take."""

from __future__ import annotations

import random

from simulator.measure.facts import Facts
from simulator.measure.probe import KIB, METADATA, MIB, Limits, Measured, Probe, Sample, probes_of
from simulator.measure.probing import Measurement, possible

FACTS = Facts(
    host="lab",
    system="Linux 6",
    date="2026-01-02",
    filesystem="ext4",
    memory=16 << 30,
    cores=4,
    available=8 << 30,
    dirty=20,
    background=10,
    read_ahead=128 * KIB,
    direct=True,
    drops=True,
)
LIMITS = Limits(64 * MIB, 60.0, 2)
LINES = {
    "seek": (0.5e-6, 1e18),
    "cached-read": (1e-6, 8e9),
    "cached-write": (2e-6, 4e9),
    "random-read": (80e-6, 2e9),
    "read": (1e-6, 1.5e9),
    "direct-write": (100e-6, 1e9),
    "sync-write": (1.2e-3, 0.9e9),
    "write-sync": (1e-6, 0.9e9),
}
"""Seconds of a call, and bytes per second."""


def time_of(probe: Probe) -> float:
    """Seconds of a call; several processes get twice as much as one, together."""
    if probe.kind in METADATA:
        alone = (2 + METADATA.index(probe.kind)) * 3e-6
    else:
        call, rate = LINES[probe.kind]
        alone = call + probe.size / rate
    return alone / min(probe.processes, 2)


def drawn(
    seed: int,
    *,
    spread: float = 0.05,
    slower: dict[str, float] | None = None,
    turns: int = 20,
    limits: Limits = LIMITS,
) -> Measurement:
    """All probes with noise; some of them slower."""
    draw = random.Random(seed)
    measured = []
    for probe in probes_of(limits):
        if possible(probe, FACTS):
            middle = time_of(probe) * (slower or {}).get(probe.name, 1.0)
            calls = probe.calls * probe.processes
            times = [middle * draw.lognormvariate(0, spread) for _ in range(turns)]
            measured.append(Measured(probe, [Sample(calls, calls * time) for time in times]))
    return Measurement(FACTS, limits, tuple(measured), "/data")

"""The probes again, on a machine file: what the simulator says that they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.config.formats import MACHINE
from simulator.inputfile import Text
from simulator.measure.notes import LEAST_FACTOR
from simulator.measure.probe import METADATA, MIB, OF_DEVICE, Measured, Probe
from simulator.measure.probing import Measurement
from simulator.run import load_inputs, run_plan

_LARGE = 64 << 30
"""Bytes of a file in which two random places are hardly the same."""
EXISTING = ("cached-read", "random-read", "read", "direct-write")
"""Probes of a file that is there before."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A probe as measured and as simulated."""

    measured: Measured
    simulated: float
    """Seconds of a call."""

    @property
    def error(self) -> float:
        """Simulated over measured, less 1."""
        return self.simulated / self.measured.median - 1

    @property
    def within(self) -> bool:
        """Whether what is simulated is between the quartiles of what was measured, or near them."""
        low, high = self.measured.quartiles
        return low / LEAST_FACTOR <= self.simulated <= high * LEAST_FACTOR


def checked(machine: str, measurement: Measurement) -> list[Checked]:
    """Simulate all probes of a measurement on the text of a machine."""
    return [Checked(one, simulated(machine, one.probe)) for one in measurement.measured]


def simulated(machine: str, probe: Probe) -> float:
    """Return the seconds of a call of a probe on the text of a machine, in its usual state."""
    if probe.kind == "seek":  # It is the call alone.
        return float(_parts(machine)["cpu"].call_overhead) / 1e9
    seconds = _run(machine, probe, _phases(probe)) / 1e9
    if probe.kind == "sync-write":  # Its phases open and close the file each time; it does not.
        seconds -= _run(machine, probe, "{do: open, file: f}, {do: close, file: f}") / 1e9
    return max(seconds, 0.0) / (probe.calls * probe.processes)


def _parts(machine: str) -> Mapping[str, Any]:
    parts: Mapping[str, Any] = MACHINE.parse(machine, "machine", ())[0].parts
    return parts


def _phases(probe: Probe) -> str:
    size = f"size: {probe.size * probe.calls} B"
    if probe.kind in METADATA:
        calls = {"open-close": ("open", "close"), "create": ("create", "close")}
        return ", ".join(f"{{do: {one}, file: f}}" for one in calls.get(probe.kind, (probe.kind,)))
    return {
        "cached-read": "{do: read, file: f}",
        "random-read": f"{{do: read, file: f, order: random, {size}}}",
        "read": "{do: read, file: f}",
        "cached-write": "{do: write, file: f}",
        "direct-write": f"{{do: write, file: f, order: random, direct: true, {size}}}",
        "sync-write": f"{{do: write, file: f, size: {probe.size} B}}, {{do: sync, file: f}}",
        "write-sync": "{do: write, file: f}, {do: sync, file: f}",
    }[probe.kind]


def _run(machine: str, probe: Probe, phases: str) -> int:
    """Return the nanoseconds until the last process has made its calls."""
    whole = max(probe.size * probe.calls, 4096)
    there = ", exists: true" if probe.kind in EXISTING else ""
    if probe.kind == "cached-read" and MACHINE.parse(machine, "machine", ())[0].stores:
        there += ", prestage: true"
    if probe.kind == "random-read":
        whole = _LARGE
    repeat = probe.calls if probe.kind in ("sync-write", *METADATA) else 1
    record = f"record: {probe.size or MIB} B"
    text = (
        f"format: workload/2\nname: probe\nfiles: {{f: {{size: {whole} B{there}}}}}\njobs:\n"
        f"  - {{name: probe, processes: {probe.processes}, {record}, repeat: {repeat},"
        f" phases: [{phases}]}}\n"
    )
    inputs = load_inputs(Text(machine, "machine"), Text(text, probe.name))
    result = run_plan(inputs.plan())
    if probe.kind == "direct-write":
        return max(one.write.calls_ns for one in result.processes)
    if probe.kind in ("cached-read", *OF_DEVICE):
        return max(one.read.calls_ns for one in result.processes)
    return result.elapsed_ns

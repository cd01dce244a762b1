"""A folder measured, its machine file simulated, and what else was asked for beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.config.formats import MACHINE
from simulator.config.writing import Flow, Value, document
from simulator.inputfile import Text
from simulator.measure import fio, programs
from simulator.measure.compared import Before, Change, before, compared
from simulator.measure.derived import Derived, derive
from simulator.measure.machine import Sourced, head_of, machine_of
from simulator.measure.notes import LEAST_FACTOR
from simulator.measure.probe import METADATA, MIB, OF_DEVICE, Limits, Measured, Probe, probes_of
from simulator.measure.probing import After, Measurement, Progress, measure, possible
from simulator.plan.cores import MOST_CORES
from simulator.run import load, load_inputs, run_plan

if TYPE_CHECKING:
    from simulator.inputfile import Source
    from simulator.measure.calls import Files
    from simulator.measure.facts import Facts


@dataclass(frozen=True, slots=True)
class Whole:
    """A measurement, and what follows from it."""

    measurement: Measurement
    machine: str
    """The text of its file."""
    checks: Sequence[Checked]
    """Each probe as measured and as simulated."""
    opinions: Sequence[fio.Opinion] | None = None
    """None unless fio was asked."""
    programs: Sequence[tuple[programs.Timed, float]] | None = None
    """Each program with the seconds that are predicted; None unless they were run."""
    earlier: Before | None = None
    """The file that it is compared with, if there is one."""
    changes: Sequence[Change] = ()


def measured_whole(
    folder: Path,
    limits: Limits,
    progress: Progress | None = None,
    *,
    name: str,
    shared: bool = False,
    ask_fio: bool = False,
    run_programs: bool = False,
    compare: Source | None = None,
) -> Whole:
    """Measure a folder; InputError where it, or what else is asked for, is not possible.

    ``name`` is that of the machine. What is asked for is looked at before anything is measured.
    """
    earlier = None if compare is None else before_of(compare)
    after: list[After] = []
    opinions: list[fio.Opinion] = []
    timed: list[programs.Timed] = []
    if ask_fio:
        program = fio.program()

        def ask(files: Files, facts: Facts) -> None:
            wanted = [one for one in probes_of(limits) if possible(one, facts)]
            opinions.extend(fio.opinions(program, files, wanted, limits, progress))

        after.append(ask)
    if run_programs:
        after.append(
            lambda files, facts: timed.extend(programs.run_programs(files, facts, limits, progress))
        )
    measurement = measure(folder, limits, progress, shared=shared, after=after)
    machine = machine_text(measurement, derive(measurement), name)
    return Whole(
        measurement,
        machine,
        checked(machine, measurement),
        opinions if ask_fio else None,
        [(one, predicted(machine, one)) for one in timed] if run_programs else None,
        earlier,
        () if earlier is None else compared(earlier, measurement),
    )


def before_of(source: Source) -> Before:
    """Read what a machine file says of probes; ConfigError if wrong, InputError if nothing."""
    machine = load(MACHINE, source)
    name = getattr(source, "name", None) or str(source)
    notes = (one.note for one in machine.origin.sources.values())
    return before(name, machine.title or machine.name, notes)


def machine_text(measurement: Measurement, derived: Derived, name: str) -> str:
    """Return a machine/2 file with the values and where each comes from."""
    sections = machine_of(measurement, derived, name, MOST_CORES)
    return document(head_of(measurement), {key: _written(one) for key, one in sections.items()})


def _written(value: Any) -> Value:
    """Return a value of a machine as it is written: tuples and sourced values in brackets."""
    if isinstance(value, Sourced):
        return Flow({key: one for key, one in value._asdict().items() if one is not None})
    if isinstance(value, tuple):
        return Flow(list(value))
    if isinstance(value, list):
        return [_written(one) for one in value]
    if isinstance(value, dict):
        return {key: _written(one) for key, one in value.items()}
    return str(value)


# -- simulated ------------------------------------------------------------------------------------

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
        """True if what is simulated is between the quartiles of what was measured, or near them."""
        low, high = self.measured.quartiles
        return low / LEAST_FACTOR <= self.simulated <= high * LEAST_FACTOR


def checked(machine: str, measurement: Measurement) -> list[Checked]:
    """Simulate all probes of a measurement on the text of a machine."""
    return [Checked(one, simulated(machine, one.probe)) for one in measurement.measured]


def simulated(machine: str, probe: Probe) -> float:
    """Return the seconds of a call of a probe on the text of a machine, in its usual state."""
    if probe.kind == "seek":  # It is the call alone.
        return float(_parts(machine)["cpu"].call_overhead) / 1e9
    if probe.state == "shared":  # They take turns, if at all.
        lock = MACHINE.parse(machine, "machine", ())[0].filesystems["home"].write_lock
        alone = simulated(machine, replace(probe, processes=1 if lock else 2, state=""))
        return alone + (lock or 0) / 1e9
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


def predicted(machine: str, timed: programs.Timed) -> float:
    """Return the seconds that a program takes on the text of a machine."""
    program = timed.program
    computing = f"{{do: compute, time: {round(timed.computing * 1e9 / program.repeat)} ns}}"
    text = (
        f"format: workload/2\nname: program\nfiles: {program.files}\njobs:\n"
        f"  - {{name: program, record: {program.record} B, repeat: {program.repeat},"
        f" phases: [{computing}, {program.phases}]}}\n"
    )
    inputs = load_inputs(Text(machine, "machine"), Text(text, "program"))
    return run_plan(inputs.plan()).elapsed_ns / 1e9

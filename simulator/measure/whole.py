"""A measurement with all that is asked for: the command's and Python's one way to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.measure import fio, programs
from simulator.measure.compared import Before, Change, before, compared
from simulator.measure.derived import derive
from simulator.measure.machine import machine_text
from simulator.measure.probe import Limits, probes_of
from simulator.measure.probing import After, Heard, Measurement, measure, possible
from simulator.measure.simulated import Checked, checked

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
    heard: Heard | None = None,
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
    earlier = None if compare is None else before(compare)
    after: list[After] = []
    opinions: list[fio.Opinion] = []
    timed: list[programs.Timed] = []
    if ask_fio:
        program = fio.program()

        def ask(files: Files, facts: Facts) -> None:
            wanted = [one for one in probes_of(limits) if possible(one, facts)]
            opinions.extend(fio.opinions(program, files, wanted, limits, heard))

        after.append(ask)
    if run_programs:
        after.append(
            lambda files, facts: timed.extend(programs.run_programs(files, facts, limits, heard))
        )
    measurement = measure(folder, limits, heard, shared=shared, after=after)
    machine = machine_text(measurement, derive(measurement), name)
    return Whole(
        measurement,
        machine,
        checked(machine, measurement),
        opinions if ask_fio else None,
        [(one, programs.predicted(machine, one)) for one in timed] if run_programs else None,
        earlier,
        () if earlier is None else compared(earlier, measurement),
    )

"""Tables of the page-cache study: errors of all simulators, mechanisms, and instances."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING

from simulator.report.lined import ruled
from simulator.study.change import Change, Settings

from .compared import (
    EXPERIMENTS,
    WAYS,
    WRENCH,
    by_wrench,
    calibrated,
    counts,
    held_out,
    mean_errors,
    mean_errors_of_wrench,
    of_instances,
)
from .formulas import mean_errors as mean_errors_of_formulas
from .runs import (
    COUNTS,
    INSTANCES,
    OURS,
    PEERS,
    PHASES,
    REMOTE,
    SIZES,
    STEPS,
    PagecacheRuns,
    published,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.study.ledger import FigureResult, Ledger

CALLED = {
    OURS: "this simulator",
    "wrench_cache": "WRENCH, page cache",
    "prototype": "their prototype",
    "wrench": "WRENCH, no cache",
}
PAGES = "machine.stores.pages"
THROTTLE = (f"{PAGES}.throttle", "1000 TB/s")
EXPIRE = (f"{PAGES}.expire", "1000000 s")
ELASTIC = (f"{PAGES}.elastic", "false")
WITHOUT: Mapping[str, Settings] = {
    "as it is": (),
    "writers are not slowed down, but stop at the limit": (THROTTLE,),
    "nothing expires": (EXPIRE,),
    "programs take no memory from the cache": (ELASTIC,),
    "none of the three": (THROTTLE, EXPIRE, ELASTIC),
    "fresh pages cost nothing": (
        ("machine.parts.memory.rate", "{read: 6860 MB/s, write: 2764 MB/s}"),
    ),
    "one rate of the disk (465 MB/s)": (("machine.parts.ssd.rate", "465 MB/s"),),
    "the rates that the others simulate": (
        ("machine.parts.ssd.rate", "465 MB/s"),
        ("machine.parts.memory.rate", "4812 MB/s"),
    ),
    "dirty ratios of 20 and 10 %": ((f"{PAGES}.dirty", "20 %"),),
    "two lists (active, inactive) instead of LRU": ((f"{PAGES}.policy", "active-inactive"),),
}
"""Settings that remove or change a mechanism in all runs of experiment 1."""


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = ruled(head, rows)
    return f"{title}\n{text}"


def inside_of(ledger: Ledger, experiment: int) -> str:
    """Count the figures of an experiment that are inside their bands, and all of them."""
    return _counted([one for one in ledger.figures if one.figure.ref == f"exp. {experiment}"])


def held_out_of(ledger: Ledger) -> str:
    """Count the same for figures that were read after all had been frozen."""
    ids = set(ledger.study.held_out)
    return _counted([one for one in ledger.figures if one.figure.id in ids])


def _counted(figures: Sequence[FigureResult]) -> str:
    return f"{sum(one.inside for one in figures)} of {len(figures)}"


def heart(runs: PagecacheRuns, ledger: Ledger) -> tuple[str, ...]:
    """Return the main result: the mean errors, and the number of figures inside."""
    errors = (f"{CALLED[name]} {runs.mean_error_percent(name):.1f} %" for name in (OURS, *PEERS))
    said = ", ".join(errors)
    about = (
        "No value was fitted to them; which mechanisms there are was chosen having seen them "
        f"({inside_of(ledger, 1)} numbers inside)."
    )
    apart = (f"{one:.0f}" for one in mean_errors(runs)[1:])
    peers = (f"{one:.0f}" for one in mean_errors_of_wrench(runs)[1:])
    return (
        f"Mean error over the 24 phases of experiment 1: {said}. {about}",
        "Experiments 2 to 4, of which what was measured was read after the machine had been frozen "
        f"({held_out_of(ledger)} numbers inside; reads and writes of 2, of 3, and 4): "
        f"this simulator {_listed(apart)} %, {CALLED[WRENCH]}, {_listed(peers)} %.",
    )


def _listed(numbers: Iterable[str]) -> str:
    *most, last = numbers
    return f"{', '.join(most)} and {last}"


def phase_table(runs: PagecacheRuns) -> str:
    """Return each phase as measured, with each simulator's error."""
    rows = []
    for size in SIZES:
        measured = published()["times_s"][size]["measured"]
        for phase in PHASES:
            off = (runs.times(name, size)[phase] / measured[phase] - 1 for name in CALLED)
            label = f"{size} GB, {phase[:-1]} {phase[-1]}"
            rows.append([label, f"{measured[phase]:.1f}", *(f"{100 * one:+.1f} %" for one in off)])
        means = (runs.mean_error_percent(name, (size,)) for name in CALLED)
        rows.append([f"{size} GB, mean", "", *(f"{one:.1f} %" for one in means)])
    means = (runs.mean_error_percent(name) for name in CALLED)
    rows.append(["all, mean", "", *(f"{one:.1f} %" for one in means)])
    head = ["phase", "measured (s)", *CALLED.values()]
    return _table("Experiment 1: errors of each phase", head, rows)


def ablation_table(runs: PagecacheRuns) -> str:
    """Return mean errors of experiment 1 without each mechanism."""
    rows = []
    for what, settings in WITHOUT.items():
        changed = Change((*runs.change.settings, *settings), jobs=runs.change.jobs)
        other = PagecacheRuns(runs.engine, change=changed) if settings else runs
        each = (f"{other.mean_error_percent(OURS, (size,)):.1f}" for size in SIZES)
        rows.append([what, *each, f"{other.mean_error_percent(OURS):.1f}"])
    head = ["", *(f"{size} GB" for size in SIZES), "all"]
    return _table("Experiment 1: mean error in % without each mechanism", head, rows)


def instance_table(runs: PagecacheRuns, experiment: int) -> str:
    """Return times of each phase of experiment 2 or 3, mean of the instances."""
    workload, where = {2: (INSTANCES, "local disk"), 3: (REMOTE, "NFS")}[experiment]
    rows = []
    for count in COUNTS:
        times = runs.instances(workload, count).phases
        reads, writes = (sum(times[one] for one in PHASES[way::2]) for way in (0, 1))
        each = (f"{times[phase]:.1f}" for phase in PHASES)
        rows.append([str(count), *each, f"{reads:.1f}", f"{writes:.1f}"])
    head = ["instances", *PHASES, "reads", "writes"]
    title = f"Experiment {experiment} ({where}): seconds of each phase, mean of instances"
    return _table(title, head, rows)


def nighres_table(runs: PagecacheRuns) -> str:
    """Return each phase of experiment 4 as measured, with its error."""
    times, measured = runs.nighres().phases, held_out()[4]["measured"]
    peers = held_out()[4][WRENCH]
    rows = []
    for phase in STEPS:
        off = (one[phase] / measured[phase] - 1 for one in (times, peers))
        label, numbers = f"{phase[:-1]} {phase[-1]}", (measured[phase], times[phase])
        shown = (f"{one:.2f}" for one in numbers)
        rows.append([label, *shown, *(f"{100 * one:+.1f} %" for one in off)])
    head = ["phase", "measured (s)", "simulated (s)", CALLED[OURS], CALLED[WRENCH]]
    return _table("Experiment 4 (Nighres): errors of each phase", head, rows)


def compared_table(runs: PagecacheRuns, experiment: int) -> str:
    """Return mean measured times of an instance of experiment 2 or 3, with all errors."""
    rows = []
    for count in counts(experiment):
        cells = [str(count)]
        for way in WAYS:
            measured = fmean(held_out()[experiment]["measured"][count][way]) / count
            both = (of_instances(runs, experiment, count), by_wrench(experiment, count))
            cells += [
                f"{measured:.1f}",
                *(f"{100 * (one[way] / measured - 1):+.1f} %" for one in both),
            ]
        rows.append(cells)
    head = ["instances", "read (s)", "here", "WRENCH", "written (s)", "here", "WRENCH"]
    title = f"Experiment {experiment}: time of an instance as measured, and errors"
    return _table(title, head, rows)


def variants_table(runs: PagecacheRuns) -> str:
    """Return mean errors in all experiments: of this simulator, WRENCH and formulas."""
    errors = {
        "nothing fitted": mean_errors(runs),
        "two values calibrated to experiment 1": mean_errors(calibrated(runs)),
        CALLED[WRENCH]: mean_errors_of_wrench(runs),
        "formulas without a machine": mean_errors_of_formulas(),
    }
    rows = [[name, *(f"{one:.1f}" for one in each)] for name, each in errors.items()]
    return _table("Mean error in % by experiment", ["", *EXPERIMENTS], rows)

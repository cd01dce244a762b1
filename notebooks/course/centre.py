"""Lesson 7: a centre and its queue, on the Numerical Wind Tunnel (tables 2.1, 2.2, 3.1, 4.1)."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import nwtsim
from simulator.experiments.nwt.centre.years import CLASSES, Waits, Year, hours_on, mean_pes
from simulator.experiments.nwt.tables import tables

from .chart import Chart
from .exercises import Exercise, Lesson, Numbers, Said

FIRST = 1993
"""The year in which the first fiscal year of the tables, Heisei 5, begins."""
POLICIES = {"first come, first served": "none", "EASY backfill": "easy"}
SHARE, BACKLOG = 0.01, 0.005
"""Parts of a year's jobs that are simulated: as they come, and if all are there at once."""
GAPS_min = (60, 45, 36, 30, 26)
"""Minutes between two narrow jobs, on the average, of the picture of waits."""
PES = (1, 2, 4, 8, 16, 32, 64, 128)
"""PEs of the curves over table 4.1."""
ROOM_MB = 2000
"""What the SSU has room for, with the lengths of records,"""
UNIT_MB = 8
"""in whole units for each PE."""

MACHINE = """\
format: machine/2
name: centre
nodes: {node: {count: NODES, queue: {order: fcfs, backfill: POLICY}}}
"""
FOUR_JOBS = """\
format: workload/2
name: four-jobs
jobs:
- {name: a, nodes: 3, phases: [{do: compute, time: A h}]}
- {name: b, nodes: 4, start: 10 min, phases: [{do: compute, time: 1 h}]}
- {name: c, nodes: 1, start: 20 min, phases: [{do: compute, time: C h}]}
"""
TWO_CLASSES = """\
format: workload/2
name: mixed
jobs:
- name: wide
  nodes: 14
  submit: {every: WIDE min, count: 24}
  phases: [{do: compute, time: 30 min}]
- name: narrow
  nodes: 2
  submit: {every: GAP min, count: 240}
  phases: [{do: compute, time: 2 h, spread: exponential}]
"""


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("centre", student, EXERCISES)


# -- queues -----------------------------------------------------------------------------------


def _queued(nodes: int, jobs: str, policy: str) -> dict[str, list[Any]]:
    """Run jobs through a queue; a row for each job, times in seconds."""
    machine = MACHINE.replace("NODES", str(nodes)).replace("POLICY", policy)
    made = nwtsim.run(machine, jobs, seed=1).to_dict()["queues"]["node"]["jobs"]
    times = {one: [at / 1e9 for at in made[f"{one}_ns"]] for one in ("submit", "start", "end")}
    return {"class": made["class"], **times}


def starts(a: float, c: float, policy: str) -> dict[str, float]:
    """Return the minute in which each of three jobs begins; a and c compute so many hours."""
    jobs = FOUR_JOBS.replace("A h", f"{a} h").replace("C h", f"{c} h")
    made = _queued(4, jobs, policy)
    return {name: start / 60 for name, start in zip(made["class"], made["start"], strict=True)}


def plan(a: float, c: float, policy: str) -> Said:
    """Show which jobs run on four nodes, a sign for each quarter of an hour."""
    jobs = FOUR_JOBS.replace("A h", f"{a} h").replace("C h", f"{c} h")
    made = _queued(4, jobs, policy)
    rows = []
    for name, begin, end in zip(made["class"], made["start"], made["end"], strict=True):
        first, last = round(begin / 900), round(end / 900)
        rows.append(f"{name}  {'.' * first}{'#' * (last - first)}  {begin / 60:g} min")
    return Said("\n".join(rows))


@cache
def narrow_wait(gap_min: float, policy: str) -> float:
    """Return the mean hours that narrow jobs wait on sixteen nodes: one each so many minutes."""
    jobs = TWO_CLASSES.replace("GAP", str(gap_min)).replace("WIDE", str(10 * gap_min))
    made = _queued(16, jobs, policy)
    rows = [row for row, one in enumerate(made["class"]) if one == "narrow"]
    return sum(made["start"][row] - made["submit"][row] for row in rows) / len(rows) / 3600


def arriving(gap_min: float) -> float:
    """Return the node-time that arrives, in percent of what sixteen nodes have."""
    return 100 * (2 * 120 + 14 * 30 / 10) / gap_min / 16


def waits() -> Chart:
    """Draw how long narrow jobs wait over how much work arrives."""
    curves = {
        name: [(round(arriving(gap)), narrow_wait(gap, policy)) for gap in GAPS_min]
        for name, policy in POLICIES.items()
    }
    title = "The fuller the machine, the longer the wait: backfill moves the wall"
    return Chart(title, "work that arrives, % of the nodes", "hours waited", curves)


# -- the NWT's years --------------------------------------------------------------------------


@cache
def at_most(year: str, policy: str) -> float:
    """Return how much of the PEs' time a policy uses if all jobs of the year wait; percent."""
    return 100 * Year(year, backfill=policy, share=BACKLOG, backlog=True).run().utilisation


def used() -> Chart:
    """Draw what policies could use at most by fiscal year, and what was used (table 2.2)."""
    years = tables().years
    curves = {
        name: [(FIRST + at, at_most(one, policy)) for at, one in enumerate(years)]
        for name, policy in POLICIES.items()
    }
    printed = [(FIRST + at, 100 * one) for at, one in enumerate(tables().utilisation)]
    title = "In 1996 the centre used more than first come, first served could"
    return Chart(title, "fiscal year", "% of the PEs' time", curves, printed)


@cache
def year_waits(policy: str, year: str = "H9") -> Waits:
    """Run a hundredth of a year's jobs as they come."""
    return Year(year, backfill=policy, share=SHARE).run()


def waits_by_width() -> Chart:
    """Draw how long the NWT's jobs of 1997 wait, by the PEs that they need."""
    curves = {
        name: [(CLASSES[label][0], wait) for label, wait in year_waits(policy).of_class.items()]
        for name, policy in POLICIES.items()
    }
    title = (
        "1997: first come, first served lets all wait alike; with backfill narrow jobs hardly wait"
    )
    return Chart(title, "PEs of a job, at least", "hours waited", curves)


def table_2() -> Said:
    """Show tables 2.1 and 2.2: jobs and PE-hours of each fiscal year."""
    made = tables()
    rows = [f"{'PEs':>9}" + "".join(f"{FIRST + at:>19}" for at in range(len(made.years)))]
    for label, jobs in made.jobs.rows.items():
        pairs = zip(jobs, made.cpu_time.rows[label], strict=True)
        rows.append(f"{label:>9}" + "".join(f"{one:9,}{time:10,}" for one, time in pairs))
    pairs = zip(made.jobs.totals, made.cpu_time.totals, strict=True)
    rows.append(f"{'total':>9}" + "".join(f"{one:9,}{time:10,}" for one, time in pairs))
    shares = "".join(f"{100 * one:17.2f} %" for one in made.utilisation)
    return Said("\n".join([*rows, f"{'used':>9}{shares}"]))


# -- the data of jobs -------------------------------------------------------------------------


def kinds() -> Said:
    """Show the nine kinds of data of a job (table 3.1), and the seconds of its calls for each."""
    phases = nwtsim.run("nwt", "nwt-job").to_dict()["jobs"]["job"]["phases"]
    rows = []
    for one in tables().kinds:
        mine = [each for each in phases if each["what"].split()[-1] in one.files]
        seconds = sum(each["elapsed_ns"] for each in mine) / 1e9
        size = sum(each["read_bytes"] + each["write_bytes"] for each in mine) / 1e6
        rows.append(f"{seconds:6.2f} s {size:7.2f} MB  {one.method:4}  {one.kind}")
    return Said("\n".join(rows))


def printing(size_MB: float, path: str) -> float:
    """Return the seconds for which printed output keeps a job: by nfs, or by svio."""
    settings = {"workload.jobs.0.path": path, "workload.files.print.size": f"{size_MB} MB"}
    return nwtsim.run("nwt", "nwt-print", settings).elapsed_s


@cache
def rate(pes: int, size_MB: float, who: str) -> float:
    """Return the MB/s at which PEs get a file from the SSU: ``one`` reads for all, or ``each``."""
    sizes = {"one": int(size_MB * 1e6), "each": int(size_MB * 1e6 / pes)}
    job, count = {"one": ("test-read-parallel", "nodes"), "each": ("nwt-each", "processes")}[who]
    settings = {f"workload.jobs.0.{one}": "8 MB" for one in ("buffer", "record")}
    settings |= {f"workload.jobs.0.{count}": str(pes)}
    settings |= {"workload.files.input.size": f"{sizes[who]} B"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nwtsim.SettingWarning)  # Equal PEs move in lockstep.
        found = nwtsim.run("nwt", job, settings)
    return sizes[who] * (pes if who == "each" else 1) / 1e6 / found.elapsed_s


def table_4() -> Said:
    """Show table 4.1, and beside its greatest rates what PEs get that read for themselves."""
    rows = ["  PEs  CPU s    largest, mean MB   greatest, mean MB/s   simulated, each PE reads"]
    for one in tables().production:
        room = ROOM_MB // (UNIT_MB * one.pes) * UNIT_MB * one.pes
        best = rate(one.pes, min(one.largest_MB, room), "each")
        sizes, rates = (one.largest_MB, one.mean_MB), (one.greatest_MBps, one.mean_MBps)
        shown = "".join(f"{size:10.1f}" for size in (*sizes, *rates))
        rows.append(f"{one.pes:5} {one.cpu_s:6}{shown}{best:15.1f}")
    cpu_s, *others = tables().representative
    rows.append(f"  all {cpu_s:6}" + "".join(f"{one:10.1f}" for one in others))
    return Said("\n".join(rows))


def greatest() -> Chart:
    """Draw the rates that the SSU can give, and the greatest ones that were seen (table 4.1)."""
    rows = {one.pes: one for one in tables().production}
    names = {"each PE reads": "each", "one PE reads for all": "one"}
    curves = {
        name: [(pes, rate(pes, min(rows[pes].largest_MB, ROOM_MB), who)) for pes in PES]
        for name, who in names.items()
    }
    printed = [(one.pes, one.greatest_MBps) for one in rows.values()]
    title = "No job of two months was faster than PEs that read for themselves; one beat a master"
    return Chart(title, "PEs", "MB/s", curves, printed, logarithmic=True)


# -- exercises --------------------------------------------------------------------------------


def _some_year(name: str) -> Numbers:
    at = tables().years.index(name)
    return {
        "year": FIRST + at,
        "name": name,
        "hours": tables().cpu_time.totals[at],
        "used": round(100 * tables().utilisation[at], 2),
        "pes": round(mean_pes(name)),
    }


EXERCISES = (
    Exercise(
        "In fiscal year {year} the jobs took {hours:,} PE-hours. That was {used} % of what {pes}"
        " PEs had while the power was on. For how many hours was it on?",
        "hours",
        "PE-hours are hours times PEs times the share that was used.",
        "{hours:,} / {pes} / {used} % are {answer}; a year has 8,760.",
        lambda rng: _some_year(rng.choice(("H5", "H6", "H8", "H9"))),
        lambda numbers: round(hours_on(numbers["name"])),
        relative=0.01,
    ),
    Exercise(
        "Job a takes {a} h on three of four nodes. After 10 minutes comes b, which needs all four"
        " for an hour, and after 20 minutes c, which needs one for {c} h. The queue has EASY"
        " backfill. How many minutes after the begin of a does c begin?",
        "minutes",
        "May c pass b without delaying it? centre.plan({a}, {c}, 'easy') draws who runs when.",
        "{answer}. c may pass b only if it ends before a does: then b begins as early as without"
        " c.",
        lambda rng: {"a": rng.choice((1.5, 2, 2.5)), "c": rng.choice((0.5, 1, 1.5, 2))},
        lambda numbers: starts(numbers["a"], numbers["c"], "easy")["c"],
    ),
    Exercise(
        "On the sixteen nodes a narrow job comes every {gap} min. How many times as long do narrow"
        " jobs wait first come, first served as with EASY backfill?",
        "times",
        "Divide centre.narrow_wait({gap}, 'none') by centre.narrow_wait({gap}, 'easy').",
        "Simulated: {answer} as long. Behind a wide job that waits, narrow ones use the nodes that"
        " are idle until it can begin.",
        lambda rng: {"gap": rng.choice((27, 28, 32, 34, 38))},
        lambda numbers: narrow_wait(numbers["gap"], "none") / narrow_wait(numbers["gap"], "easy"),
        relative=0.05,
    ),
    Exercise(
        "A job prints {size} MB. How many times as long does that keep it by NFS, call by call over"
        " the LAN, as by SVIO into the SSU?",
        "times",
        "Divide centre.printing({size}, 'nfs') by centre.printing({size}, 'svio').",
        "Simulated: {answer} as long. By SVIO the copy over the LAN begins when the job has ended,"
        " and its PEs are free for the next one.",
        lambda rng: {"size": rng.randrange(10, 90) / 10},
        lambda numbers: printing(numbers["size"], "nfs") / printing(numbers["size"], "svio"),
        relative=0.05,
    ),
    Exercise(
        "{pes} PEs need a file of {size:,} MB that is in the SSU, each a part of it. How many times"
        " as fast do they get it if each reads its part as if one reads all and sends parts on?",
        "times",
        "centre.rate({pes}, {size}, 'each') is the rate of the first way, with 'one' of the"
        " second.",
        "Simulated: {answer} as fast. One PE has one port to the SSU, and sends all on by the same"
        " crossbar; several share what the SSU itself can give.",
        lambda rng: {"pes": rng.choice((4, 8, 16)), "size": 100 * rng.randrange(4, 17)},
        lambda numbers: (
            rate(numbers["pes"], numbers["size"], "each")
            / rate(numbers["pes"], numbers["size"], "one")
        ),
        relative=0.05,
    ),
)

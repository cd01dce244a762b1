"""Lesson 8: which machine to buy, and how sure one is (the single runs of table 4.3)."""

from __future__ import annotations

from functools import cache
from typing import Any

import nwtsim
from simulator.study.modelerror import model_error
from simulator.study.study_file import load_study

from .chart import Chart
from .exercises import Exercise, Lesson, Numbers, Said

JOB, PRINTED = "test-write-120MB", "write-120MB-600kB"
"""The job that writes 120 MB, and the name of its runs in the paper (table 4.3)."""
OFFERS = (8, 10, 12, 16, 24)
"""Volumes of the offers; the Numerical Wind Tunnel had 8."""
PRICE, RATE_MBps = 2, 4.5
"""Of a volume: our own points, since the paper prints no prices; and its rate (section 2.1)."""
DRAWS = 12
"""Runs drawn for each offer by which its chance is told."""

REQUIREMENT = """\
format: requirement/1
name: lesson
machine: nwt
currency: points
workloads: {write: {workload: test-write-120MB}}
targets: [{workload: write, elapsed: %s s}]
catalogue: {volume: {price: 2}}
choices:
  volumes: {set: array.rate, values: [%s], unit: 4.5 MB/s, buys: {volume: 1}}
"""


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("purchase", student, EXERCISES)


# -- runs -------------------------------------------------------------------------------------


@cache
def seconds(volumes: int, day: int | None = None) -> float:
    """Simulate the job with so many volumes: on a day, or without what varies from day to day."""
    return nwtsim.run("nwt", JOB, {"array.rate": f"{RATE_MBps * volumes} MB/s"}, seed=day).elapsed_s


def slowest(volumes: int, days: int) -> float:
    """Return the seconds of the slowest of the first days."""
    return max(seconds(volumes, day) for day in range(1, days + 1))


def late(volumes: int, limit: float, days: int = 40) -> float:
    """Return on how many of the days the job takes longer than so many seconds, in percent."""
    found = (seconds(volumes, day) > limit for day in range(1, days + 1))
    return 100 * sum(found) / days


def measured() -> list[float]:
    """Return the seconds of the single runs that the paper prints, the fastest first."""
    (cell,) = (one for one in load_study("nwt").cells if one.id == PRINTED)
    return sorted(120 / rate for rate in cell.runs)


def errors() -> list[float]:
    """Return how far each predicted rate of the NWT was off, in percent, in order."""
    (found,) = (one for one in model_error("write_MBps") if one.study == "nwt")
    return sorted(100 * one for one in found.errors)


# -- the answer of nwtsim size ----------------------------------------------------------------


def requirement(limit: float, offers: tuple[int, ...] = OFFERS) -> str:
    """Return the question as a file: the job takes at most so many seconds."""
    rates = ", ".join(f"{RATE_MBps * one} MB/s" for one in offers)
    return REQUIREMENT % (limit, rates)


def cheapest(limit: float) -> dict[str, Any] | None:
    """Find the cheapest offer that meets the limit on a day like the mean; None if none does."""
    return nwtsim.size(requirement(limit), noise=False, jobs=1).answer


@cache
def chance(volumes: int, limit: float) -> dict[str, float]:
    """Return the chance that an offer meets the limit, in percent: by days alone, and in all.

    In all: with how far the model was from what was measured on the NWT.
    """
    asked = requirement(limit, (volumes,)) + "probability: 99 %\n"
    found = nwtsim.size(asked, replications=DRAWS, jobs=1)
    one = (found.answer or found.nearest or {})["probability"]
    return {"days alone": 100 * one["by_runs_alone"], "in all": 100 * one["estimate"]}


def ask(limit: float) -> Said:
    """Show what nwtsim size says of a limit, without what varies."""
    found = nwtsim.size(requirement(limit), noise=False, jobs=1)
    return Said(str(found).strip())


# -- pictures ---------------------------------------------------------------------------------


def offers() -> Chart:
    """Draw the time of the job over what is bought, with the paper's single runs (table 4.3)."""
    curves = {
        "on the mean day": [(one, seconds(one)) for one in OFFERS],
        "slowest of 8 days": [(one, slowest(one, 8)) for one in OFFERS],
    }
    title = "120 MB are written in 8.3 s with 8 volumes, in 6.1 s with 24; days differ by more"
    return Chart(title, "volumes", "seconds", curves, [(8, one) for one in measured()])


def days() -> Chart:
    """Draw how many of 40 simulated and of the measured runs are done after some time."""
    times = (7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0)
    curves = {"simulated, 8 volumes": [(one, 100 - late(8, one)) for one in times]}
    runs = measured()
    printed = [(one, 100 * (rank + 1) / len(runs)) for rank, one in enumerate(runs)]
    title = "Runs that are done after some time: the eight of 1998 beside 40 simulated ones"
    return Chart(title, "seconds", "% of the runs", curves, printed)


def chances(limit: float) -> Chart:
    """Draw the chance that the job meets a limit over the volumes that are bought."""
    names = ("days alone", "in all")
    curves = {name: [(one, chance(one, limit)[name]) for one in OFFERS] for name in names}
    title = f"The chance that the job takes at most {limit:g} s: the model's error flattens it"
    return Chart(title, "volumes", "%", curves)


# -- exercises --------------------------------------------------------------------------------


def price(numbers: Numbers) -> float:
    """Return the price of the cheapest offer on the mean day."""
    found = cheapest(numbers["limit"])
    assert found is not None
    return float(found["price"])


def late_days(numbers: Numbers) -> float:
    """Return the days on which that is too late, in percent."""
    return late(numbers["volumes"], numbers["limit"])


def sure_price(numbers: Numbers) -> float:
    """Return the price of the cheapest offer that meets the limit on each of the days."""
    met = (one for one in OFFERS if slowest(one, numbers["days"]) <= numbers["limit"])
    return float(PRICE * next(met))


def chance_in_all(numbers: Numbers) -> float:
    """Return the chance of an offer with the model's error, in percent."""
    return chance(numbers["volumes"], numbers["limit"])["in all"]


def chance_price(numbers: Numbers) -> float:
    """Return the price of the cheapest offer with that chance."""
    limit, wanted = numbers["limit"], numbers["wanted"]
    met = (one for one in OFFERS if chance(one, limit)["in all"] >= wanted)
    return float(PRICE * next(met))


EXERCISES = (
    Exercise(
        "The job has to take at most {limit} s on a day like the mean. What does the cheapest"
        " offer cost?",
        "points",
        "Read the volumes off the first picture, or let purchase.ask({limit}) find them; a volume"
        " costs 2 points.",
        "The cheapest that meets it without anything that varies costs {answer}.",
        lambda rng: {"limit": rng.choice((6.4, 6.8, 7.0, 7.4, 7.6, 7.8, 8.0, 8.4))},
        price,
    ),
    Exercise(
        "You buy {volumes} volumes, and tell everybody that the job takes at most {limit} s. On"
        " how many of 40 days are you wrong?",
        "percent",
        "purchase.late({volumes}, {limit}) simulates 40 days.",
        "Simulated: {answer} of the days are late. What is just met on the mean day is missed on"
        " about every second day.",
        lambda rng: rng.choice(
            (
                {"volumes": 8, "limit": 8.4},
                {"volumes": 10, "limit": 7.8},
                {"volumes": 12, "limit": 7.3},
            )
        ),
        late_days,
        absolute=3,
    ),
    Exercise(
        "The job has to take at most {limit} s on each of the first {days} days. What does the"
        " cheapest offer cost now?",
        "points",
        "purchase.slowest(8, {days}) is the slowest of these days with 8 volumes; try the other"
        " offers too.",
        "Simulated: {answer}. The worst day decides, and the more days you look at, the worse it"
        " is.",
        lambda rng: {"limit": rng.choice((7.6, 7.8, 8.0, 8.2, 8.4)), "days": rng.choice((5, 10))},
        sure_price,
    ),
    Exercise(
        "What is the chance that a real machine with {volumes} volumes meets {limit} s, if the"
        " model is as wrong there as it was for the NWT?",
        "percent",
        "purchase.chance({volumes}, {limit}) draws twelve days, and has both chances.",
        "{answer}. Twelve errors are few, so the chance of each size of an error is taken from a"
        " bell curve through them, with heavier tails (Student's t), for each of the twelve days.",
        lambda rng: {"volumes": rng.choice((10, 12, 16)), "limit": rng.choice((7.4, 7.8, 8.2))},
        chance_in_all,
        absolute=2,
    ),
    Exercise(
        "The contract says {limit} s, and your director wants to be {wanted} % sure, with the"
        " model's error. What does the cheapest offer cost?",
        "points",
        "purchase.chances({limit}) draws the chance of each offer; 8, 10, 12, 16 and 24 volumes are"
        " on offer.",
        "The cheapest offer with that chance costs {answer}. Being surer has a price, which is the"
        " honest thing to show a director.",
        lambda rng: {"limit": rng.choice((7.8, 8.0, 8.2, 8.4)), "wanted": rng.choice((60, 80))},
        chance_price,
    ),
)

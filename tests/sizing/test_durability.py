"""Durability: figures by hand, beside losses that a naive twin draws, and what is bought for it."""

from __future__ import annotations

import heapq
import math
import random
import re
from pathlib import Path

import pytest

from simulator.config import formats
from simulator.config.amounts import Redundancy
from simulator.config.errors import ConfigError
from simulator.config.load import load_file
from simulator.config.requirement_durability import Failing
from simulator.inputfile import Text
from simulator.kinds.parts.array.section import Array
from simulator.run import EngineName, load_plan, run_plan
from simulator.sizing.durability import HOUR_NS, Arrays, Durability, rebuild_ns
from simulator.sizing.loads import Loads
from simulator.sizing.sized import Sized
from tests.sizing.pages import written_size
from tests.sizing.texts import FAILING, LAB, LAB_JOB, LAB_NEED, searched

YEAR = 8760
JOB = LAB_JOB.replace("SIZE", "12 MB, exists: true").replace("DO", "read")
RAID5 = "five: {set: {store.disks: 5, store.level: raid5}, buys: {disk: 5}, redundancy: 4+1}"
MIRROR = "two: {set: {store.disks: 8, store.level: mirror}, buys: {disk: 8}, redundancy: mirror}"
RAID6 = "six: {set: {store.disks: 6, store.level: raid6}, buys: {disk: 6}, redundancy: 4+2}"
NEED = (
    LAB_NEED.replace("TIME", "1 min")
    .replace("TARGETS", "{capacity: 16 TB}, TARGETS")
    .replace("CHOICES", "store: {options: {OPTIONS}}")
)
"""A rebuild reads 4 TB in 40,000 s and writes them in as many: with the repair it takes a day."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.yaml").write_text(LAB)
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


def loads(folder: Path, target: str, *options: str, **changed: str) -> Loads:
    text = NEED.replace("TARGETS", target).replace("OPTIONS", ", ".join(options))
    for old, new in changed.items():
        before = {"failing": FAILING, "options": "options: {"}[old]
        assert before in text
        text = text.replace(before, new)
    return Loads(Text(text, str(folder / "need.yaml")))


def sized(folder: Path, target: str, *options: str, everything: bool = False) -> Sized:
    made = loads(folder, target, *options)
    return searched(made, everything=everything)


def bought(folder: Path, target: str, *options: str) -> str | None:
    found = sized(folder, target, *options)
    everything = sized(folder, target, *options, everything=True)
    assert found.winner == everything.winner
    return None if found.winner is None else found.winner.levels[0]


# -- by hand --------------------------------------------------------------------------------------

DAY = (100_000.0, 6400 / 3600, 80_000 / 3600)
BY_HAND = {
    "mirror": (8, 1e10 / (8 * 24)),
    "raid5": (5, 1e10 / (5 * 4 * 24)),
    "raid6": (6, 1e15 / (6 * 5 * 4 * 24**2 / 2)),
}
"""Disks, and hours until a loss: M^2 / (n R) of a mirror, and so on, with M = 100,000, R = 24."""


@pytest.mark.parametrize("level", BY_HAND)
@pytest.mark.parametrize("count", [1, 3])
def test_figures_by_hand(level: str, count: int) -> None:
    disks, hours = BY_HAND[level]
    found = Durability((Arrays(count, disks, level, *DAY),))
    assert found.figure("mttdl") == pytest.approx(hours / YEAR / count)
    assert found.figure("loss_per_year") == pytest.approx(YEAR * count / hours, rel=1e-3)
    assert found.figure("rebuild") == pytest.approx(80_000e9)
    away = count * disks * 24 / 100_000
    assert found.figure("degraded") == pytest.approx(away * YEAR * HOUR_NS, rel=away)


def test_arrays_of_two_kinds_lose_as_often_as_both() -> None:
    mirror, five = (Arrays(1, BY_HAND[one][0], one, *DAY) for one in ("mirror", "raid5"))
    both = Durability((mirror, five)).figure("mttdl") * YEAR
    assert 1 / both == pytest.approx(1 / BY_HAND["mirror"][1] + 1 / BY_HAND["raid5"][1])


def test_a_part_of_a_year_is_a_mean_time() -> None:
    """Of disks with an MTBF of a year a part of 1 - 1/e fails within one; 1 %: 871,613 h."""
    of_a_year = Failing(afr=1 - math.exp(-1), repair="0 s").hours
    assert of_a_year == pytest.approx(YEAR)
    assert Failing(afr="1 %", repair="0 s").hours == pytest.approx(871_612.5, abs=1)
    assert Failing(mtbf="2,500,000 h", repair="0 s").hours == 2.5e6
    assert Failing(mtbf="2 years", repair="0 s").hours == 2 * YEAR


# -- beside what is drawn -------------------------------------------------------------------------


def drawn(
    level: str | Redundancy,
    arrays: int,
    disks: int,
    mtbf: float,
    away: float,
    rng: random.Random,
) -> tuple[float, float]:
    """Return the time until some array loses data, and how long not all were whole until then.

    Each disk fails by itself; a loss is that more are away at once than the level bears.
    """
    bears = {"raid5": 1, "raid6": 2}
    code = level if isinstance(level, Redundancy) else None
    back = [[0.0] * disks for _ in range(arrays)]
    fails = [(rng.expovariate(1 / mtbf), a, d) for a in range(arrays) for d in range(disks)]
    heapq.heapify(fails)
    degraded = until = 0.0
    while True:
        now, array, disk = heapq.heappop(fails)
        mine = back[array]
        if level == "mirror":
            lost = mine[disk ^ 1] > now
        elif code is not None:  # Files begin at each of the members.
            gone = [one > now or at == disk for at, one in enumerate(mine)]
            files = (range(first, first + code.group) for first in range(disks))
            lost = any(sum(gone[one % disks] for one in file) > code.parity for file in files)
        else:
            lost = sum(one > now for one in mine) >= bears[level]
        if lost:
            return now, degraded - max(0.0, until - now)
        mine[disk] = now + away
        degraded += now + away - max(now, until)
        until = now + away
        heapq.heappush(fails, (until + rng.expovariate(1 / mtbf), array, disk))


@pytest.mark.parametrize(
    ("level", "arrays", "disks", "away", "losses"),
    [
        ("mirror", 1, 2, 5.0, 3000),
        ("mirror", 2, 4, 4.0, 3000),
        ("raid5", 1, 5, 2.0, 3000),
        ("raid5", 3, 4, 1.0, 1500),
        ("raid6", 1, 6, 8.0, 400),
        ("raid6", 2, 5, 8.0, 400),
        (Redundancy(2, 1), 1, 3, 2.0, 3000),
        (Redundancy(2, 1), 1, 9, 1.0, 1500),
        (Redundancy(2, 2), 1, 8, 6.0, 400),
    ],
)
def test_the_formulas_beside_thousands_of_drawn_losses(
    level: str | Redundancy, arrays: int, disks: int, away: float, losses: int
) -> None:
    """The mean of N exponential times varies by 1 / sqrt(N): four deviations.

    The formulas leave out what is of the order of n R / M, and only make data less durable by it.
    """
    mtbf, rng = 500.0, random.Random(7)
    times, degraded = zip(
        *(drawn(level, arrays, disks, mtbf, away, rng) for _ in range(losses)), strict=True
    )
    found = Durability((Arrays(arrays, disks, level, mtbf, 0.0, away),))
    mean, deviation, left_out = sum(times) / losses, 4 / math.sqrt(losses), disks * away / mtbf
    mttdl = found.figure("mttdl") * YEAR
    assert mttdl * (1 - deviation) < mean < mttdl * (1 + deviation) * (1 + 2 * left_out)
    part = found.figure("degraded") / HOUR_NS / YEAR
    assert sum(degraded) / sum(times) == pytest.approx(part, rel=0.03)


def test_the_odds_of_a_year_beside_years_that_are_drawn() -> None:
    """Of 4,000 pairs of arrays as many lose data within a year as the formula says."""
    rng, mtbf, away, count = random.Random(5), 4000.0, 10.0, 4000
    odds = Durability((Arrays(2, 5, "raid5", mtbf, 0.0, away),)).figure("loss_per_year")
    assert 0.15 < odds < 0.5
    lost = sum(drawn("raid5", 2, 5, mtbf, away, rng)[0] <= YEAR for _ in range(count))
    assert lost / count == pytest.approx(odds, abs=4 * math.sqrt(odds * (1 - odds) / count) + 0.01)


# -- rebuilds as they are simulated ---------------------------------------------------------------


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("array", "seconds"),
    [
        ("disks: 4, level: raid5", 20),
        ("disks: 6, level: raid6", 20),
        ("disks: 2, level: mirror", 20),
        ("disks: 4, level: raid5, rebuild: 25 MB/s", 40),
        ("disks: 4, level: raid5, rebuild_step: 16 MB, overhead: 8 ms, seek: 9 ms", 21),
    ],
)
def test_a_rebuild_takes_as_long_as_it_is_simulated(
    array: str, seconds: float, engine: EngineName
) -> None:
    """1 GB is read in 10 s and written in 10 s; 63 steps of 16 MB or less have 2 x 8 ms more."""
    part = f"store: {{kind: array, {array}, rate: 100 MB/s, capacity: 1 GB, unit: 1 MB}}"
    before, _, after = LAB.partition("  store:")
    machine = f"{before}  {part}\n{after.partition(chr(10))[2]}"
    machine += "events: [{part: store, disk: 1, at: 10 s, repair: 5 s}]\n"
    job = JOB.replace("phases: [", "phases: [{do: compute, time: 100 s}, ")
    plan = load_plan(Text(machine, "m.yaml"), Text(job, "job.yaml"))
    (one,) = run_plan(plan, engine=engine).arrays.values()
    section = array_of(machine)
    assert one.rebuilds == 1
    assert rebuild_ns(section) == pytest.approx(seconds * 1e9, rel=0.001)
    step_ns = rebuild_ns(section) / math.ceil(section.capacity / (section.rebuild_step or 10**6))
    assert abs(one.degraded_ns - (5 * 10**9 + rebuild_ns(section))) <= step_ns


def array_of(machine: str) -> Array:
    """Return the section of the array of a machine."""
    section = load_file(formats.MACHINE, Text(machine, "m.yaml")).parts["store"]
    assert isinstance(section, Array)
    return section


# -- what is bought -------------------------------------------------------------------------------


def test_mirrors_are_bought_where_raid_5_loses_data_too_often(folder: Path) -> None:
    """RAID 5 of five loses data in 0.042 % of the years, mirrors of eight in 0.0168 %."""
    odds = "{loss_per_year: 0.02 %}"
    assert bought(folder, "{loss_per_year: 0.05 %}", RAID5, MIRROR) == "five"
    assert bought(folder, odds, RAID5, MIRROR) == "two"
    assert bought(folder, odds, RAID5, MIRROR, RAID6) == "six"
    assert bought(folder, "{loss_per_year: 0.01 %}", RAID5, MIRROR) is None


def test_each_figure_decides(folder: Path) -> None:
    """RAID 5: 2,378 years and 10.5 h a year; mirrors: 5,945 years and 16.8 h; both 22.2 h."""
    assert bought(folder, "{mttdl: 2000 years}", RAID5, MIRROR) == "five"
    assert bought(folder, "{mttdl: 3000 years}", RAID5, MIRROR) == "two"
    assert bought(folder, "{mttdl: 3000 years}, {degraded: 12 h}", RAID5, MIRROR) is None
    assert bought(folder, "{rebuild: 22.3 h}", RAID5, MIRROR) == "five"
    assert bought(folder, "{rebuild: 22.1 h}", RAID5, MIRROR) is None


def test_the_page_has_all_figures(folder: Path) -> None:
    figures = "{loss_per_year: 0.1 %}, {mttdl: 1000 years}, {rebuild: 30 h}, {degraded: 12 h}"
    page = written_size(sized(folder, figures, RAID5, MIRROR))
    for row in (
        r"odds of a loss in a year *at most 0.1 % *0.042 %",
        r"mean time to a loss *at least 1,000 years *2,378 years",
        r"rebuild of a disk *at most 30 h *22.2 h",
        r"degraded, in a year *at most 12 h *10.5 h",
    ):
        assert re.search(row, page), page


def test_events_of_the_machine_state_it_too(folder: Path) -> None:
    event = "{part: store, disk: all, mtbf: 100000 h, repair: 6400 s}"
    (folder / "m.yaml").write_text(f"{LAB}events: [{event}]\n")
    made = loads(folder, "{mttdl: 2000 years}", RAID5, failing="")
    one = made.offer.configuration(0)
    assert made.still("mttdl", one) == pytest.approx(1e10 / (20 * 24) / YEAR)


def test_better_disks_are_a_choice(folder: Path) -> None:
    """A disk that fails half as often makes RAID 5 four times as durable."""
    better = RAID5.replace("five:", "better:").replace("buys: {disk: 5}", "buys: {good: 5}")
    text = NEED.replace("TARGETS", "{mttdl: 9000 years}").replace("OPTIONS", f"{RAID5}, {better}")
    good = "  good: {price: 150, size: 4 TB, mtbf: 200000 h, repair: 6400 s}\nchoices:"
    made = Loads(Text(text.replace("choices:", good), str(folder / "need.yaml")))
    found = searched(made)
    assert found.winner is not None
    assert found.winner.levels == ("better",)


def test_of_two_kinds_of_disks_the_worse_counts(folder: Path) -> None:
    """And what is bought counts before what the machine has as an event."""
    event = "{part: store, disk: all, mtbf: 9999 h, repair: 2 h}"
    (folder / "m.yaml").write_text(f"{LAB}events: [{event}]\n")
    mixed = MIRROR.replace("disk: 8", "disk: 4, good: 4")
    good = f"{FAILING}}}\n  good: {{price: 1, size: 4 TB, mtbf: 200000 h, repair: 3200 s"
    made = loads(folder, "{mttdl: 1000 years}", mixed, failing=good)
    hours = made.still("mttdl", made.offer.configuration(0)) * YEAR
    assert hours == pytest.approx(BY_HAND["mirror"][1])


# -- mistakes -------------------------------------------------------------------------------------

NOT_STATED = (
    "targets.2.mttdl: nothing states how often disks of store fail; write 'afr: 0.9 %' and"
    " 'repair: 24 h' of disk in the catalogue, or one event {part: store, disk: all, mtbf:"
    " 1000000 h, repair: 24 h} in the machine"
)


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        ("", NOT_STATED),
        (f"{FAILING}, afr: 1 %", "catalogue.disk.afr: has no effect beside mtbf"),
        (", afr: 0 %, repair: 1 h", "catalogue.disk.afr: is no part of pieces that fail in a"),
        (", afr: 1 %", "catalogue.disk: how long is it until a failed one is replaced? write"),
        (", repair: 1 h", "catalogue.disk.repair: how often does one fail? write 'afr: 0.9 %'"),
        (", mtbf: 5 s, repair: 1 h", "mtbf: '5 s' is no time between failures; write it in hours"),
        (", mtbf: 0 h, repair: 1 h", "mtbf: '0 h' is no time; write it like '1000000 h'"),
        ("}\n  box: {price: 1, mtbf: 1 h, repair: 1 h", "catalogue.box.mtbf: is of a disk, and"),
    ],
)
def test_mistakes_of_rates_are_told(folder: Path, failing: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        loads(folder, "{mttdl: 1000 years}", RAID5, MIRROR, failing=failing)
    assert any(told in str(one) for one in error.value.problems), str(error.value)


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("{mttdl: 1000}", "targets.2.mttdl: '1000' is no time between failures; write it in"),
        ("{loss_per_year: 2}", "targets.2.loss_per_year: "),
        ("{workload: job, mttdl: 9 years}", "targets.2.workload: means nothing for a mttdl"),
        ("{rebuild: 9 h, states: normal}", "targets.2.states: means nothing for a rebuild"),
    ],
)
def test_mistakes_of_targets_are_told(folder: Path, target: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        loads(folder, target, RAID5, MIRROR)
    assert any(told in str(one) for one in error.value.problems), str(error.value)


def test_of_a_single_disk_nothing_is_known(folder: Path) -> None:
    """It may stand for any volume: its redundancy is not assumed."""
    single = "store: {kind: disk, rate: 100 MB/s}"
    before, _, after = LAB.partition("  store:")
    (folder / "m.yaml").write_text(f"{before}  {single}\n{after.partition(chr(10))[2]}")
    option = "one: {set: {store.rate: 90 MB/s}, buys: {disk: 4}}"
    about = "files lie on store, of kind disk, of which no redundancy is known; write it with"
    with pytest.raises(ConfigError, match=about):
        loads(folder, "{mttdl: 1000 years}", option)

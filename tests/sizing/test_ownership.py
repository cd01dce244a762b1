"""Cost of ownership and rack units: bills by hand, limits, and the search for the least total."""

from __future__ import annotations

import functools
import itertools
import json

import pytest

from simulator.config.errors import ConfigError
from simulator.config.ownership import Bill, Ownership
from simulator.inputfile import Text
from simulator.report.sizeownership import per_gbps, values_of
from simulator.run import load_plan, run_plan
from simulator.sizing import configurations
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.sampling import Sampling
from simulator.sizing.sized import Sized
from tests.sizing.pages import written_size
from tests.sizing.texts import COPY, mistake_in, requirement, searched

OWNED = COPY.replace(
    "catalogue:",
    """\
ownership:
  years: 5
  power_price: {value: 0.25, source: measured bill of 2025, note: with the grid}
  pue: {value: 1.4, source: assumed}
  support: 8 %
  residual: 10 %
catalogue:""",
).replace("power: 50 W,", "power: 50 W, height: 4 U,")
RACKED = OWNED.replace("catalogue:", "rack_units: 10 U\ncatalogue:")
SIZES = [("workload.files.source.size", "8 MB"), ("workload.files.copy.size", "8 MB")]
THIRSTY = """\
format: requirement/1
name: thirsty
machine: workstation
currency: USD
workloads:
  copy: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}}
targets:
  - {workload: copy, elapsed: 0.6 s}
  - {capacity: 4 TB}
ownership: {years: 5, power_price: POWER_PRICE, pue: 1.5, support: 5 %, residual: 20 %}
minimise: total
catalogue:
  old disk: {price: 20, power: 40 W, size: 1 TB}
  disk: {price: 100, power: 8 W, size: 1 TB}
  turn: {price: 7, power: 11 W}
choices:
  old: {values: 1..6 +1, buys: {old disk: 1}}
  new: {values: 1..6 +1, buys: {disk: 1}}
  arm: {set: disk.rate, values: [20 MB/s, 40 MB/s, 80 MB/s], unit: 20 MB/s, buys: {turn: 1}}
"""
"""108 combinations: old disks are the cheapest, and take the most power."""


def sized(text: str, *, everything: bool = False, **places: str) -> Sized:
    return searched(Loads(requirement(text, **places)), everything=everything)


# -- the bill -------------------------------------------------------------------------------------


def test_a_bill_by_hand() -> None:
    """98 W for 43,800 h are 4,292.4 kWh; at 0.25, times 1.4, 1,502.34; 8 % of 1,600 is 128."""
    owned = Ownership(years=5.0, power_price=0.25, pue=1.4, support=0.08, residual=0.1)
    bill = owned.bill(1600.0, 98.0)
    assert bill == Bill(1600.0, pytest.approx(1502.34), 640.0, 160.0)
    assert bill.total == pytest.approx(1600 + 1502.34 + 640 - 160)


def test_without_the_rest_it_is_purchase_and_energy() -> None:
    """1 kW for a year is 8,760 kWh."""
    bill = Ownership(years=1.0, power_price=0.5).bill(1000.0, 1000.0)
    assert (bill.energy, bill.support, bill.residual, bill.total) == (4380.0, 0.0, 0.0, 5380.0)


def test_an_answer_has_its_bill() -> None:
    """3 TB of the answer; its rate is that of its run."""
    rate = "  - {workload: copy, write: 1 MB/s}\n  - {capacity: 3 TB}"
    found = sized(OWNED.replace("  - {capacity: 3 TB}", rate), TIME="1 s")
    answer = json.loads(written_size(found, "json"))["answer"]
    assert (answer["price"], answer["power_W"], answer["rack_units"]) == (1600, 98, 4)
    bill = answer["ownership"]
    assert bill["total"] == pytest.approx(3582.34)
    assert bill["per_usable_TB"] == pytest.approx(3582.34 / 3)
    (judged,) = (one["judged"] for one in answer["targets"] if one["figure"] == "write")
    assert judged != 1e6
    assert bill["per_GBps"] == pytest.approx(3582.34 / (judged / 1e9))
    for form, full in (("table", False), ("html", True)):
        said = " ".join(written_size(found, form, full=full).split())
        assert "Buy boxes 1, disks 3, speed slow: 1,600 USD, 3,582 USD over 5 years, 98" in said
        assert "Over 5 years: purchase 1,600 + energy 1,502 + support 640 - residual" in said
        assert "160 = 3,582 USD; 1,194 USD per usable TB, " in said
        assert "USD per GB/s (copy: rate of writing)" in said
    whole = " ".join(written_size(found, full=True).split())
    assert "98 W x 8,760 h x 5 years x 0.25 a kWh x PUE 1.4" in whole


def test_without_a_rate_there_is_no_price_of_it() -> None:
    found = sized(OWNED, TIME="1 s")
    assert found.winner is not None
    assert per_gbps(found, found.winner) is None
    assert "per GB/s" not in written_size(found, full=True)


def test_values_have_their_sources() -> None:
    found = sized(RACKED, TIME="1 s")
    assert found.winner is not None
    values = {one.path: (one.text, one.source.text) for one in values_of(found, found.winner)}
    assert values == {
        "ownership.power_price": ("0.25", "measured bill of 2025"),
        "ownership.pue": ("1.4", "assumed"),
        "ownership.support": ("8 %", ""),
        "ownership.residual": ("10 %", ""),
        "catalogue.disk.power": ("8 W", ""),
        "catalogue.box.power": ("50 W", ""),
        "catalogue.box.height": ("4 U", ""),
    }
    assert "measured bill of 2025 with the grid" in " ".join(written_size(found, full=True).split())
    record = json.loads(written_size(found, "json"))["answer"]["values"]
    assert record[0] == {
        "value": "ownership.power_price",
        "line": 12,
        "is": "0.25",
        "source": "measured bill of 2025",
        "note": "with the grid",
    }


def test_a_power_that_is_not_stated_is_told() -> None:
    found = sized(OWNED.replace("power: 8 W, ", ""), TIME="1 s")
    assert "no power is stated of disk." in " ".join(written_size(found).split())
    stated = sized(OWNED.replace("power: 8 W", "power: 0 W"), TIME="1 s")
    assert "no power is stated" not in " ".join(written_size(stated).split())


def test_without_ownership_nothing_is_said_of_it() -> None:
    found = sized(COPY, TIME="1 s")
    record = json.loads(written_size(found, "json"))
    assert (record["ownership"], record["rack_units"], record["minimise"]) == (None, None, "price")
    assert (record["answer"]["ownership"], record["answer"]["values"]) == (None, [])
    assert "ownership" not in written_size(found, full=True)


# -- rack units -----------------------------------------------------------------------------------


def test_what_is_too_high_is_refused_and_counted() -> None:
    """Two boxes with a third for the fast way are 12 U; one with eight disks has no room anyway."""
    found = sized(RACKED, TIME="1 s")
    record = json.loads(written_size(found, "json"))
    assert (record["combinations"], record["buildable"]) == (16, 10)
    assert record["contradicting"] == [{"why": "higher than 10 U", "combinations": 4}]
    said = " ".join(written_size(found, full=True).split())
    assert "of which 10 can be built (not with 8 disk, but box have room for 6); 4 are high" in said
    assert "6 U left of 10 U" in said
    offer = found.offer
    assert offer.crowded(offer.configuration(9)) == "12 U, but there is room for 10 U"
    assert {one.height for one in offer.configurations()} == {4.0, 8.0}


def test_what_just_fits_can_be_built() -> None:
    """Three boxes of 3.5 U are 10.5 U."""
    text = RACKED.replace("height: 4 U", "height: 3.5 U")
    fits = Loads(requirement(text.replace("10 U", "10.5 U"), TIME="1 s")).offer
    assert (len([*fits.configurations()]), fits.too_high) == (14, 0)
    short = Loads(requirement(text, TIME="1 s")).offer
    assert (len([*short.configurations()]), short.too_high) == (10, 4)


def test_no_room_for_anything() -> None:
    with pytest.raises(ConfigError, match="slow there are 4 U, but there is room for 3 U; write"):
        Loads(requirement(RACKED.replace("10 U", "3 U"), TIME="1 s"))


# -- mistakes -------------------------------------------------------------------------------------

WRONG = {
    ("years: 5\n", "years: 0\n"): "r.yaml:11:10: ownership.years: is 0: nothing is owned; write it",
    ("value: 1.4", "value: 0.9"): "0.9 is less than the machines take themselves; write 1 or more",
    ("value: 0.25", "value: 0.25 USD/kWh"): "is no amount",
    ("support: 8 %", "support: 8"): "ownership.support: ",
    ("residual: 10 %", "residual: 110 %"): "ownership.residual: ",
    ("residual: 10 %", "residuals: 10 %"): "unknown key; did you mean 'residual'?",
    ("height: 4 U", "height: 4"): "'4' is no height; write rack units, whole or half, like '2 U'",
    ("height: 4 U", "height: 0.25 U"): "'0.25 U' is no height",
    ("height: 4 U, ", ""): "rack_units: nothing in the catalogue has a height; write 'height: 2 U'",
    ("rack_units: 10 U", "rack_units: ten"): "'ten' is no height; write rack units",
    ("rack_units: 10 U", "minimise: power"): "minimise: ",
}


@pytest.mark.parametrize(("change", "told"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_mistake_is_told_where_it_is(change: tuple[str, str], told: str) -> None:
    good = RACKED.replace("TIME", "1 s")
    found = mistake_in(good, change, lambda text: Loads(Text(text, "r.yaml")))
    assert told in str(found)


def test_a_total_of_nothing() -> None:
    text = COPY.replace("TIME", "1 s").replace("catalogue:", "minimise: total\ncatalogue:")
    with pytest.raises(ConfigError, match=r"minimise: total of what\? write what it consists of"):
        Loads(Text(text, "r.yaml"))
    missing = OWNED.replace("TIME", "1 s").replace("  years: 5\n", "")
    with pytest.raises(ConfigError, match=r"ownership.years: is missing; write it like 'years: "):
        Loads(Text(missing, "r.yaml"))


# -- the least total ------------------------------------------------------------------------------


@functools.cache
def elapsed_s(rate: str) -> float:
    settings = [*SIZES, ("machine.parts.disk.rate", f"{rate} MB/s")]
    return run_plan(load_plan("workstation", "copy-file", settings=settings)).elapsed_ns / 1e9


def by_hand(power_price: float, most: float) -> list[tuple[float, float, int, float]]:
    """All that meets THIRSTY: total, power, place and price."""
    ways = []
    grid = itertools.product(range(1, 7), range(1, 7), ((1, "20"), (2, "40"), (4, "80")))
    for number, (old, new, (turns, rate)) in enumerate(grid):
        price = 20 * old + 100 * new + 7 * turns
        power = 40 * old + 8 * new + 11 * turns
        total = price * (1 + 5 * 0.05 - 0.2) + power / 1000 * 8760 * 5 * power_price * 1.5
        if old + new >= 4 and elapsed_s(rate) <= 0.6 and price <= most:
            ways.append((total, power, number, price))
    return sorted(ways)


def test_the_slowest_arm_misses_the_target() -> None:
    assert elapsed_s("40") < 0.6 < elapsed_s("20")


@pytest.mark.parametrize("power_price", [0.0, 0.02, 0.05, 0.25, 2.0])
@pytest.mark.parametrize("most", [None, 250, 330])
def test_the_least_total_is_that_of_looking_at_everything(
    power_price: float, most: int | None
) -> None:
    """With dear power few old disks are bought, against the order of prices and any budget."""
    text = THIRSTY.replace("POWER_PRICE", str(power_price))
    if most is not None:
        text = text.replace("catalogue:", f"budget: {{price: {most}}}\ncatalogue:")
    expected = by_hand(power_price, most or 1e9)[:2]
    assert expected
    for everything in (True, False):
        found = sized(text, everything=everything)
        got = [one for one in (found.winner, found.runner_up) if one is not None]
        assert [(one.power, one.number, one.price) for one in got] == [one[1:] for one in expected]
        assert [one.total for one in got] == pytest.approx([one[0] for one in expected])


def test_the_total_decides_otherwise_than_the_price() -> None:
    """By price: three old disks and a new one; by the total at 2 USD a kWh one old and three."""
    by_total = sized(THIRSTY, POWER_PRICE="2")
    by_price = sized(THIRSTY.replace("minimise: total\n", ""), POWER_PRICE="2")
    assert by_total.winner is not None
    assert by_price.winner is not None
    assert (by_price.winner.levels[:2], by_total.winner.levels[:2]) == (("3", "1"), ("1", "3"))
    assert by_total.winner.cost == by_total.winner.total
    assert by_price.winner.cost == by_price.winner.price
    assert by_price.winner.total is not None
    assert by_total.winner.total < by_price.winner.total
    said = " ".join(written_size(by_total, full=True).split())
    assert "one step more costs more over 5 years" in said
    assert "over 5 years or more and were not run (--all)" in said
    fronts = [one.cost for one in by_total.front()]
    assert fronts == sorted(fronts)


@pytest.mark.parametrize("budget", ["", "budget: {price: 250}\n"])
def test_a_sample_learns_the_total(budget: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the budget the least total is above those of dearer machines that meet all."""
    text = THIRSTY.replace("catalogue:", f"{budget}catalogue:")
    exact = sized(text, POWER_PRICE="0.25")
    assert exact.winner is not None
    assert any(one.cost < exact.winner.cost for one in exact.meeting) == bool(budget)
    monkeypatch.setattr(configurations, "MOST", 10)
    loads = Loads(requirement(text, POWER_PRICE="0.25"))
    sampling = Sampling(Evaluator(loads, seed=None, replications=1), trials=30)
    assert sampling.run().winner == exact.winner

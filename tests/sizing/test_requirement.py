"""What is wrong with a requirement is told before anything runs: where, and what to write."""

from __future__ import annotations

from fractions import Fraction

import pytest

from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.config.requirement_file import REQUIREMENT
from simulator.inputfile import Text
from simulator.sizing.configurations import Configuration
from simulator.sizing.loads import Loads
from tests.sizing.texts import COPY, mistake_in

GOOD = COPY.replace("TIME", "1 s")

WRONG = {
    ("currency: USD", "confidence: 100 %"): "4:13: confidence: is certainty or nothing",
    ("currency: USD", "curency: USD"): "4:1: curency: unknown key; did you mean 'currency'?",
    (
        "price: 100,",
        "price: 100 USD,",
    ): "'100 USD' is no amount; write 100 alone: the currency",
    ("power: 8 W", "power: 8"): "'8' is no power; write it like '500 W' or '20 kW'",
    ("takes: {disk: 6}", "takes: {disc: 6}"): "no thing in the catalogue 'disc'; did you mean 'di",
    (
        "  box: {price: 1000, power: 50 W, takes: {disk: 6}}",
        "  box: {price: 1000, power: 50 W}\n  shelf: {price: 9, takes: {disk: 6}}",
    ): "catalogue.shelf.takes: no choice buys a shelf, where each disk goes; write 'shelf: 1'",
    ("buys: {disk: 2}", "buys: {disk: 3}"): "3 is no whole number of groups of mirror; write a mu",
    (
        "redundancy: mirror",
        "redundancy: raid6",
    ): "raid6 takes 4 disks or more, and these are 2; buy so many, or write data and parity",
    ("per: boxes", "per: speeds"): "there is no other choice 'speeds'; did you mean 'speed'?",
    ("per: boxes", "per: disks"): "there is no other choice 'disks'",
    ("values: [1, 2], buys", "values: [1, two], buys"): "'two' is no count of what it buys",
    ("values: [1, 2], buys", "values: 1..2, buys"): "'1..2' has no step; write it like",
    ("workload: copy, elapsed", "workload: cpy, elapsed"): "no load 'cpy'; did you mean 'copy'?",
    ("workload: copy, elapsed: 1 s", "workload: copy"): "has no figure; write one of elapsed",
    ("elapsed: 1 s", "elapsed: 1 s, end: 2 s"): "elapsed is given already; make this a target of",
    ("elapsed: 1 s", "elapsed: 1 s, states: [broken]"): "there is no state 'broken'",
    ("{capacity: 3 TB}", "{workload: copy, elapsed: 2 s}"): "elapsed of the same is target 1 alr",
    ("elapsed: 1 s", "elapsed: 1 s, job: cp"): "copy has no job 'cp'; ",
    ("copy-file", "copyfile"): "there is no such file, and no workload of that name",
    ("machine: workstation", "machine: workstatoin"): "did you mean 'workstation'?",
    ("disk.rate: 40 MB/s", "disk.rate: 40 MB"): "'40 MB' is a size, not a rate",
    ("disk.rate: 40 MB/s", "disk.rat: 40 MB/s"): "has no 'disk.rat'; did you mean 'disk.rate'?",
    ("disk.rate: 40 MB/s", "home.timeout: 4 s"): "calls on home give up, and times of calls that",
    ("disk.rate: 40 MB/s", "copy.size: 4 MB"): "is no value of the machine, of which parts are",
    ("per: boxes,", "only_with: {5: {boxes: 1}},"): "only_with.5: there is no value of disks '5'",
    ("per: boxes,", "only_with: {4: {box: 1}},"): "only_with.4.box: there is no other choice 'box'",
    ("per: boxes,", "only_with: {4: {boxes: 3}},"): "4.boxes: there is no value of boxes '3'; ",
    ("per: boxes,", "only_with: {4: 2},"): "disks.only_with.4: '2' was read; write a name and what",
    ("per: boxes,", "only_with: {4: {speed: [fast]}, 3: {speed: slow}, 2: {speed: fst}},"): (
        "choices.disks.only_with.2.speed: there is no value of speed 'fst'; did you mean 'fast'?"
    ),
    ("buys: {disk: 2}", "buys: {disk: 40}"): "nothing can be built: with 1, 1, slow there are 4",
    ("workloads:", "states: {normal: {}}\nworkloads:"): "is the name of the state without a fail",
    ("workloads:", "states: {s: {less: {boxes: 1}}}\nworkloads:"): "boxes can be 1, so that 1 less",
    ("workloads:", "states: {s: {less: {speed: 1}}}\nworkloads:"): "speed has options, of which",
    ("size: 1 TB", "size: 1"): "catalogue.disk.size",
    ("copy.size: 8 MB}", "copy.size: 8 MB, workload.files.copy.size: 9 MB}"): (
        "workloads.copy.set.workload.files.copy.size: is another name of copy.size, which is set"
    ),
}


@pytest.mark.parametrize(("change", "told"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_mistake_is_told_where_it_is(change: tuple[str, str], told: str) -> None:
    found = mistake_in(GOOD, change, lambda text: Loads(Text(text, "r.yaml")))
    assert told in str(found)
    assert all(str(one).startswith(("r.yaml:", "workst")) for one in found.problems)


def test_choices_per_each_other() -> None:
    text = GOOD.replace("boxes: {values: [1, 2],", "boxes: {values: [1, 2], per: disks,")
    with pytest.raises(ConfigError, match="boxes is per disks, which is per boxes again"):
        REQUIREMENT.parse(text, "r.yaml", ())


def test_a_choice_per_what_is_there_already() -> None:
    text = GOOD.replace("    options:", "    per: [boxes, disks]\n    options:")
    with pytest.raises(ConfigError, match="disks is per boxes already; leave boxes out"):
        REQUIREMENT.parse(text, "r.yaml", ())


def test_a_value_that_no_rule_allows() -> None:
    """Fast is only with two boxes, and two boxes only with slow."""
    text = GOOD.replace("    options:", "    only_with: {fast: {boxes: 2}}\n    options:")
    boxes = "boxes: {values: [1, 2], only_with: {2: {speed: slow}},"
    with pytest.raises(ConfigError) as caught:
        Loads(Text(text.replace("boxes: {values: [1, 2],", boxes), "r.yaml"))
    assert "choices.speed.only_with.fast: fast can never be chosen: each" in str(caught.value)


def test_what_two_choices_are_per_counts_once() -> None:
    """Four pumps for each disk and each way of a box: with two boxes of three disks 2 x 3 x 4."""
    text = GOOD.replace("slow: {", "slow: {buys: {box: 1}, ").replace(
        "    options:", "    per: boxes\n    options:"
    )
    text += "  pumps: {values: [4], per: [disks, speed], buys: {pump: 1}}\n"
    offer = Loads(Text(text.replace("choices:", "  pump: {price: 1}\nchoices:"), "r")).offer
    (one,) = (each for each in offer.configurations() if each.levels == ("2", "3", "slow", "4"))
    assert (one.pieces["disk"], one.pieces["pump"]) == (12, 24)


def configurations() -> list[Configuration]:
    return list(Loads(Text(GOOD, "r.yaml")).offer.configurations())


def test_prices_power_and_capacity_by_hand() -> None:
    """Two boxes with three mirrors of two disks of 1 TB each, and fast: another box."""
    (one,) = (each for each in configurations() if each.levels == ("2", "3", "fast"))
    assert one.pieces == {"disk": 12, "box": 3}
    assert (one.price, one.power, one.usable) == (12 * 100 + 3 * 1000, 12 * 8 + 3 * 50, 6 * 10**12)
    assert dict(one.settings) == {"machine.parts.disk.rate": "160 MB/s"}


def test_what_has_no_room_cannot_be_built() -> None:
    """A box takes six disks: eight need a second one, which only the fast way has."""
    levels = [one.levels for one in configurations()]
    assert ("1", "4", "fast") in levels
    assert ("1", "4", "slow") not in levels
    assert len(levels) == 16 - 2


def test_what_wears_out() -> None:
    """8 MB copied 1,000 times a day onto mirrors is 16 GB a day: two disks of 7 GB bear 14."""
    text = GOOD.replace("size: 1 TB}", "size: 1 TB, endurance: 7 GB}")
    text = text.replace("copy: {workload: copy-file,", "copy: {workload: copy-file, per_day: 1000,")
    offer = Loads(Text(text, "r")).offer
    assert offer.written == 8_000_000 * 1000
    one, two = (offer.configuration(number) for number in (0, 2))
    assert (one.pieces["disk"], two.pieces["disk"]) == (2, 4)
    why = "2 disk, which wear out: each is written 8.00 GB of 7.00 GB a day, 0.008 of 0.007 DWPD"
    assert offer.crowded(one) == why
    assert offer.crowded(two) is None


def test_redundancy() -> None:
    read = REQUIREMENT.parse(GOOD.replace("mirror", "8+2").replace("disk: 2}", "disk: 10}"), "", ())
    found = read[0].choices["disks"].redundancy
    assert found is not None
    assert (found.usable, found.group, str(found)) == (Fraction(4, 5), 10, "8+2")


def test_a_unit_of_what_is_no_count() -> None:
    text = GOOD.replace(
        "boxes: {values: [1, 2],",
        "boxes: {set: [pages.capacity, pc.memory], values: [8 GB, 24 GB], unit: 8 GB,",
    )
    boxes = {
        one.levels[0]: one.pieces["box"] for one in Loads(Text(text, "r")).offer.configurations()
    }
    assert boxes == {"8 GB": 2, "24 GB": 4}
    with pytest.raises(ConfigError, match="8 GB is no whole number of pieces of '16 GB'"):
        Loads(Text(text.replace("unit: 8 GB", "unit: 16 GB"), "r"))


def test_the_command(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "my-requirement.yaml"
    assert main(["new", "requirement", "--for", "nfs-lab", "-o", str(file)]) == 0
    assert main(["check", str(file)]) == 0
    assert main(["size", str(file), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "Buy " in said
    assert "What binds: load: time" in said
    text = file.read_text("utf-8")
    file.write_text(text.replace("elapsed: ", "elapsed: 1 ms, # "), "utf-8")
    out = Path(str(tmp_path)) / "answer.json"
    assert main(["size", str(file), "--jobs", "1", "--format", "json", "--out", str(out)]) == 2
    assert not out.exists()


@pytest.mark.few(2)
@pytest.mark.parametrize("machine", ["workstation", "nwt", "sr8000", "ninf", "beegfs-like"])
def test_a_first_requirement_for_any_machine(machine: str) -> None:
    from simulator.sizing.starter import starter_requirement

    text = starter_requirement("mine", "mine.yaml", machine)
    assert Loads(Text(text, "mine.yaml")).offer.size >= 2

"""RAID levels as redundancy: the disks of the array, or of a unit; and what runs do not write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.config.amounts import Redundancy
from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.load import load_file
from simulator.inputfile import Text
from simulator.run import load_plan, run_plan
from simulator.sizing.loads import Loads
from simulator.sizing.sized import Sized
from tests.sizing import texts
from tests.sizing.pages import said, written_size
from tests.sizing.texts import requirement, searched

LAB = texts.LAB.replace("store", "raid").replace("disks: 5, level: raid5", "disks: 6, level: raid6")
PLAIN = LAB.replace("kind: array, disks: 6, level: raid6", "kind: disk, seek: 0 ms")
PLAIN = PLAIN.replace(", unit: 1 MB", "")
JOB = texts.LAB_JOB.replace("SIZE", "120 MB").replace("DO", "write")
DISKS = "disks: {set: raid.disks, values: 4..8 +1, buys: {disk: 1}, redundancy: raid6}"


def need(
    folder: Path, choice: str, machine: str = LAB, time: str = "1 h", room: str = "8 TB"
) -> Text:
    (folder / "m.yaml").write_text(machine)
    (folder / "job.yaml").write_text(JOB)
    places = {"TIME": time, "TARGETS": f"{{capacity: {room}}}", "CHOICES": choice}
    text = requirement(texts.LAB_NEED, **places)
    return Text(text.text, str(folder / "need.yaml"))


def sized(text: Text) -> Sized:
    return searched(Loads(text))


def groups(text: Text) -> list[Redundancy | None]:
    return [level.redundancy for levels in Loads(text).offer.levels for level in levels]


# -- how many disks -------------------------------------------------------------------------------


def test_a_number_of_disks_is_a_raid_of_so_many(tmp_path: Path) -> None:
    """By hand: n disks of 4 TB keep (n - 2) x 4 TB; 20 TB take seven."""
    text = need(tmp_path, DISKS, room="20 TB")
    assert groups(text) == [Redundancy(n - 2, 2) for n in range(4, 9)]
    found = sized(text)
    assert found.winner is not None
    assert found.winner.levels == ("7",)
    assert (found.winner.usable, found.winner.price) == (20 * 10**12, 700)


def test_raid5_takes_one_disk_less(tmp_path: Path) -> None:
    text = need(
        tmp_path, DISKS.replace("raid6", "raid5"), LAB.replace("raid6", "raid5"), room="20 TB"
    )
    found = sized(text)
    assert found.winner is not None
    assert found.winner.levels == ("6",)


def test_levels_are_choices(tmp_path: Path) -> None:
    ways = ", ".join(
        f"{level}: {{set: {{raid.level: {level}}}, redundancy: {level}}}"
        for level in ("raid5", "raid6", "mirror")
    )
    choice = f"level: {{buys: {{disk: 6}}, options: {{{ways}}}}}"
    assert groups(need(tmp_path, choice)) == [Redundancy(5, 1), Redundancy(4, 2), Redundancy(1, 1)]


@pytest.mark.parametrize("word", ["RAID 6", "raid-6", "Raid6"])
def test_spellings(tmp_path: Path, word: str) -> None:
    assert groups(need(tmp_path, DISKS.replace("raid6", word)))[0] == Redundancy(2, 2)


def test_raid_1_and_10_are_mirrors(tmp_path: Path) -> None:
    for word in ("raid1", "RAID 10"):
        choice = f"pairs: {{values: [3], buys: {{disk: 2}}, redundancy: {word}}}"
        text = need(tmp_path, choice, LAB.replace("raid6", "mirror"))
        assert groups(text) == [Redundancy(1, 1)]


def test_arrays_that_are_counted_have_the_disks_of_the_machine(tmp_path: Path) -> None:
    """Two arrays of six may be bought as one unit of twelve disks."""
    choice = "arrays: {set: raid.count, values: [1, 2], buys: {disk: 6}, redundancy: raid6}"
    assert groups(need(tmp_path, choice)) == [Redundancy(4, 2)] * 2
    machine = LAB.replace("disks: 6", "disks: 6, count: 2")
    choice = "all: {values: [1], buys: {disk: 12}, redundancy: raid6}"
    found = sized(need(tmp_path, choice, machine))
    assert found.winner is not None
    assert found.winner.usable == 2 * 4 * 4 * 10**12


CODED = (
    LAB.replace("parts:", "nodes: {client: 1, server: 3}\nparts:")
    .replace(
        "  raid: {",
        "  lan: {kind: network, rate: 1 GB/s, at: [client, server]}\n  raid: {at: server, ",
    )
    .replace("[raid]", "[{stripe: 4 MB, over: 3, of: server, redundancy: 2+1}, [lan], raid]")
)


def test_a_raid_in_each_server_under_a_code(tmp_path: Path) -> None:
    """By hand: three of n disks keep 3 n x 4 TB x (n - 2) / n x 2 / 3; each level is written once.

    120 MB are 60 MB a server with the code; with the parity of four of six disks 90.
    """
    choice = (
        f"servers: {{set: server, values: [3]}}\n  {DISKS.replace('buys', 'per: servers, buys')}"
    )
    text = need(tmp_path, choice, CODED, room="30 TB")
    assert groups(text)[1:] == [Redundancy(2 * (n - 2), 3 * n - 2 * (n - 2)) for n in range(4, 9)]
    found = sized(text)
    assert found.winner is not None
    assert found.winner.levels == ("3", "6")
    assert (found.winner.usable, found.winner.price) == (32 * 10**12, 1800)
    assert "Runs do not write" not in said(found)
    (tmp_path / "job.yaml").write_text(JOB.replace("12 MB", "8 MB"))  # A row of the code.
    plan = load_plan(tmp_path / "m.yaml", tmp_path / "job.yaml", settings=found.winner.settings)
    written = [one.written_bytes for one in run_plan(plan).arrays.values()]
    assert written == [90_000_000] * 3


def test_raids_under_different_codes_are_refused(tmp_path: Path) -> None:
    head, home = CODED.split("filesystems:\n")
    raid = head[head.index("  raid:") :].replace("raid:", "bare:")
    bare = home.replace("home:", "more:").replace(", redundancy: 2+1", "").replace("raid]", "bare]")
    both = "set: [raid.disks, bare.disks], values: [6], buys: {disk: 36}"
    with pytest.raises(ConfigError, match="raid and bare are not members of the same erasure code"):
        Loads(
            need(
                tmp_path,
                f"disks: {{{both}, redundancy: raid6}}",
                f"{head}{raid}filesystems:\n{home}{bare}",
            )
        )


def test_without_an_array_a_unit_is_one_raid(tmp_path: Path) -> None:
    choice = "volumes: {set: raid.count, values: [1, 2], buys: {disk: 10}, redundancy: raid6}"
    assert groups(need(tmp_path, choice, PLAIN)) == [Redundancy(8, 2)] * 2


WRONG = {
    "disks: {set: raid.count, values: [4], buys: {disk: 1}, redundancy: raid6}": (
        PLAIN,
        "choices.disks.values: raid6 takes 4 disks or more, and these are 1; buy so many, or write"
        " data and parity, like '8+2'",
    ),
    "many: {set: raid.disks, values: [4, 6]}\n"
    "  disks: {per: many, values: [1], buys: {disk: 1}, redundancy: raid6}": (
        LAB,
        "choices.disks.values: many says how many disks there are in raid; set and buy them in one",
    ),
    "disks: {values: [1], buys: {disk: 5}, redundancy: raid5}": (
        LAB,
        "a redundancy of 5+1, of raid, which is RAID 6 of 6 disks; write 'redundancy: 4+2'",
    ),
    "disks: {values: [1], buys: {disk: 6}, redundancy: raid7}": (
        LAB,
        "'raid7' is no redundancy; did you mean 'raid",
    ),
    "disks: {values: [1], buys: {disk: 7}, redundancy: raid6}": (
        LAB,
        "7 disk, and raid has 6: 1 x 6 disks",
    ),
}


@pytest.mark.parametrize(("choice", "wrong"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_mistakes_are_told(tmp_path: Path, choice: str, wrong: tuple[str, str]) -> None:
    machine, about = wrong
    with pytest.raises(ConfigError) as caught:
        Loads(need(tmp_path, choice, machine))
    assert about in str(caught.value)


def test_a_code_over_members_is_written_in_numbers() -> None:
    tier = "{stripe: 1 MB, of: raid, redundancy: raid6}"
    with pytest.raises(ConfigError, match="'raid6' is no redundancy; write data and parity"):
        load_file(MACHINE, Text(LAB.replace("[raid]", f"[{tier}, raid]"), "m.yaml"))


# -- what is written ------------------------------------------------------------------------------


def test_the_machine_that_is_bought_writes_its_parity(tmp_path: Path) -> None:
    """By hand: rows of n - 2 units of 1 MB at 100 MB/s are 10 ms; 12 MB calls are whole rows.

    120 MB on four disks are 60 rows, 600 ms; on six 30, 300 ms, on eight 20, 200 ms.
    """
    for disks, seconds in ((4, 0.6), (6, 0.3), (8, 0.2)):
        only = DISKS.replace("4..8 +1", f"[{disks}]")
        found = sized(need(tmp_path, only))
        assert found.winner is not None
        figure = found.outcome(found.winner).measured[1].figure
        assert figure is not None
        assert figure.values == (pytest.approx(seconds * 1e9),)
        plan = load_plan(tmp_path / "m.yaml", tmp_path / "job.yaml", settings=found.winner.settings)
        (counts,) = run_plan(plan).arrays.values()
        assert counts.written_bytes == 120_000_000 * disks // (disks - 2)
        assert "Runs do not write" not in said(found)
        assert json.loads(written_size(found, "json"))["answer"]["redundancy_not_written"] == []


def test_what_runs_do_not_write_is_told(tmp_path: Path) -> None:
    choice = "volumes: {set: raid.count, values: [1, 2], buys: {disk: 10}, redundancy: raid6}"
    found = sized(need(tmp_path, choice, PLAIN))
    about = "Runs do not write the redundancy of raid (no 'kind: array'): 8+2."
    assert about in said(found)
    answer = json.loads(written_size(found, "json"))["answer"]
    assert answer["redundancy_not_written"] == [{"redundancy": "8+2", "parts": ["raid"]}]

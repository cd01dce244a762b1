"""What is bought is what runs: pieces are counted, places are shared, and files have to fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.config.formats import load_machine
from simulator.sizing.disks import last_parts
from simulator.sizing.loads import Loads

MACHINE = """\
format: machine/2
name: m
nodes: {client: 8, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  raid: {kind: array, at: server, disks: 10, level: raid6, rate: 100 MB/s, capacity: 8 TB}
stores:
  flash: {at: server, capacity: 1 TB}
filesystems:
  home: [{route: [nic], request: 8 MiB}, flash, raid]
"""
WORK = """\
format: workload/2
name: w
files: {out: {size: SIZE}}
jobs: [{name: writer, processes: 8, record: 1 MB, policy: posix, phases: [{do: write, file: out}]}]
"""
NEED = """\
format: requirement/1
name: need
machine: m.yaml
workloads: {w: {workload: w.yaml}}
targets: [{workload: w, elapsed: 1000 h}]
catalogue:
  server: {price: 5000}
  disk: {price: 300, size: 8 TB}
  card: {price: 100, one_of: nic}
  drive: {price: 100, size: 4 TB}
choices:
"""
ONE_OR_THREE = "  kind: {set: server, values: [1, 3], buys: {server: 1}}\n"
OPTIONS = """\
  kind:
    options:
      one: {buys: {server: 1}}
      three: {set: {server: 3}, buys: {server: 3}}
"""
DISKS = (
    "  disks: {%soptions: {it: {set: {raid.capacity: 8 TB}, buys: {disk: %d}}}, redundancy: 8+2}\n"
)


SHELF = "  shelf: {price: 100, takes: {disk: 12, drive: 24}}\nchoices:\n"


def loads(folder: Path, choices: str, size: str = "1 GB", machine: str = MACHINE) -> Loads:
    (folder / "m.yaml").write_text(machine)
    (folder / "w.yaml").write_text(WORK.replace("SIZE", size))
    need = NEED.removesuffix("choices:\n") if choices.startswith(SHELF) else NEED
    (folder / "need.yaml").write_text(need + choices)
    return Loads(folder / "need.yaml")


def built(folder: Path, choices: str, size: str = "1 GB") -> list[tuple[str, ...]]:
    return [one.levels for one in loads(folder, choices, size).offer.configurations()]


@pytest.mark.parametrize(
    ("choices", "left"),
    [
        (ONE_OR_THREE + DISKS % ("", 30), [("3", "it")]),
        (ONE_OR_THREE + DISKS % ("per: kind, ", 10), [("1", "it"), ("3", "it")]),
        (
            "  kind: {set: server, values: [1], buys: {server: 1}}\n" + DISKS % ("", 10),
            [("1", "it")],
        ),
    ],
)
def test_as_many_disks_as_run_are_bought(
    tmp_path: Path, choices: str, left: list[tuple[str, ...]]
) -> None:
    """The combination that has more disks than run is none, and the others can be bought."""
    assert built(tmp_path, choices) == left


@pytest.mark.parametrize(
    "choices",
    [
        OPTIONS + DISKS % ("per: kind, ", 10),
        ONE_OR_THREE + DISKS % ("", 10),
        ONE_OR_THREE + DISKS % ("", 20),
    ],
)
def test_fewer_disks_than_run_are_a_mistake(tmp_path: Path, choices: str) -> None:
    with pytest.raises(ConfigError, match=r"\d+ disk, and raid has [234]0: [234] x 10 disks; buy"):
        loads(tmp_path, choices)


FAST = "{set: {nic.rate: %s}, buys: {card: %d}}"
EACH = '"{client: 1 GB/s, server: 5 GB/s}"'


@pytest.mark.parametrize(
    ("rate", "cards", "wrong"),
    [
        ("5 GB/s", 9, ""),
        (EACH, 1, ""),
        ("5 GB/s", 1, "1 card, and the machine has 9 of nic"),
        (EACH, 2, "2 card, and the machine has 9 of nic, 1 of them new"),
        (EACH, 9, ""),
    ],
)
def test_cards_are_those_of_all_nodes_or_of_those_that_change(
    tmp_path: Path, rate: str, cards: int, wrong: str
) -> None:
    choices = f"  net:\n    options:\n      slow: {{}}\n      fast: {FAST % (rate, cards)}\n"
    if not wrong:
        assert len(built(tmp_path, choices)) == 2
        return
    with pytest.raises(ConfigError) as caught:
        loads(tmp_path, choices)
    (one,) = caught.value.problems
    assert str(one).startswith(f"{tmp_path}/need.yaml:15:")
    assert "choices.net.options.fast" in str(one)
    assert wrong in str(one)


def test_servers_are_counted_by_their_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="2 server, and the machine has 3 of server"):
        loads(tmp_path, "  kind: {options: {it: {set: {server: 3}, buys: {server: 2}}}}\n")
    other = NEED.replace("  card: {price: 100, one_of: nic}", "  card: {price: 1, one_of: nick}")
    (tmp_path / "need.yaml").write_text(other + ONE_OR_THREE)
    with pytest.raises(
        ConfigError, match=r"one_of: the machine has no .*'nick'; did you mean 'nic'"
    ):
        Loads(tmp_path / "need.yaml")


def test_what_keeps_data_shares_the_places_of_a_shelf(tmp_path: Path) -> None:
    """Twelve disks or 24 drives: six disks leave room for twelve drives."""
    choices = (
        SHELF + "  shelf: {values: [1, 2], buys: {shelf: 1}}\n"
        "  drives: {values: [4, 12, 13], buys: {drive: 1}}\n"
        "  disks: {values: [6], buys: {disk: 1}}\n"
    )
    plain = MACHINE.replace(
        "kind: array, at: server, disks: 10, level: raid6", "kind: disk, at: server"
    )
    plain = plain.replace(", capacity: 8 TB", "")
    offer = loads(tmp_path, choices, machine=plain).offer
    left = [one.levels for one in offer.configurations()]
    assert left == [
        ("1", "4", "6"),
        ("1", "12", "6"),
        ("2", "4", "6"),
        ("2", "12", "6"),
        ("2", "13", "6"),
    ]
    said = "6 disk and 13 drive, but they share places, and fill 1.04 times"
    assert offer.crowded(offer.configuration(2)) == said


def test_what_no_files_lie_on_is_not_usable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Drives for a store in front of the disks are a cache."""
    cache = "  cache: {set: flash.capacity, values: [4 TB], unit: 4 TB, buys: {drive: 1}}\n"
    offer = loads(tmp_path, cache + DISKS % ("", 10)).offer
    assert [one.usable for one in offer.configurations()] == [64 * 10**12]
    assert main(["size", str(tmp_path / "need.yaml"), "--jobs", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "64.0 TB usable" in said
    assert "No files lie on drive: not in what is usable." in said


def test_files_have_to_fit(tmp_path: Path) -> None:
    """Eight processes write a file each: 64 TB fit beside the parity, one byte more does not."""
    assert built(tmp_path, DISKS % ("", 10), "8 TB") == [("it",)]
    about = r"files of 64.0 TB \(w\), and 64.0 TB usable"
    with pytest.raises(ConfigError, match=f"nothing can be built: with it there are {about}"):
        loads(tmp_path, DISKS % ("", 10), "8000000000001 B")


def test_files_lie_on_the_last_part_of_a_way() -> None:
    """Also where metadata have tiers of their own behind it."""
    last = {name: last_parts(load_machine(name)) for name in ("nfs-lab", "burst-node", "raid-lab")}
    assert last == {"nfs-lab": {"sata"}, "burst-node": {"ost"}, "raid-lab": {"raid"}}
    assert "raid" in last_parts(load_machine("sr8000"))

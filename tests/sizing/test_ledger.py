"""What is bought is what runs: numbers of pieces, bays, usable capacity, and the files on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config.errors import ConfigError
from simulator.sizing.loads import Loads

ARRAYS = """\
format: machine/2
name: m
nodes: {client: 8, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  raid: {kind: array, at: server, disks: 10, level: raid6, rate: 100 MB/s, capacity: 8 TB}
filesystems:
  home: [{route: [nic], request: 8 MiB}, raid]
"""
LAB = """\
format: machine/2
name: lab
nodes: {client: 20, server: 1}
parts:
  lan: {kind: network, at: [client, server], rate: 125 MB/s}
  disk: {kind: disk, at: server, rate: 180 MB/s}
  bb: {kind: queue, at: server, rate: 2 GB/s}
stores:
  flash: {at: server, capacity: 1 TB}
filesystems:
  home: [{route: [lan], request: 1 MiB}, [bb], flash, [bb], disk]
"""
HEAD = """\
format: requirement/1
name: need
machine: m.yaml
workloads: {w: {workload: w.yaml, growth: 20 %}}
years: 5
targets: [{workload: w, elapsed: 1 h}]
"""
ARRAY_PRICES = "catalogue: {server: {price: 5000}, disk: {price: 300, size: 8 TB}}\nchoices:\n"
SERVERS = "  kind: {set: server, values: [1, 3], buys: {server: 1}}\n"
WAYS = """\
  kind:
    options:
      one: {buys: {server: 1}}
      three: {set: {server: 3}, buys: {server: 3}}
"""


def case(folder: Path, machine: str, choices: str, size: str = "1 GB") -> list[str] | Loads:
    """Return what is told of a requirement, or what it offers."""
    (folder / "m.yaml").write_text(machine)
    (folder / "w.yaml").write_text(
        f"format: workload/2\nname: w\nfiles: {{out: {{size: {size}, exists: true}}}}\n"
        "jobs: [{name: a, processes: 8, record: 1 MB,"
        " phases: [{do: read, file: out, size: 8 MB}]}]\n"
    )
    need = folder / "need.yaml"
    need.write_text(HEAD + choices)
    try:
        return Loads(need)
    except ConfigError as error:
        return [str(one).removeprefix(str(need)) for one in error.problems]


def disks(buys: int, more: str = "") -> str:
    ways = f"{{as it is: {{set: {{raid.capacity: 8 TB}}, buys: {{disk: {buys}}}}}}}"
    return f"  disks: {{{more}options: {ways}, redundancy: 8+2}}\n"


@pytest.mark.parametrize(
    ("kind", "bought", "message"),
    [
        (WAYS, disks(10, "per: kind, "), "10 disk, and raid has 30: 3 x 10 disks"),
        (SERVERS, disks(10), "10 disk, and raid has 30: 3 x 10 disks; write 'per: kind'"),
        (SERVERS, disks(20), "20 disk, and raid has 30: 3 x 10 disks; buy 10 for"),
    ],
)
def test_ten_disks_are_not_thirty(tmp_path: Path, kind: str, bought: str, message: str) -> None:
    (told,) = case(tmp_path, ARRAYS, ARRAY_PRICES + kind + bought)  # type: ignore[misc]
    assert f"choices.disks.options.as it is: {message}" in told


def test_the_right_number_for_one_value_leaves_the_others_out(tmp_path: Path) -> None:
    loads = case(tmp_path, ARRAYS, ARRAY_PRICES + SERVERS + disks(30))
    assert isinstance(loads, Loads)
    assert [one.levels for one in loads.offer.configurations()] == [("3", "as it is")]
    loads = case(tmp_path, ARRAYS, ARRAY_PRICES + SERVERS + disks(10, "per: kind, "))
    assert isinstance(loads, Loads)
    assert not loads.impossible


LAB_PRICES = """\
catalogue:
  disk: {price: 250, size: 8 TB}
  flash: {price: 900, size: 4 TB}
  port: {price: 100}
  switch: {price: 1500, serves: {lan: 24}}
choices:
  pairs: {set: disk.count, values: 1..3 +1, buys: {disk: 2}, redundancy: mirror}
"""
FASTER = "  network: {options: {now: {}, fast: {set: {lan.rate: RATE}, buys: {BUYS}}}}\n"


@pytest.mark.parametrize(
    ("rate", "buys", "right"),
    [
        ("1250 MB/s", "port: 1", False),
        ("1250 MB/s", "port: 21", True),
        ("1250 MB/s", "switch: 1", True),
        ("1250 MB/s", "switch: 1, port: 1", True),
        ('"{client: 125 MB/s, server: 1250 MB/s}"', "port: 1", True),
        ('"{client: 250 MB/s, server: 1250 MB/s}"', "port: 1", False),
    ],
)
def test_a_network_is_bought_for_each_port(
    tmp_path: Path, rate: str, buys: str, right: bool
) -> None:
    told = case(tmp_path, LAB, LAB_PRICES + FASTER.replace("RATE", rate).replace("BUYS", buys))
    if right:
        assert isinstance(told, Loads), told
    else:
        (one,) = told  # type: ignore[misc]
        assert "choices.network.options.fast: 1 port, and lan has 21 (20 x client + 1 x" in one


def test_what_a_switch_serves_is_in_the_machine(tmp_path: Path) -> None:
    (told,) = case(tmp_path, LAB, LAB_PRICES.replace("{lan:", "{lam:"))  # type: ignore[misc]
    assert told.startswith(":11:")
    assert "the machine has no 'lam', nor has the catalogue; did you mean 'lan'?" in told


CLIENTS = "  clients: {set: client, values: [8, 20, 100], buys: {port: 1}}\n"
SWITCHES = "  switches: {values: 1..5 +1, buys: {switch: 1}}\n"


def test_ports_follow_what_other_choices_buy(tmp_path: Path) -> None:
    """101 interfaces on a network need five switches of 24 ports, whoever buys these."""
    loads = case(tmp_path, LAB, LAB_PRICES + CLIENTS + SWITCHES)
    assert isinstance(loads, Loads)
    built = {one.levels[1:] for one in loads.offer.configurations()}
    counts = map(str, range(1, 6))
    assert built == {("100", "5"), *((n, one) for one in counts for n in ("8", "20"))}
    assert loads.impossible["lan needs 101 ports, but 4 switch serve 96"] == 3
    (told,) = case(tmp_path, LAB, LAB_PRICES + CLIENTS + SWITCHES.replace("1..5 +1", "[3]"))  # type: ignore[misc]
    assert "choices.clients.values: lan needs 101 ports, but 3 switch serve 72; buy more" in told


def test_a_network_may_be_on_switches_of_another_choice(tmp_path: Path) -> None:
    """A faster network is set by one choice, its switches bought by another, of two kinds."""
    fast = FASTER.replace("RATE", "1250 MB/s").replace("BUYS", "port: 1")
    small = LAB_PRICES.replace("choices:", "  small: {price: 9, serves: {lan: 5}}\nchoices:")
    more = "  more: {values: [4, 5], buys: {small: 1}}\n"
    loads = case(tmp_path, LAB, small + fast + SWITCHES.replace("1..5 +1", "[0, 1]") + more)
    assert isinstance(loads, Loads)
    built = {one.levels[1:] for one in loads.offer.configurations()}
    assert ("fast", "0", "5") in built
    assert ("fast", "1", "4") in built
    assert ("now", "0", "4") in built
    assert ("fast", "0", "4") not in built


def test_what_is_wrong_wherever_a_rule_allows_it_is_a_mistake(tmp_path: Path) -> None:
    """A switch has ports for 20 clients, and a rule allows it beside 100 only."""
    fast = FASTER.replace("RATE", "1250 MB/s").replace("BUYS", "switch: 1")
    assert isinstance(case(tmp_path, LAB, LAB_PRICES + fast), Loads)
    rule = fast.replace("{options", "{only_with: {fast: {clients: 100}}, options")
    clients = CLIENTS.replace("8, 20, 100", "20, 100").replace(", buys: {port: 1}", "")
    told = case(tmp_path, LAB, LAB_PRICES + rule + clients)
    assert "options.fast: 1 switch, and lan has 101" in str(told)


def test_what_an_option_buys_once_and_for_each_server(tmp_path: Path) -> None:
    """Two choices with a rule: one switch, and two cards in each of three servers."""
    prices = LAB_PRICES.replace("  port:", "  card: {price: 7}\n  server: {price: 70}\n  port:")
    loads = case(
        tmp_path,
        LAB,
        prices.replace("disk.count,", "disk.count, per: servers,")
        + "  servers: {set: server, values: [3], buys: {server: 1}}\n"
        + FASTER.replace("RATE", "1 GB/s").replace("BUYS", "switch: 1")
        + "  cards: {per: servers, options: {no: {}, yes: {buys: {card: 2}}},"
        + " only_with: {no: {network: now}, yes: {network: fast}}}\n",
    )
    assert isinstance(loads, Loads), loads
    pieces = {one.levels[2:]: one.pieces for one in loads.offer.configurations()}
    assert [*pieces] == [("fast", "yes")]
    assert (pieces["fast", "yes"]["switch"], pieces["fast", "yes"]["card"]) == (1, 6)


def test_faster_ports_are_not_those_of_now(tmp_path: Path) -> None:
    """Where another choice may buy switches, a faster network needs them, however many cards."""
    fast = FASTER.replace("RATE", "1250 MB/s").replace("BUYS", "port: 21")
    for serves in ("lan: 24", "port: 24"):
        prices = LAB_PRICES.replace("lan: 24", serves)
        loads = case(tmp_path, LAB, prices + fast + SWITCHES.replace("1..5 +1", "[0, 1]"))
        assert isinstance(loads, Loads)
        built = {one.levels[1:] for one in loads.offer.configurations()}
        assert built == {("now", "0"), ("now", "1"), ("fast", "1")}
    named = LAB_PRICES.replace("port: {", "lan: {") + fast.replace("port:", "lan:")
    loads = case(tmp_path, LAB, named + SWITCHES.replace("1..5 +1", "[0, 1]"))
    assert isinstance(loads, Loads)
    assert ("fast", "0") not in {one.levels[1:] for one in loads.offer.configurations()}


def test_ports_of_the_machine_as_it_is(tmp_path: Path) -> None:
    """It has 21 interfaces: more clients than now need switches, as many do not."""
    none = SWITCHES.replace("1..5 +1", "[0, 5]")
    loads = case(tmp_path, LAB, LAB_PRICES + CLIENTS + none)
    assert isinstance(loads, Loads)
    assert loads.impossible == {"lan needs 101 ports, but the machine as it is has 21": 3}


def test_ports_of_what_is_in_the_catalogue(tmp_path: Path) -> None:
    prices = LAB_PRICES.replace("{lan: 24}", "{port: 24}")
    loads = case(tmp_path, LAB, prices + CLIENTS + SWITCHES)
    assert isinstance(loads, Loads)
    assert {one.levels[2] for one in loads.offer.configurations() if one.levels[1] == "100"} == {
        "5"
    }


def test_flash_of_a_cache_is_not_usable(tmp_path: Path) -> None:
    cache = "  cache: {set: flash.capacity, values: [4 TB], unit: 4 TB, buys: {flash: 1}}\n"
    (told,) = case(tmp_path, LAB, LAB_PRICES + cache)  # type: ignore[misc]
    assert "1 flash of 4 TB count as usable, and no file is on flash; leave 'size' of" in told
    unused = "  more: {values: [4], buys: {flash: 1}}\n"
    (told,) = case(tmp_path, LAB, LAB_PRICES + unused)  # type: ignore[misc]
    assert "4 flash of 4 TB count as usable, and no file is on what this choice buys" in told
    loads = case(tmp_path, LAB, LAB_PRICES + cache.replace("flash: 1}", "port: 1}"))
    assert isinstance(loads, Loads)


def test_files_as_grown_fit_into_what_is_usable(tmp_path: Path) -> None:
    """Eight files of 0.5 TB are 9.95 TB in five years: one pair of 8 TB does not hold them."""
    loads = case(tmp_path, LAB, LAB_PRICES, size="0.5 TB")
    assert isinstance(loads, Loads)
    assert {one.levels for one in loads.offer.configurations()} == {("2",), ("3",)}
    (why,) = loads.impossible
    assert why == "files of w have 9.95 TB in year 5, of which 8.00 TB can be kept"
    (told,) = case(tmp_path, LAB, LAB_PRICES, size="5 TB")  # type: ignore[misc]
    assert "choices.pairs.values: files of w have 99.5 TB in year 5, of which 24.0 TB can" in told


def test_twelve_bays_hold_twelve_drives_of_all_kinds(tmp_path: Path) -> None:
    both = "  box: {values: [1], buys: {box: 1}}\n"
    box = "  box: {price: 900, takes: {disk: 12, flash: 12}}\nchoices:"
    prices = LAB_PRICES.replace("choices:", box).replace("size: 4 TB", "power: 1 W")
    prices = prices.replace("{disk: 2}", "{disk: 12, flash: 12}").replace("set: disk.count, ", "")
    prices = prices.replace("1..3 +1", "[1]")
    told = case(tmp_path, LAB, prices + both)
    assert "12 disk and 12 flash, and box takes 12 of each or in all: write 'bays: 12'" in str(told)
    told = case(tmp_path, LAB, prices.replace("flash: 12}}", "flash: 12}, bays: 12}") + both)
    assert "12 disk and 12 flash, but box has 12 bays" in str(told)
    loads = case(tmp_path, LAB, prices.replace("flash: 12}}", "flash: 12}, bays: 24}") + both)
    assert isinstance(loads, Loads), loads

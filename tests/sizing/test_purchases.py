"""What `nwtsim new requirement` offers can be bought: pieces, sizes, devices, speeds."""

from __future__ import annotations

import pytest

from simulator.answers.levers import levers_of
from simulator.config.formats import MACHINE
from simulator.config.load import load_file
from simulator.inputfile import Text
from simulator.sizing.loads import Loads
from simulator.sizing.starter import FLASH, Purchase, purchases_of, starter_requirement

MACHINES = sorted(MACHINE.shipped())


def offered(machine: str) -> dict[str, Purchase]:
    read = load_file(MACHINE, machine)
    return {one.name: one for one in purchases_of(iter(levers_of(read)), read)}


def test_the_next_speed_of_a_network_for_each_node() -> None:
    """16 clients and a server at 1 Gbit/s: the next one is 10 Gbit/s, 17 times."""
    nic = offered("nfs-lab")["nic"]
    assert nic.lines[2:] == [
        "      as it is: {}",
        "      10 Gbit/s: {set: {machine.parts.nic.rate: 1250 MB/s},"
        " buys: {nic-10-Gbit-per-s: 17}}",
    ]


def test_flash_instead_of_a_disk_has_no_arm() -> None:
    disk = offered("workstation")["disk"]
    assert FLASH == 3
    assert disk.lines[-1] == (
        "      flash: {set: {machine.parts.disk.rate: 375 MB/s, machine.parts.disk.seek: 0.1 ms,"
        " machine.parts.disk.rotation: 0 ms}, buys: {flash-disk: 1}}"
    )
    assert disk.prices == {"faster-disk": 1000, "flash-disk": 2000}


def test_rates_of_each_direction_stay_apart() -> None:
    (faster,) = (line for line in offered("burst-node")["nvme"].lines if " faster: " in line)
    assert '"{read: 6.4 GB/s, write: 4160 MB/s}"' in faster
    assert "buys: {faster-nvme: 64}" in faster


def test_threads_cost_nothing_and_channels_do() -> None:
    found = offered("nwt")
    assert found["channel-servers"].lines == [
        "  channel-servers: {set: machine.parts.channel.servers, values: [2, 4, 8],"
        " buys: {channel-servers: 1}}"
    ]
    assert not offered("nfs-lab")["nfsd-servers"].items


def test_a_store_is_bought_by_its_size_at_each_node() -> None:
    line = offered("nwt")["ssu-capacity"].lines[0]
    assert "values: [2048 MB, 4096 MB, 8192 MB], unit: 2048 MB, buys: {ssu-capacity: 1}" in line


def test_what_is_kept_in_memory_is_bought_with_it() -> None:
    """Three caches of 32 GB in each of four servers of 128 GB: twice as much is 12 times 32 GB."""
    found = offered("beegfs-like")["storage-memory"]
    assert found.lines[2:4] == [
        "      as it is: {}",
        "      64 GB: {set: {machine.stores.cache.capacity: 64 GB,"
        " machine.nodes.storage.memory: 224 GB}, buys: {storage-memory: 12}}",
    ]
    assert found.items == {"storage-memory": "32 GB more, for cache"}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "machine",
    [pytest.param(one, marks=[pytest.mark.long] if one == "mesh-lab" else []) for one in MACHINES],
)
def test_everything_that_is_offered_can_be_set(machine: str) -> None:
    """All of a machine's offers in one requirement: each value is accepted beside the first ones.

    No window, dirty limit or time of software is for sale.
    """
    frame = starter_requirement("mine", "mine.yaml", machine)
    head = frame.partition("catalogue:\n")[0]
    found = [one for one in offered(machine).values() if one.lever.where != "nodes"]
    items = [f"  {item}: {{price: {price}}}" for one in found for item, price in one.prices.items()]
    lines = [line for one in found for line in one.lines]
    text = "\n".join([f"{head}catalogue:", *items, "choices:", *lines])
    Loads(Text(text, "mine.yaml"))
    words = ("window", "dirty", "overhead", "copy_rate", "latency", "read_ahead", "quota")
    assert not [line for line in lines if any(word in line for word in words)]

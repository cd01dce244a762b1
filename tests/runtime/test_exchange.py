"""Domains of two-phase I/O: ROMIO's rule as its source has it, conservation, and locks saved."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine
from simulator.inputfile import Text
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.run import load_plan
from simulator.runtime.exchange import Exchange, domain_edges
from simulator.runtime.iotables import WantedPieces
from simulator.shipped import shipped_root
from tests.engines.compare import assert_equal
from tests.runtime.test_mpiio import library


def romio(low: int, high: int, owners: int, unit: int) -> list[tuple[int, int]]:
    """Return the domains with bytes, as ADIOI_Calc_file_domains has them (ad_aggregate.c)."""
    size = (high - low + owners - 1) // owners
    domains, start = [], low
    for number in range(owners):
        end = low + size * (number + 1)
        front = end % unit
        back = unit - front
        end = end - front if front < back else end + back
        if number == owners - 1:
            end = high
        domains.append((start, min(end, high)))
        start = end
    return [(begin, end) for begin, end in domains if begin < end]


@pytest.mark.parametrize("seed", range(30))
def test_domains_are_those_of_romio(seed: int) -> None:
    dice = random.Random(seed)
    low, owners = dice.choice((0, dice.randint(0, 10**6))), dice.randint(1, 12)
    high = low + dice.randint(1, 10**7)
    unit = dice.choice((1, 512, 4096, 65536, 10**6))
    edges = domain_edges(low, high, owners, 1, unit)
    if (high - low) // owners < unit:  # ROMIO's first end may then lie before its begin.
        assert edges == sorted(edges)
        return
    made = [(begin, min(end, high)) for begin, end in pairwise(edges) if begin < min(end, high)]
    assert made == romio(low, high, owners, unit)


def test_by_hand() -> None:
    """A hundred bytes over three: 34 and 68 go to 30 and 70, and 45 of 90 over two up to 50."""
    assert domain_edges(0, 100, 3, 1, 10) == [0, 30, 70, 100]
    assert domain_edges(0, 90, 2, 1, 10) == [0, 50, 90]
    assert domain_edges(7, 9, 3, 1, 10) == [7, 10, 10, 10]  # More owners than units.


@pytest.mark.parametrize("seed", range(20))
def test_each_byte_goes_through_one_window(seed: int) -> None:
    dice = random.Random(seed)
    processes, piece = dice.randint(1, 5), dice.randint(1, 40)
    rows = range(dice.randint(1, 20))
    asked = [
        WantedPieces([piece * (processes * row + one) for row in rows], [piece] * len(rows))
        for one in range(processes)
    ]
    owners = sorted(dice.sample(range(processes), dice.randint(1, processes)))
    unit, buffer = dice.choice((1, 7, 64, 1000)), dice.randint(1, 300)
    exchange = Exchange(asked, library(exchange_buffer=buffer, domain_unit=unit), 1, owners)
    windows = []
    for turn in range(exchange.rounds):
        for one in range(processes):
            if (window := exchange.window(one, turn)) is not None:
                windows.append(window)
                assert exchange.wanted(one, turn) == window[1] - window[0] <= buffer
            else:
                assert exchange.wanted(one, turn) == 0
    windows.sort()
    assert windows[0][0] == 0
    assert windows[-1][1] == piece * processes * len(rows)
    assert all(one[1] == other[0] for one, other in pairwise(windows))


JOB = """\
format: workload/2
name: array
files: {array: {size: 63 MB, shared: true}}
jobs:
  - name: array
    processes: 6
    phases: [{do: mpi-write, file: array, block: 50 kB, access: collective, method: two-phase}]
"""


def test_domains_of_whole_locks_save_callbacks() -> None:
    """Ends of 10.5 MB lie in five units of 1 MiB, whose locks two nodes need in turn.

    If they are aligned only the first lock, which is of the whole file, is called back.
    """
    machine = shipped_root("configs") / "machines" / "lustre-lab.yaml"
    text = Text(machine.read_text(encoding="utf-8"), "lustre-lab")
    called, ended = [], []
    grant = ("machine.filesystems.scratch.tiers.0.grant", "1 MiB")
    for own in ((), (("machine.runtime.mpi_io.domain_unit", "1 MiB"),)):
        plan = load_plan(text, Text(JOB, "array"), settings=(grant, *own))
        assert_equal({"reference": run_reference, "native": run_native}, plan)
        result = run_native(plan)
        stores = result.stores.values()
        called.append([sum(s.counts[n] for s in stores) for n in ("called_back", "read_back")])
        ended.append(result.elapsed_ns)
    assert called == [[5, 6], [1, 0]]
    assert 2 * ended[1] < ended[0]


def test_it_is_a_size() -> None:
    text = "format: machine/2\nname: m\nparts: {d: {kind: disk, rate: 1 GB/s}}\n"
    text += "filesystems: {fs: [d]}\nruntime: {mpi_io: {domain_unit: UNIT}}\n"
    machine = parse_machine(text.replace("UNIT", "1 MiB"))
    assert machine.mpi_io.library().domain_unit == 1 << 20
    with pytest.raises(ConfigError, match=r"runtime\.mpi_io\.domain_unit.*1M"):
        parse_machine(text.replace("UNIT", "1M"))

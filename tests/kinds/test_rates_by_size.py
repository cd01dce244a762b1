"""Rates by size of a memory, a delay and a queue: by hand, beside the formula, in files."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import parse_machine
from simulator.service import ServiceSpec, SizePoint
from tests.engines.hand import Hand
from tests.reference.runs import both, ends, planned, run

CACHED = ServiceSpec(4e9, 10, points=(SizePoint(400, 100), SizePoint(1000, 500)))
"""4 B/ns up to 400 B, which stay in a processor's cache; 2 B/ns from 1000 B on."""


def copying(kind: str, service: ServiceSpec, *sizes: int, processes: int = 1) -> Hand:
    """Processes that read a file in calls of some sizes, past a part that copies them."""
    hand = Hand(pe=1)
    hand.part("memory", "pe", kind)
    hand.parts[-1] = replace(hand.parts[-1], service=service)
    hand.part("disk", "pe", rate=1e12)
    hand.path("fs", [hand.stage("memory"), hand.stage("disk")])
    hand.file("f", "fs", 100_000, length=100_000)
    for _ in range(processes):
        hand.process(f"p{_}", hand.listed(*[("read", "f", 0, size) for size in sizes]))
    return hand


@pytest.mark.parametrize("kind", ["core", "delay", "queue"])
def test_small_calls_are_copied_at_the_rate_of_the_cache(kind: str) -> None:
    """100 B: 25 ns; 400: 100; 700: 300, half way; 1000: 500; 2000: 1000. Each 10 more."""
    for size, time in ((100, 25), (400, 100), (700, 300), (1000, 500), (2000, 1000)):
        disk = -(-size // 1000) if size >= 500 else 0  # 1 TB/s
        assert ends(run(copying(kind, CACHED, size)))[0] == pytest.approx(10 + time + disk, abs=1)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["core", "delay", "queue"])
def test_calls_of_any_sizes_take_what_the_formula_says(kind: str, seed: int) -> None:
    dice = random.Random(seed)
    sizes = [dice.randint(1, 3000) for _ in range(20)]
    ran = run(copying(kind, CACHED, *sizes))
    (name,) = (one for one in ran.parts if "memory" in one)
    assert ran.parts[name].busy_ns == sum(map(CACHED.service_ns, sizes))


MACHINE = """\
nodes: {node: {cores: CORES}}
parts:
  memory: {kind: core, at: node, copies: true, rate: RATES}
  cpu: {kind: cpu, at: node, call_overhead: 0 s}
  disk: {kind: delay, rate: 1000 TB/s}
filesystems: {fs: [[memory], disk]}
"""
RATES = "{read: {64 KiB: 8 GB/s, 1 MiB: 2 GB/s}, write: 2 GB/s}"
JOB = """\
files: {f: {size: 16 MiB, exists: true}}
jobs: [{name: j, processes: 2, record: SIZE, phases: [{do: read, file: f}]}]
"""


@pytest.mark.parametrize(("cores", "factor"), [(2, 1), (1, 2)])
def test_a_memory_of_a_file_copies_by_the_size_of_calls(cores: int, factor: int) -> None:
    """16 MiB at 8 GB/s and at 2; two processes on one core take twice as long."""
    for size, rate in (("64 KiB", 8), ("32 KiB", 8), ("1 MiB", 2), ("4 MiB", 2)):
        machine = MACHINE.replace("CORES", str(cores)).replace("RATES", RATES)
        plan = planned(machine, JOB.replace("SIZE", size))
        took = both(plan).elapsed_ns
        assert took == pytest.approx(factor * 16 * 2**20 / rate, rel=1e-3)


@pytest.mark.parametrize("kind", ["core", "delay", "queue"])
def test_a_rate_by_number_is_told_with_what_may_have_one(kind: str) -> None:
    text = "format: machine/2\nname: m\nnodes: {node: 1}\nparts:\n"
    text += f"  p: {{kind: {kind}, at: node, rate: RATE}}\n  d: {{kind: disk, rate: 1 GB/s}}\n"
    text += "filesystems: {fs: [[p], d]}\n"
    parse_machine(text.replace("RATE", "{4 KiB: 1 GB/s, 1 MiB: 2 GB/s}"))
    for rate in ("{1: 1 GB/s, 2: 2 GB/s}", "{4 KiB: {1: 1 GB/s, 2: 2 GB/s}, 1 MiB: 3 GB/s}"):
        with pytest.raises(ConfigError, match=r"parts\.p\.rate: is by number, which"):
            parse_machine(text.replace("RATE", rate))

"""Accesses per second of the reference engine's stations.

The job: 166 clients, each with its own crossbar port; every access crosses the
crossbar (the client's port and the SSU's together), uses one of two SSU channels, and
then the disk. It is written twice: as a plan for the reference engine, whose stations keep their
next-free time, and in the style of SimPy's manual, with ``simpy.Resource``. Both produce the
same makespan, which is checked; the speed is the median of alternated runs.

    python -m benchmarks.stations [--accesses N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Generator

import numpy as np
import simpy
from tabulate import tabulate

from simulator.machine.disk import DiskSpec
from simulator.machine.station import ServiceSpec
from simulator.reference.run import run_reference
from simulator.study.oracle_runs import Script, plan_of, scripted

CLIENTS = 166
PORT = ServiceSpec(421e6, 5_000)
CHANNEL = ServiceSpec(91.8e6, 20_000)
DISK = DiskSpec(rate=36e6)
CHANNELS = 2


MACHINE = """
nodes: {pe: 166, ssu: 1}
parts: {crossbar: {kind: network, at: [pe, ssu], rate: 421 MB/s, latency: 5 us},
        channel: {kind: queue, at: ssu, servers: 2, rate: 91.8 MB/s, overhead: 20 us},
        disk: {kind: disk, at: ssu, rate: 36 MB/s}}
filesystems: {fs: [[crossbar], [channel], [disk]]}
"""
JOBS = """
files: {f: {size: 1 PB}}
jobs: [{name: client, processes: 166, record: 1 PB, phases: [{do: write, file: f}]}]
"""


def sizes(client: int, accesses: int) -> list[int]:
    """The sizes of a client's accesses: 0.1 to 8 MB, all different enough not to tie."""
    return [100_000 + (client * 7919 + i * 104_729) % 7_900_000 for i in range(accesses)]


def on_stations(accesses: int) -> int:
    """Run the job on the reference engine; returns the makespan in ns."""
    scripts = []
    for number in range(CLIENTS):
        size = np.array(sizes(number, accesses))
        scripts.append(Script("write", number, np.cumsum(size) - size, size))
    return run_reference(scripted(plan_of(MACHINE, JOBS, seed=None), scripts)).elapsed_ns


def on_resources(accesses: int) -> int:
    """Run the same job with one ``simpy.Resource`` for each part; returns the makespan."""
    env = simpy.Environment()
    ssu = simpy.PriorityResource(env, 1)
    channels = simpy.PriorityResource(env, CHANNELS)
    disk = simpy.PriorityResource(env, 1)

    def client(number: int) -> Generator[simpy.Event, None, None]:
        port = simpy.Resource(env, 1)
        for size in sizes(number, accesses):
            with port.request() as out:
                yield out
                with ssu.request(priority=0) as into:
                    yield into
                    yield env.timeout(PORT.service_ns(size))
            with channels.request(priority=0) as channel:
                yield channel
                yield env.timeout(CHANNEL.service_ns(size))
            with disk.request(priority=0) as arm:
                yield arm
                yield env.timeout(DISK.transfer().service_ns(size))

    for number in range(CLIENTS):
        env.process(client(number))
    env.run()
    return int(env.now)


def seconds(job: Callable[[int], int], accesses: int) -> tuple[float, int]:
    """CPU seconds and makespan of one run."""
    began = time.process_time()
    makespan = job(accesses)
    return time.process_time() - began, makespan


def measure(accesses: int, rounds: int) -> dict[str, float]:
    """Medians of alternated runs, and their ratio pair by pair."""
    each = max(1, accesses // CLIENTS)
    pairs = []
    for _ in range(rounds + 1):
        slow, slow_end = seconds(on_resources, each)
        fast, fast_end = seconds(on_stations, each)
        if slow_end != fast_end:
            raise AssertionError(f"makespans differ: {slow_end} and {fast_end} ns")
        pairs.append((fast, slow))
    pairs = pairs[1:]  # the first pair warms up
    total = each * CLIENTS
    return {
        "clients": CLIENTS,
        "accesses": total,
        "rounds": rounds,
        "stations_accesses_per_s": total / statistics.median(fast for fast, _ in pairs),
        "resources_accesses_per_s": total / statistics.median(slow for _, slow in pairs),
        "stations_over_resources": statistics.median(slow / fast for fast, slow in pairs),
        "makespan_ns": slow_end,
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--accesses", type=int, default=100_000, help="in all (default 100000)")
    parser.add_argument("--rounds", type=int, default=7, help="counted pairs of runs (default 7)")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    figures = measure(options.accesses, options.rounds)
    if options.format == "json":
        print(json.dumps(figures, indent=2))
        return
    print(tabulate([(name, f"{value:,.6g}") for name, value in figures.items()], tablefmt="plain"))


if __name__ == "__main__":
    main()

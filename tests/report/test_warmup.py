"""Warm-up of arrivals, what the report says of it and of the interval; both engines alike."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from random import Random

import pytest

from simulator.inputfile import Text
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.report.outcome import answer
from simulator.result.result import Result
from simulator.run import Listener, load_plan, prepare_run
from simulator.warmup import LEAST_COUNT, batch_means, falls, least_error, needed_at, warm_up

pytestmark = pytest.mark.compiled

MACHINE = """\
format: machine/2
name: queue
parts:
  disk: {{kind: queue, servers: {servers}, overhead: 10 ms, noise: {{distribution: exponential}}}}
filesystems: {{fs: [disk]}}
"""
WORKLOAD = """\
format: workload/2
name: open
files: {{a: {{size: 1 MB, exists: true, shared: true}}}}
jobs:
  - name: j
    record: 1 MB
    arrivals: {{every: {every} ns, distribution: poisson, count: {count}, out: {out}}}
    phases: [{{do: read, file: a}}]
"""


def response_ms(servers: int, load: float) -> float:
    """The mean time of an M/M/c queue whose service takes 10 ms (Erlang C)."""
    offered = servers * load
    below = sum(offered**k / math.factorial(k) for k in range(servers))
    full = offered**servers / math.factorial(servers) / (1 - load)
    return 10 + full / (below + full) * 10 / (servers * (1 - load))


def ran(servers: int, load: float, count: int, seed: int, out: int = 100) -> Result:
    every = round(10e6 / servers / load)
    machine = Text(MACHINE.format(servers=servers), "machine")
    workload = Text(WORKLOAD.format(every=every, count=count, out=out), "workload")
    hears = Listener(lambda _: None, lambda _: None)
    return prepare_run(machine, workload, seed=seed, hears=hears).result()


def test_the_report_tells_the_interval_or_the_length_that_it_needs() -> None:
    short = ran(1, 0.5, 2000, 1)
    load = 1e9 / short.gaps_ns["j"] / short.most_per_s["j"]
    assert (short.steady["j"].half_ns, short.steady["j"].needed) == (None, needed_at(load))
    told = f"\u00b1 10 % takes about {needed_at(load):,} arrivals"
    assert f"too few arrivals for an interval of the mean at this load: {told}" in answer(short)
    enough = ran(1, 0.5, 8000, 1)
    assert enough.steady["j"].half_ns is not None
    assert "ms (95 %, by ten batches)" in answer(enough)


def test_without_a_known_load_there_is_no_interval() -> None:
    """With 300 processes, 2,000 arrivals are too few to find the most that can be served."""
    found = ran(1, 0.5, 2000, 1, out=300)
    assert found.steady["j"].half_ns is found.steady["j"].needed is None
    assert "no interval of the mean, since the load is not known" in answer(found)


def test_few_arrivals_have_no_interval() -> None:
    assert ran(1, 0.5, LEAST_COUNT - 1, 1, out=8).steady == {}
    assert "interval" not in answer(ran(1, 0.5, LEAST_COUNT - 1, 1, out=8))


# -- each time, in the order of arrivals -----------------------------------------------------------


@pytest.mark.parametrize("arrivals", ["distribution: poisson", "distribution: fixed"])
@pytest.mark.parametrize("seed", [None, 3])
def test_engines_have_the_time_of_each_arrival(arrivals: str, seed: int | None) -> None:
    """Two processes: arrivals end in another order than they come. The sum is the histogram's."""
    text = WORKLOAD.format(every=6_000_000, count=500, out=2)
    workload = Text(text.replace("distribution: poisson", arrivals), "workload")
    for machine in (MACHINE.format(servers=2), STEADY):
        plan = load_plan(Text(machine, "machine"), workload, seed=seed)
        native, reference = run_native(plan), run_reference(plan)
        took = native.took_ns["j"]
        assert took == reference.took_ns["j"]
        assert (len(took), min(took) > 0) == (500, True)
        assert sum(took) == native.responses["j"].sum_ns
        assert run_native(plan, fast_forward=False).took_ns == native.took_ns


STEADY = """\
format: machine/2
name: steady
parts: {disk: {kind: queue, servers: 2, overhead: 10 ms}}
filesystems: {fs: [disk]}
"""


BESIDE = """\
  - name: k
    record: 1 MB
    start: 2 ms
    arrivals: {{every: {other} ms, distribution: fixed, count: {count}, out: 1}}
    phases: [{{do: read, file: a}}]
"""


@pytest.mark.parametrize(
    ("every", "other", "out", "servers", "last"),
    [
        (20, 25, 2, 1, [10, 12, 17, 10, 10]),
        (20, 25, 5, 1, [10, 12, 17, 10, 10]),
        (7, 21, 2, 2, [13, 10, 10, 13, 10]),
    ],
)
def test_skipped_periods_have_their_times_too(
    every: int, other: int, out: int, servers: int, last: list[int]
) -> None:
    """Arrivals of two jobs at fixed times, of which some meet."""
    values = {"every": every * 1_000_000, "other": other, "count": 30_000, "out": out}
    text = (WORKLOAD.replace("poisson", "fixed") + BESIDE).format(**values)
    machine = STEADY.replace("servers: 2", f"servers: {servers}")
    plan = load_plan(Text(machine, "machine"), Text(text, "workload"))
    found, simulated = run_native(plan), run_native(plan, fast_forward=False)
    assert found.repeats.periods > 1000
    assert found.took_ns == simulated.took_ns
    assert [one // 1_000_000 for one in found.took_ns["j"][10_012:10_017]] == last


def test_of_very_many_arrivals_the_times_are_not_kept() -> None:
    plan = load_plan(
        Text(STEADY, "machine"), Text(WORKLOAD.format(every=6_000_000, count=9, out=2), "workload")
    )
    (row,) = plan.arrivals
    assert (row.kept, replace(row, count=4_000_001).kept) == (9, 0)
    many = replace(row, kind=0, count=4_000_001, gap_ns=10_000_000)
    found = run_native(replace(plan, arrivals=(many,)))
    assert found.repeats.periods
    assert found.took_ns == {"j": array("q")}


# -- warm-up ---------------------------------------------------------------------------------------


def test_the_truncation_is_that_of_the_definition() -> None:
    """MSER-5, computed anew for each number of means that are left out."""
    random = Random(4)
    for _ in range(20):
        took = [round(1000 * random.expovariate(1)) + max(0, 900 - 9 * i) for i in range(403)]
        fives = [sum(took[at : at + 5]) / 5 for at in range(0, 400, 5)]

        def error(out: int, fives: list[float] = fives) -> float:
            rest = fives[out:]
            mean = sum(rest) / len(rest)
            return sum((one - mean) ** 2 for one in rest) / len(rest) ** 2

        assert least_error(took) == 5 * min(range(len(fives) // 2 + 1), key=error)


def test_a_begin_that_is_proven_is_left_out_and_told() -> None:
    """The first 40 of a cold cache, less than a tenth; and not what chance makes of a begin."""
    random = Random(1)
    took = [
        round(1e6 * random.uniform(0.5, 1.5)) + (9_000_000 if i < 40 else 0) for i in range(900)
    ]
    assert warm_up(took) == 40
    assert warm_up(took[40:]) == 0


def test_a_burst_is_not_warm_up() -> None:
    means = [39.6, 60.0, 23.1, 15.3, 19.3, 38.4, 15.0, 14.7, 31.9, 19.2]
    assert not warm_up([round(1000 * one) for one in means for _ in range(50)])


def test_a_cache_that_fills_slowly_is_warm_up() -> None:
    """Times that fall from tenth to tenth, by too little to be told by two means."""
    slowly = [4.2, 3.94, 3.7, 3.42, 3.03, 2.9, 2.43, 2.59, 2.22, 2.09]

    def each(means: list[float]) -> list[int]:
        return [round(1000 * one) for one in means for _ in range(50)]

    assert falls(slowly) == 43
    assert batch_means(each(slowly)) == [1000 * one for one in slowly]
    assert warm_up(each(slowly))
    assert not warm_up(each([*reversed(slowly[:5]), *reversed(slowly[5:])]))


@pytest.mark.slow
def test_a_busier_queue_is_called_warm_up_where_it_starts_faster() -> None:
    """At 0.98 a queue that starts empty fills for longer than a tenth; at 0.5 it never does."""
    found = [ran(3, 0.98, 2000, seed, out=400) for seed in range(1, 11)]
    told = [one for one in found if one.steady and one.steady["j"].warm_up]
    assert len(told) >= 3
    assert all("warm-up: the first" in answer(one) for one in told)
    assert not any(ran(3, 0.5, 2000, seed).steady["j"].warm_up for seed in range(1, 11))


COLD = """\
format: workload/2
name: cold
files: {a: {size: 256 MiB, exists: true, shared: true}}
jobs:
  - name: j
    record: 1 MiB
    arrivals: {every: 50 ms, distribution: poisson, count: 1000, out: 400}
    phases: [{do: read, file: a, size: 1 MiB, order: random}]
"""


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["workstation", "nfs-lab", "lustre-lab"])
def test_reads_of_a_cold_cache_are_warm_up(machine: str) -> None:
    hears = Listener(lambda _: None, lambda _: None)
    for seed in (301, 302):
        result = prepare_run(machine, Text(COLD, "cold"), seed=seed, hears=hears).result()
        assert result.steady["j"].warm_up


@pytest.mark.long
def test_on_other_seeds_a_burst_is_seldom_called_warm_up() -> None:
    """Seeds that no rule was made on."""
    for servers, load, most in ((3, 0.83, 12), (1, 0.5, 8)):
        found = [ran(servers, load, 2000, seed) for seed in range(181, 301)]
        assert sum(one.steady["j"].warm_up > 0 for one in found) <= most

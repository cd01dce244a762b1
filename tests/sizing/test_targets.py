"""Targets by kind of call, by mean of arrivals, by node, by year, and in states: all by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config.errors import ConfigError
from simulator.config.requirement_file import Target
from simulator.config.requirement_targets import CALL_TIMES, CALLS
from simulator.inputfile import Text
from simulator.run import EngineName, load_plan, run_plan
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.sizing.sized import Sized
from simulator.sizing.targets import Measured, figure_of
from simulator.study.executors import Processes
from tests.sizing.pages import written_size
from tests.sizing.texts import searched

MACHINE = """\
format: machine/2
name: small
nodes: {client: 2}
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  disk: {kind: disk, at: client, rate: 100 MB/s}
  mds: {kind: queue, overhead: 50 us}
filesystems:
  home: {tiers: [disk], metadata: [{work: mds}]}
"""
OPENS = """\
format: workload/2
name: opens
files: {f: {size: 1 MB}}
jobs:
  - name: job
    processes: 8
    phases: [{do: create, file: f}, {do: barrier}, {do: open, file: f}]
"""
"""The mds opens one file after the other: the last of eight waits for seven."""
READS = """\
format: workload/2
name: reads
files: {f: {size: 100 MB, exists: true}}
jobs: [{name: job, processes: 2, record: 100 MB, policy: posix, phases: [{do: read, file: f}]}]
"""
"""A process on each node reads from its own disk."""
ARRIVE = """\
format: workload/2
name: arrive
files: {f: {size: 100 MB, exists: true, shared: true}}
jobs:
  - name: job
    record: 100 MB
    policy: posix
    arrivals: {at: [0 s, 0.5 s, 9 s], out: 1}
    phases: [{do: read, file: f}]
"""
NEED = """\
format: requirement/1
name: need
machine: m.yaml
years: 2
workloads:
  opens: {workload: opens.yaml}
  reads: {workload: reads.yaml, growth: 100 %}
  arrive: {workload: arrive.yaml}
targets: [TARGETS]
states:
  a slow node:
    set: {machine.events: [{part: disk, member: 1, at: 0 s, factor: 50 %, lasts: 100 h}]}
  a slow mds: {set: {machine.events: [{part: mds, at: 0 s, factor: 50 %, lasts: 100 h}]}}
catalogue: {server: {price: 10}, disk: {price: 3}}
choices:
  servers: {set: mds.servers, values: [1, 2, 4], buys: {server: 1}}
  disk: {set: disk.rate, values: [100 MB/s, 200 MB/s, 400 MB/s], unit: 100 MB/s, buys: {disk: 2}}
"""
BIN = 1 / 128
"""The middle of a bin of a histogram of latencies is at most so far off."""
OPENING = 5e-4
"""Part of a time at most in which files are opened and closed."""
ENGINES: tuple[EngineName, ...] = ("reference", "native")


@pytest.fixture
def need(tmp_path: Path) -> Path:
    for name, text in (("opens", OPENS), ("reads", READS), ("arrive", ARRIVE), ("m", MACHINE)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path / "need.yaml"


def sized(need: Path, *targets: str, everything: bool = False) -> Sized:
    text = NEED.replace("TARGETS", ", ".join(targets))
    return searched(Loads(Text(text, str(need))), everything=everything)


def judged(found: Sized, levels: tuple[str, ...]) -> list[Measured]:
    """Return what is known of the targets of a configuration, which is run if it was not."""
    offer = found.offer
    numbers = [n for n in range(offer.size) if offer.configuration(n).levels == levels]
    return [*found.evaluator((numbers[0], "complete")).measured]


def values(found: Sized, *levels: str) -> list[float | None]:
    return [one.judged for one in judged(found, levels)]


# -- calls ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_each_kind_of_call_has_its_percentiles(engine: EngineName) -> None:
    """Each takes the 50 us of the server, but a sync, for which there is nothing to write."""
    phases = "".join(f"{{do: {one}, file: f, count: 3}}, " for one in CALLS if one != "sync")
    phases = f"[{phases}{{do: write, file: f}}, {{do: sync, file: f}}]"
    job = f"jobs: [{{name: job, record: 1 MB, phases: {phases}}}]\n"
    workload = Text(OPENS.partition("jobs:")[0] + job, "calls.yaml")
    result = run_plan(load_plan(Text(MACHINE, "m.yaml"), workload), engine=engine)
    found = {one: figure_of(Target(**{one: "1 s"}), result) for one in CALL_TIMES}
    assert found == {one: 0 if one.startswith("sync") else 50_000 for one in CALL_TIMES}


@pytest.mark.parametrize(("limit", "servers"), [("405 us", "1"), ("380 us", "2"), ("105 us", "4")])
def test_the_last_of_eight_opens_decides(need: Path, limit: str, servers: str) -> None:
    """It is answered after 8 x 50 us over the number of servers."""
    found = sized(need, f"{{workload: opens, open_p95: {limit}}}")
    assert found.winner is not None
    assert found.winner.levels == (servers, "100 MB/s")
    everything = sized(need, f"{{workload: opens, open_p95: {limit}}}", everything=True)
    assert everything.winner == found.winner
    found_us = [values(everything, one, "100 MB/s")[0] for one in "124"]
    assert found_us == pytest.approx([4e5, 2e5, 1e5], rel=BIN)
    assert "opens: 95 % of opens" in written_size(found)


def test_calls_take_longer_in_a_state(need: Path) -> None:
    """A server of half the speed takes twice as long for each."""
    found = sized(need, "{workload: opens, open_p99: 400 us, states: [normal, a slow mds]}")
    assert found.winner is not None
    assert found.winner.levels == ("2", "100 MB/s")
    assert values(found, "2", "100 MB/s") == pytest.approx([2e5, 4e5], rel=BIN)


# -- arrivals -------------------------------------------------------------------------------------


def test_the_mean_of_arrivals(need: Path) -> None:
    """Reads of 1 s arrive at 0, 0.5 and 9 s: they take 1, 1.5 and 1 s; of 0.5 s: 0.5 s each."""
    found = sized(need, "{workload: arrive, job: job, job_mean: 1.1 s}")
    assert found.winner is not None
    assert found.winner.levels == ("1", "200 MB/s")
    assert values(found, "1", "100 MB/s") == pytest.approx([3.5e9 / 3], rel=OPENING)
    assert values(found, "1", "200 MB/s") == pytest.approx([0.5e9], rel=OPENING)
    assert "arrive job: mean of arrivals" in written_size(found)


# -- nodes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("target", "figure"),
    [
        ({"read_time": "1 s"}, 1.5e9),
        ({"read_time": "1 s", "node": "client"}, 2e9),
        ({"read_time": "1 s", "node": "client", "job": "job"}, 2e9),
        ({"read": "1 MB/s"}, 100e6),
        ({"read": "1 MB/s", "node": "client"}, 50e6),
        ({"write_time": "1 s", "node": "client"}, None),
    ],
)
def test_the_slowest_node_by_hand(
    target: dict[str, str], figure: float | None, engine: EngineName
) -> None:
    """Node 1 reads its 100 MB in 2 s, and node 0 in 1 s: 1.5 s in the mean, 200 MB in 2 s."""
    event = "events: [{part: disk, member: 1, at: 0 s, factor: 50 %, lasts: 100 h}]\n"
    plan = load_plan(Text(MACHINE + event, "m.yaml"), Text(READS, "reads.yaml"))
    result = run_plan(plan, engine=engine)
    assert figure_of(Target(**target), result) == (figure and pytest.approx(figure, rel=OPENING))
    assert [one.node for one in result.processes] == [("client", 0), ("client", 1)]


@pytest.mark.parametrize("engine", ENGINES)
def test_other_groups_and_nodes_of_a_queue_are_none_of_it(engine: EngineName) -> None:
    """Five on the big node read from one disk: 5 s for the last, 3 s in the mean, 1 s elsewhere."""
    machine = MACHINE.replace("client: 2", "client: 2, big: 1").replace(
        "at: client", "at: [client, big]"
    )
    more = READS.replace("job,", "more, on: big,").replace("processes: 2", "processes: 5")
    workload = Text(f"{READS}  {more.partition('jobs: [')[2]}".replace("}]}]", "}]},", 1), "w.yaml")
    result = run_plan(load_plan(Text(machine, "m.yaml"), workload), engine=engine)
    found = [figure_of(Target(read_time="1 s", node=one), result) for one in ("client", "big")]
    assert found == pytest.approx([1e9, 3e9], rel=OPENING)
    queued = machine.replace("client: 2", "client: {count: 2, queue: {}}")
    plan = load_plan(Text(queued, "m.yaml"), workload)
    homes = [one.node for one in run_plan(plan, engine=engine).processes]
    assert homes == [("", -1)] * 2 + [("big", 0)] * 5


def test_a_slow_node_decides_where_the_mean_does_not(need: Path) -> None:
    """400 MB in year 2: from 200 MB/s 2 s each, but 4 s on the slow node, and 3 s in the mean."""
    slow = "{workload: reads, WHERE, read_time: 3.1 s, states: a slow node}"
    mean = sized(need, slow.replace("WHERE, ", ""))
    node = sized(need, slow.replace("WHERE", "node: client"))
    assert mean.winner is not None
    assert node.winner is not None
    assert (mean.winner.levels[1], node.winner.levels[1]) == ("200 MB/s", "400 MB/s")
    assert values(node, "1", "200 MB/s") == pytest.approx([4e9], rel=OPENING)
    assert "reads: time in reads of the slowest client, a slow node" in written_size(
        node, full=True
    )


# -- years ----------------------------------------------------------------------------------------


def test_a_target_of_a_year(need: Path) -> None:
    """100 MB in year 0, 200 MB in year 1, 400 MB in year 2: at 200 MB/s 0.5, 1 and 2 s."""
    last, first = "{workload: reads, elapsed: 2.1 s}", "{workload: reads, elapsed: 0.4 s, year: 0}"
    middle = "{workload: reads, read_time: 1.1 s, node: client, year: 1}"
    found = sized(need, last, middle)
    assert found.winner is not None
    assert found.winner.levels == ("1", "200 MB/s")
    assert values(found, "1", "200 MB/s") == pytest.approx([2e9, 1e9], rel=OPENING)
    stricter = sized(need, last, first)
    assert stricter.winner is not None
    assert stricter.winner.levels == ("1", "400 MB/s")
    assert values(stricter, "1", "200 MB/s") == pytest.approx([2e9, 0.5e9], rel=OPENING)
    page = written_size(stricter, full=True)
    assert "reads: time in year 0" in page
    assert "workload.files.f.size=400 MB" in page, "the run of year 2 can be made again,"
    assert page.count("nwtsim run") >= 2, "and that of year 0"


def test_the_last_year_is_the_one_that_counts_anyway(need: Path) -> None:
    found = sized(need, "{workload: reads, elapsed: 2.1 s, year: 2}")
    assert values(found, "1", "200 MB/s") == pytest.approx([2e9], rel=OPENING)
    assert len(found.evaluator.loads.loads) == 3, "no load is run twice"


def test_of_all_loads_in_a_year(need: Path) -> None:
    """Of opens, reads and arrivals only reads grow: (400 us + 1 s + 10 s) / 3 in year 0."""
    found = sized(need, "{elapsed: 100 s, year: 0}")
    (value,) = values(found, "1", "100 MB/s")
    assert value == pytest.approx((0.4e6 + 0.4e6 + 1e9 + 10e9) / 3, rel=OPENING)


def test_with_a_probability_all_of_them_are_drawn_too(need: Path) -> None:
    """No error of the model is known of latencies: what just misses one has a chance of 0."""
    targets = [
        "{workload: opens, open_p99: 405 us, states: [normal, a slow mds]}",
        "{workload: arrive, job_mean: 5 s}",
        "{workload: reads, read_time: 100 s, node: client, year: 0}",
    ]
    text = NEED.replace("TARGETS", ", ".join(targets))
    text = text.replace("catalogue:", "probability: 50 %\ncatalogue:")
    made = Loads(Text(text, str(need)))
    found = Search(Evaluator(made, seed=1, replications=5), executor=Processes(1)).run()
    assert found.winner is not None
    assert found.winner.levels == ("2", "100 MB/s")
    latencies = [2e5, 3.5e9 / 3, 1e9, 4e5]
    assert values(found, "2", "100 MB/s") == pytest.approx(latencies, rel=BIN)
    assert found.outcomes[found.winner.number].meets


# -- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("{workload: reads, open_p90: 1 s}", "did you mean 'open_p99'?"),
        ("{workload: reads, open_p95: 1}", "targets.0.open_p95: "),
        (
            "{workload: reads, elapsed: 1 s, node: client}",
            "targets.0.node: no elapsed is known of a node, but read_time, write_time, read, write",
        ),
        (
            "{workload: reads, read: 1 MB/s, node: clients}",
            "targets.0.node: the machine has no nodes 'clients'; did you mean 'client'?",
        ),
        (
            "{workload: reads, elapsed: 1 s, year: 3}",
            "targets.0.year: is after year 2, until which loads grow; write 'years: 3' above, or"
            " less here",
        ),
        (
            "{workload: opens, elapsed: 1 s, year: 1}",
            "targets.0.year: nothing of opens grows, and all years are alike; write"
            " 'growth: 20 %' there, or leave it out",
        ),
        (
            "{workload: reads, elapsed: 1 s}, {workload: reads, elapsed: 2 s, year: 2}",
            "targets.1.elapsed: elapsed of the same is target 1 already; leave one of them out",
        ),
        ("{capacity: 1 TB, year: 1}", "targets.0.year: means nothing for a capacity"),
        ("{capacity: 1 TB, node: client}", "targets.0.node: means nothing for a capacity"),
    ],
)
def test_each_mistake_is_told_where_it_is(need: Path, target: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        Loads(Text(NEED.replace("TARGETS", target), str(need)))
    assert any(told in str(one) for one in error.value.problems), str(error.value)


def test_nodes_of_a_queue_are_other_ones_each_time(need: Path) -> None:
    text = MACHINE.replace("nodes: {client: 2}", "nodes: {client: {count: 2, queue: {}}}")
    (need.parent / "m.yaml").write_text(text)
    for name in ("arrive", "opens"):
        (need.parent / f"{name}.yaml").write_text(READS)
    with pytest.raises(ConfigError, match="jobs of a queue get other nodes of client each time"):
        sized(need, "{workload: reads, read: 1 MB/s, node: client}")

"""Growth of a load: files, arrivals and other numbers, beside Erlang's formula; its mistakes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.sizing.loads import Loads
from simulator.sizing.planned import Planned
from simulator.sizing.search import size
from simulator.study.executors import Processes
from tests.sizing.test_queues import JOBS, MACHINE, later

PEOPLE = """\
format: requirement/1
name: people
machine: nfs-lab
set: {client.count: 10}
years: YEARS
workloads:
  morning:
    workload: morning
    set: {workload.jobs.0.processes: 20, files.list.size: 2 MB}
    growth: GROWTH
targets: [{workload: morning, elapsed: 1 h}]
catalogue: {memory: {price: 60}}
choices:
  cache:
    set: [server-pages.capacity, server.memory]
    values: [8 GB, 16 GB]
    unit: 8 GB
    buys: {memory: 1}
"""
SERVERS = """
format: requirement/1
name: servers
machine: queue.yaml
workloads: {load: {workload: arrive.yaml, growth: {arrivals: 50 %}}}
years: 3
plan: {discount: 10 %}
targets: [{workload: load, job_p95: 4500 us}]
catalogue: {server: {price: 100}}
choices: {servers: {set: station.servers, values: 1..12 +1, buys: {server: 1}}}
"""


def loads(growth: str, years: str = "2", year: int | None = None) -> Loads:
    text = PEOPLE.replace("YEARS", years).replace("GROWTH", growth)
    return Loads(Text(text, "r.yaml"), year=year)


def grown(growth: str, years: str = "2", year: int | None = None) -> dict[str, str]:
    found = dict(loads(growth, years, year).loads[0].settings)
    return {path.partition(".")[2]: value for path, value in found.items()}


def test_a_percentage_is_that_of_the_files() -> None:
    """200 MB and 50 MB; what the load's own settings say of a file is taken as it is."""
    for growth in ("10 %", "{files: 10 %}", "{value: 10 %, source: assumed}"):
        found = grown(growth)
        assert (found["files.tools.size"], found["files.results.size"]) == ("242 MB", "60.5 MB")
        assert found["files.list.size"] == "2 MB"
        assert found["jobs.0.processes"] == "20"


def test_counts_are_rounded_up_and_settings_grow_from_what_they_are() -> None:
    """20 processes grow by 10 % to 22 and 24.2; 10 clients of all runs to 11 and 12.1."""
    growth = "{set: {workload.jobs.0.processes: 10 %, client.count: 10 %, list.size: 50 %}}"
    for years, processes, clients, size_of in (
        ("1", "22", "11", "3 MB"),
        ("2", "25", "13", "4.5 MB"),
    ):
        found = grown(growth, years)
        assert (found["jobs.0.processes"], found["nodes.client.count"]) == (processes, clients)
        assert found["files.list.size"] == size_of
        assert "files.tools.size" not in found
        assert grown(growth, "5", int(years)) == found
    assert grown(growth, "0")["jobs.0.processes"] == "20"


def test_a_short_name_stands_for_all_jobs() -> None:
    """Of those that say how many; that which has arrivals has their 'out'."""
    found = grown("{set: {processes: 50 %}}", "1")
    assert found["jobs.0.processes"] == "30"
    assert "jobs.1.processes" not in found


def test_a_year_of_loads_comes_back_in_another_process() -> None:
    one = loads("10 %", "5", 3)
    again = pickle.loads(pickle.dumps(one))
    assert again.loads[0].settings == one.loads[0].settings
    assert (again.year, again.requirement.years) == (3, 3)


def test_arrivals_come_more_often() -> None:
    """Every 20 ms, and at a rate 1.21 times as high."""
    found = grown("{arrivals: 10 %}")
    (every,) = (value for path, value in found.items() if path.endswith(".arrivals.every"))
    assert every == "16528925 ns"
    assert int(20e6 / 1.21) == 16528925


@pytest.mark.slow
def test_servers_are_bought_as_erlang_has_them(tmp_path: Path) -> None:
    """In each year the fewest servers with which 95 % of answers come in time: M/M/c.

    Rates of 1.5, 2.25 and 3.375 services; no number of servers is near to the limit.
    """
    for name, text in ("queue", MACHINE), ("arrive", JOBS.replace("GAP", "1000")):
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "servers.yaml").write_text(SERVERS)
    expected = []
    for year in (1, 2, 3):
        offered = 1.5**year
        chances = {c: later(c, offered, 4.5) for c in range(2, 13) if c > offered}
        assert all(not 0.04 < chance < 0.06 for chance in chances.values()), chances
        expected.append(min(c for c, chance in chances.items() if chance <= 0.05))
    found = size(str(tmp_path / "servers.yaml"), executor=Processes(1), noise=False)
    assert isinstance(found, Planned)
    assert [int(one.levels[0]) for one in found.machines] == expected
    more = [expected[0], expected[1] - expected[0], expected[2] - expected[1]]
    total = sum(100 * count / 1.1**year for year, count in enumerate(more))
    assert found.account.total == pytest.approx(total)
    assert found.at_once
    assert int(found.at_once[0].levels[0]) == expected[-1]


# -- mistakes -------------------------------------------------------------------------------------

WRONG = {
    "10": "workloads.morning.growth.files: '10' is no growth; write a percentage",
    "{file: 10 %}": "workloads.morning.growth.file: unknown key; did you mean 'files'?",
    "{set: {process: 10 %}}": "r.yaml:10:29: workloads.morning.growth.set.process: nfs-lab has no"
    " 'process'",
    "{set: {workload.jobs.7.processes: 10 %}}": "has no value of its own that could grow; write one"
    " under 'set' of the load",
    "{set: {processes: 10}}": "growth.set.processes: '10' is no growth",
    "{set: {workload.jobs.1.arrivals.every: 10 %}}": "is the time between two, which shrinks; write"
    " 'arrivals: ' instead",
    "{set: {server.memory: 10 %}}": "is what a choice sets, so that it cannot grow; leave it out",
    "{set: {workload.jobs.1.processes: 10 %}}": "r.yaml:10:47: workloads.morning.growth.set."
    "workload.jobs.1.processes: has no effect beside arrivals",
    "{set: {workload.jobs.0.policy: 10 %}}": "growth.set.workload.jobs.0.policy: ",
}


@pytest.mark.parametrize(("growth", "told"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_mistake_is_told_where_it_is(growth: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loads(growth)
    (line,) = str(caught.value).splitlines()[-1:]
    assert told in line


def test_arrivals_of_what_does_not_arrive() -> None:
    text = PEOPLE.replace("YEARS", "1").replace("GROWTH", "{arrivals: 10 %}")
    text = text.replace("workload: morning\n", "workload: copy-file\n", 1)
    text = text.replace("machine: nfs-lab\nset: {client.count: 10}\n", "machine: workstation\n")
    text = text.replace("    set: {workload.jobs.0.processes: 20, files.list.size: 2 MB}\n", "")
    text = text.replace("[server-pages.capacity, server.memory]", "memory.capacity")
    with pytest.raises(
        ConfigError, match="no job of copy-file has arrivals with an 'every'; leave"
    ):
        Loads(Text(text, "r.yaml"))

"""``restart`` of a job: what a file says of it, what is refused, and how it is lowered."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import load_machine, parse_workload
from simulator.inputfile import Text
from simulator.plan.codes import READ, STREAM, plain
from simulator.plan.plan import Plan
from simulator.run import load_plan

HOUR = 3600 * 10**9
WORK = """\
format: workload/2
name: w
files:
  state: {size: 1 MB}
  log: {size: 1 MB}
jobs:
  - {name: a, record: 1 kB, processes: 4, %s}
"""
PHASES = "phases: [{do: compute, time: 1 h}, {do: write, file: state}]"
TWO = "phases: [{do: write, file: log}, {do: write, file: state}]"


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (f"restart: {{}}, {PHASES}", "restart: has neither mtbf nor at; write 'mtbf: 1000 h' of"),
        (f"restart: {{mtbf: 1 h, at: [1 h]}}, {PHASES}", "restart: has both mtbf and at; write"),
        (f"restart: {{mtbf: 10 ms}}, {PHASES}", "restart.mtbf: 10.0 ms is less than a second"),
        (f"restart: {{mtbf: 1 h, delay: 9000 h}}, {PHASES}", "restart.delay: .* more than a year"),
        (
            f"start: 2 h, restart: {{at: [1 h]}}, {PHASES}",
            "restart.at: .* is before the job starts",
        ),
        (f"restart: {{mttf: 1 h}}, {PHASES}", "restart.mttf: unknown key; write 'mtbf'"),
        (f"restart: {{mtbf: 1 h, file: log}}, {PHASES}", "restart.file: there is no .*'log'|'log'"),
        (f"restart: {{mtbf: 1 h}}, {TWO}", "restart: does not say which file is the checkpoint: "),
        ("restart: {mtbf: 1 h}, phases: [{do: compute, time: 1 h}]", "restart: has no checkpoint"),
        (
            f"until: others end, restart: {{mtbf: 1 h}}, {PHASES}",
            "restart: has no effect beside until: how many rounds it makes is not known",
        ),
        (
            f"nodes: 2, restart: {{mtbf: 1 h}}, {PHASES}",
            "restart: is not for processes whose data are on several nodes",
        ),
        (
            "restart: {mtbf: 1 h}, phases: [{do: write, file: state},"
            " {do: exchange, pattern: ring, size: 1 MB}]",
            "phases.1.do: exchange cannot be begun again after a failure",
        ),
        (
            "restart: {mtbf: 1 h}, phases: [{do: write, file: state, size: 1 kB, order: onward}]",
            "restart: is 'state', which each round writes at another place",
        ),
    ],
)
def test_jobs_that_cannot_go_on_are_refused(job: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"w:.*{said}"):
        parse_workload(WORK % job, "w")


def plan_of(job: str, name: str = "nfs-lab") -> Plan:
    return load_plan(name, Text(WORK % job, "w"))


def test_a_job_of_n_nodes_fails_n_times_as_often() -> None:
    (restart,) = plan_of(f"per_node: 2, restart: {{mtbf: 10 h}}, {PHASES}").restarts
    assert (restart.processes, restart.mean_ns) == (4, 5 * HOUR)
    (restart,) = plan_of(f"start: 1 h, restart: {{at: [2 h], delay: 1 s}}, {PHASES}").restarts
    assert (restart.times, restart.mean_ns, restart.start_ns) == ((2 * HOUR,), 0, HOUR)
    assert restart.delay_ns == 10**9


def test_the_checkpoint_is_read_back_as_it_is_written() -> None:
    plan = plan_of(f"restart: {{mtbf: 10 h, file: state}}, {TWO}")
    for process in plan.processes:
        *round_, reading = process.phases
        assert (process.reading, len(round_)) == (1, 2)
        assert (reading.kind, reading.write, reading.file) == (STREAM, False, round_[1].file)
        assert reading.lengths == round_[1].lengths
        assert process.computing_ns == 0
    shared = "phases: [{do: write, file: state, size: 250 kB, offset: rank, direct: true}]"
    shared_file = WORK.replace("state: {size: 1 MB}", "state: {size: 1 MB, shared: true}")
    plan = load_plan("nfs-lab", Text(shared_file % f"restart: {{mtbf: 10 h}}, {shared}", "w"))
    reading = plan.processes[1].phases[-1]
    rows = range(reading.first, reading.first + reading.count)
    table = plan.operations
    reads = [table.offset[row] for row in rows if plain(table.kind[row]) == READ]
    assert reads == [*range(250_000, 500_000, 1_000)]


def test_machines_and_nodes_on_which_no_job_is_started_again() -> None:
    work = parse_workload(WORK % f"restart: {{mtbf: 10 h}}, {PHASES}", "w")
    for name, why in (("mesh-lab", "which has services"), ("orion", "which has services")):
        assert any(why in one.message for one in fit(load_machine(name), work))
    few = (
        "format: machine/2\nname: m\nnodes: {node: {count: 1, cores: 2}}\n"
        "parts: {cpu: {kind: cpu, at: node, copy_rate: 1 GB/s, call_overhead: 0 s,"
        " record_overhead: 0 s}, disk: {kind: disk, rate: 1 GB/s}}\n"
        "filesystems: {fs: [disk]}\n"
    )
    with pytest.raises(ConfigError, match="its processes wait for cores"):
        load_plan(Text(few, "m"), Text(WORK % f"restart: {{mtbf: 10 h}}, {PHASES}", "w"))


def test_rounds_that_hardly_end_are_doubted() -> None:
    job = f"restart: {{mtbf: 0.25 h}}, {PHASES}"
    work = parse_workload(WORK % job, "w")
    (doubt,) = [one for one in fit(load_machine("nfs-lab"), work) if "hardly" in one.message]
    assert doubt.severity == "warning"
    assert "the job fails every 225 s (4 nodes)" in doubt.message

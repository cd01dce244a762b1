"""The format workload/2, and what it must agree on with a machine: what is said of mistakes."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.doubts import LOCKSTEP
from simulator.config.fitting import fit
from simulator.config.formats import load_machine, load_workload
from simulator.config.lowering.plan import make_plan
from simulator.config.record import UniformRecord
from tests.config.machine_texts import CLUSTER, TEN_LINES, cluster, faults, job, machine, workload
from tests.families.test_hand_estimates import SERVERS

WRITE_A = "phases: [{do: write, file: a}]"


def test_a_job_has_defaults() -> None:
    (one,) = job(WRITE_A).jobs
    assert (one.processes, one.nodes, one.repeat, one.start, one.on) == (1, 1, 1, 0, None)


def test_records_may_be_drawn() -> None:
    (one,) = job(WRITE_A, "policy: nwt").jobs
    assert one.record == 1_000_000
    drawn = "phases: [{do: write, file: a, record: {draw: uniform, from: 1 kB, to: 2 kB}}]"
    (phase,) = job(drawn).jobs[0].phases or ()
    assert getattr(phase, "record") == UniformRecord(from_=1000, to=2000)  # noqa: B009


MISTAKES = {
    "count: 3": "count: unknown key; write 'processes'",
    "phases: []": "phases: is empty; write one or more",
    "phases: [{do: wrte, file: a}]": "do: 'wrte' was read; did you mean 'write'?",
    "phases: [{do: write, file: c}]": "phases.0.file: 'c' is not in files; there are a, b",
    "phases: [{do: read, file: a}]": "phases.0.file: 'a' neither exists nor is written before",
    "phases: [{do: sync, file: a}]": "phases.0.file: 'a' is not written before this",
    "phases: [{do: read, file: b, size: 11 MB}]": "phases.0.size: reads 11 MB of a file of 10 MB",
    "phases: [{do: write, file: a, size: 5 MB}, {do: read, file: a}]": (
        "phases.1.file: reads 10 MB, but only 5 MB is written before"
    ),
    "phases: [{do: read, file: b, offset: 10 MB}]": "phases.0.offset: is the end of the file",
    "phases: [{do: read, file: b, offset: 9 MB, size: 2 MB}]": "offset: ends at 11 MB of a file",
    "phases: [{do: write, file: a, offset: rank}]": "offset: rank is for a file that all processes",
    "phases: [{do: read, file: b, offset: rank, policy: nwt}]": "offset: nwt transfers whole files",
    "phases: [{do: read, file: b, order: random, policy: flang}]": "order: flang transfers whole",
    "phases: [{do: read, file: b, offset: mine}]": "phases.0.offset: 'mine' is not a size",
    "phases: [{do: read, file: b, offset: interleaved, record: [1 kB, 2 kB]}]": (
        "offset: interleaved needs records of one size"
    ),
    "phases: [{do: message, to: 3, size: 1 B}]": "phases.0.to: 3 is no rank of 1 processes",
    "phases: [{do: message, to: nxt, size: 1 B}]": (
        "phases.0.to: 'nxt' is unknown; did you mean 'next'?"
    ),
    "phases: [{do: exchange, pattern: mesh, rows: 2, columns: 2, size: 1 B}]": (
        "phases.0.pattern: a mesh of 2 x 2 is not 1 processes"
    ),
    "phases: [{do: exchange, pattern: ring, rows: 2, size: 1 B}]": "rows: has no effect with",
    "phases: [{do: lock, name: l}]": "jobs.0: 'l' is locked at the end; write '{do: unlock",
    "phases: [{do: unlock, name: l}]": "phases.0.name: 'l' is not held here",
    "nodes: 2\n    phases: [{do: barrier}]": "phases.0.do: barrier is not for processes whose data",
    "start: 1 s": "jobs.0: has neither phases nor calls; write one of them",
    f"calls: x.csv\n    {WRITE_A}": "jobs.0: has both phases and calls; write one of them",
    f"{WRITE_A}\n    arrivals: {{every: 1 s}}": "arrivals: count is missing; write it like",
    f"{WRITE_A}\n    arrivals: {{at: [0 s], count: 3}}": "arrivals.count: has no effect beside",
    f"{WRITE_A}\n    arrivals: {{at: [2 s, 1 s]}}": "arrivals.at: the times are not in order",
    f"{WRITE_A}\n    arrivals: {{at: [2 s, 1]}}": "arrivals.at.1: '1' has no unit",
    f"{WRITE_A}\n    processes: 2\n    arrivals: {{at: [0 s]}}": "processes: has no effect beside",
    "phases: [{do: barrier}]\n    arrivals: {at: [0 s]}": "arrivals: processes that serve arrivals",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_wrong_job_is_one_error(line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        job(line)
    (about,) = faults(raised.value)
    assert MISTAKES[line] in about


def test_a_job_without_records_cannot_write() -> None:
    with pytest.raises(ConfigError, match="record: is missing though phase 0 does write"):
        workload(
            "format: workload/2\nname: w\nfiles: {a: {size: 1 B}}\n"
            "jobs: [{name: j, phases: [{do: write, file: a}]}]\n"
        )


def test_jobs_have_different_names() -> None:
    text = "format: workload/2\nname: w\njobs:\n" + 2 * (
        "  - {name: j, phases: [{do: compute, time: 1 s}]}\n"
    )
    with pytest.raises(ConfigError, match=r"5:\d+: jobs.1.name: 'j' is the name of item 0 too"):
        workload(text)


def test_too_many_processes_are_refused() -> None:
    with pytest.raises(ConfigError, match="200,000 processes; write fewer: at most 100,000"):
        job("processes: 200000", WRITE_A)


# -- with a machine ----------------------------------------------------------------------------

HOME = "home: [pages, [nic], disk]"
WAYS = "home: {paths: {near: [[nic], disk], far: [[nic], rpc, disk]}}"


def told(read, *lines: str) -> list[str]:
    """What is said of a job on a machine, but for the warning of lockstep."""
    problems = fit(read, job(*lines), noisy=True)
    return [f"{one.severity} {one.key}: {one.message}" for one in problems]


def test_what_fits_is_not_mentioned() -> None:
    assert told(cluster(HOME), WRITE_A) == []


MISFITS = {
    ("on: nodes", WRITE_A): "error jobs.0.on: 'nodes' is not a group of nodes of cluster",
    ("first_node: 4", WRITE_A): "error jobs.0.first_node: 4 is no node of client; write 0 to 3",
    ("processes: 3", "nodes: 2", WRITE_A): "error jobs.0.processes: 3 processes of 2 nodes do not",
    ("processes: 9", "per_node: 2", WRITE_A): "error jobs.0.processes: 9 processes, 2 on a node,",
    ("path: near", WRITE_A): "error jobs.0.path: 'near' is not a path of home; it has only one",
    ("on: server", WRITE_A): "error jobs.0.on: no path of home leads from server to a device",
    ("buffer: 1 MB", WRITE_A): "warning jobs.0.buffer: the buffer has no effect with policy posix",
    ("phases: [{do: write, file: a, buffer: 1 MB}]",): "warning jobs.0.phases.0.buffer: the buffer",
}


@pytest.mark.parametrize("lines", MISFITS)
def test_what_does_not_fit_is_one_problem(lines: tuple[str, ...]) -> None:
    (about,) = told(cluster(HOME), *lines)
    assert about.startswith(MISFITS[lines])


def test_a_wrong_path_is_told_where_it_is_said() -> None:
    read = cluster(WAYS)
    (about,) = told(read, "phases: [{do: write, file: a, path: fr}]")
    assert about.startswith("error jobs.0.phases.0.path: 'fr' is not a path of home; did you mean")


def test_a_machine_without_a_file_system() -> None:
    read = machine(TEN_LINES.partition("filesystems:")[0])
    (about,) = told(read, WRITE_A)
    assert about.startswith("error files.a: pc has no file system; write 'filesystems:' in it")
    assert about.endswith("(and so in 1 more place)")


def test_processes_that_share_a_node_are_a_warning() -> None:
    text = CLUSTER.replace("nic: {kind: network,", "nic: {kind: network, noise: {request: 1 %},")
    read = machine(text + f"  {HOME}\n")
    (about,) = told(read, "processes: 5", WRITE_A)
    assert about.startswith("warning jobs.0.processes: several processes run on one node")
    assert told(read, "processes: 5", "per_node: 2", WRITE_A) == []


def test_processes_of_a_machine_of_one_node_share_it_without_a_warning() -> None:
    assert all(
        "one node" not in about for about in told(machine(TEN_LINES), "processes: 5", WRITE_A)
    )


def test_a_close_after_a_write_is_a_warning() -> None:
    phases = "phases: [{do: open, file: a}, {do: write, file: a}, {do: close, file: a}]"
    (about,) = told(cluster(HOME), phases)
    assert about.startswith(
        "warning jobs.0.phases.2: each read or write opens its file, and closes"
    )


def test_messages_between_nodes_that_nothing_joins_are_a_warning() -> None:
    apart = machine("format: machine/2\nname: apart\nnodes: {pe: 4}\n")
    ring = "jobs: [{name: j, processes: 4, phases: [{do: message, to: next, size: 1 MB}]}]\n"
    jobs = workload(f"format: workload/2\nname: ring\n{ring}")
    (about,) = [one.message for one in fit(apart, jobs)]
    assert about.startswith("no network joins the nodes of pe, so that messages take no time; wri")
    assert fit(cluster(HOME), jobs) == []
    alone = machine("format: machine/2\nname: alone\nnodes: {pe: 1}\n")
    assert fit(alone, jobs) == []


def test_calls_of_servers_without_a_link_are_a_warning() -> None:
    text = SERVERS.replace(
        "  line: {kind: link, at: [ws, super], rate: 10 MB/s, latency: 1 ms}\n", ""
    )
    solve = "jobs: [{name: j, phases: [{do: solve, problem: linpack, n: 100, server: solver}]}]\n"
    jobs = workload(f"format: workload/2\nname: solve\n{solve}")
    assert fit(machine(SERVERS), jobs) == []
    (about,) = [one.message for one in fit(machine(text), jobs)]
    assert about.startswith("no link leads to a server, so that calls take no time on their way")


def test_calls_that_would_take_hours_are_a_warning() -> None:
    jobs = "format: workload/2\nname: job\nfiles: {a: {size: SIZE}}\n"
    jobs += "jobs: [{name: one, record: 4 KiB, phases: [{do: write, file: a}]}]\n"

    def about(size: str) -> list[str]:
        return [one.message for one in fit(cluster(HOME), workload(jobs.replace("SIZE", size)))]

    assert about("40 TB") == []
    assert about("900 TB")[0].startswith("219,726,562,500 calls take hours to simulate; write")


def test_lockstep_is_a_warning_unless_times_vary() -> None:
    (about,) = told(cluster(HOME), "processes: 2", WRITE_A)
    assert about == f"warning jobs.0.processes: {LOCKSTEP}"
    assert told(cluster(HOME), "processes: 2", "skew: 1 s", WRITE_A) == []
    random = WRITE_A.replace("file: a", "file: a, order: random, size: 8 KiB")
    computed = WRITE_A.replace("[{", "[{do: compute, time: 1 s, spread: 5 %}, {")
    later = random.replace("[{", "[{do: write, file: a}, {")
    found = [told(cluster(HOME), "processes: 2", one) for one in (random, computed, later)]
    assert [LOCKSTEP in " ".join(one) for one in found] == [False, False, True]


def test_a_buffer_beyond_the_memory_is_an_error() -> None:
    text = CLUSTER.replace("client: 4", "client: {count: 4, memory: 1 MB}") + f"  {HOME}\n"
    (about,) = told(machine(text), "policy: nwt", "buffer: 2 MB", WRITE_A)
    assert about.startswith("error jobs.0.buffer: 2 MB is more than the memory of a node of client")


def test_files_that_do_not_fit_are_a_warning() -> None:
    text = CLUSTER.replace("rate: 100 MB/s", "rate: 100 MB/s, capacity: 2 MB") + f"  {HOME}\n"
    (about,) = told(machine(text), WRITE_A)
    assert "all files together do not fit on the 12 MB of disk" in about


def test_prestaging_needs_a_store() -> None:
    read = cluster("home: [[nic], disk]")
    text = "format: workload/2\nname: w\nfiles: {a: {size: 1 B, exists: true, prestage: true}}\n"
    text += "jobs: [{name: j, record: 1 B, phases: [{do: read, file: a}]}]\n"
    (about,) = fit(read, workload(text))
    assert about.severity == "error"
    assert "home has no store to hold it" in about.message
    (about,) = fit(cluster(HOME), workload(text))
    assert "each node has its own pages" in about.message
    assert fit(cluster("home: [[nic], cache, disk]"), workload(text)) == []


def test_processes_on_several_nodes_need_a_network() -> None:
    text = TEN_LINES + "nodes: {pc: 4}\n"
    (about,) = told(machine(text), "nodes: 2", WRITE_A)
    assert about.startswith("error jobs.0.nodes: no network joins the nodes of pc")


def test_a_file_reaches_a_store_in_one_way() -> None:
    read = cluster("home: {paths: {one: [[nic], cache, disk], two: [[nic], cache, rpc, disk]}}")
    lines = "[{do: write, file: a}, {do: read, file: a, path: two}]"
    (about,) = told(read, f"phases: {lines}")
    assert about.startswith("error jobs.0.phases.1.file: 'a' reaches cache in another way than")


def test_programs_need_a_cpu() -> None:
    text = CLUSTER.replace("  link:", "  core: {kind: cpu, at: client}\n  link:") + f"  {HOME}\n"
    (about,) = told(machine(text), "on: server", "phases: [{do: compute, time: 1 s}]")
    assert about.startswith("error jobs.0.on: server has no cpu, which its programs need")


def test_messages_between_nodes_without_ports_are_an_error_of_their_job() -> None:
    """What looks for messages that cost nothing met the way that leads nowhere, and failed."""
    text = CLUSTER.replace("server: 2}", "server: 2, other: 2}") + "  home: [[nic], disk]\n"
    ring = "{name: a, on: other, processes: 2, phases: [{do: exchange, pattern: ring, size: 1 MB}]}"
    jobs = workload(f"format: workload/2\nname: w\njobs: [{ring}]\n")
    there = machine(f"{text}messages: [[nic]]\n")
    assert fit(there, jobs) == []
    with pytest.raises(ConfigError, match="nic joins client and server, not other and other"):
        make_plan(there, jobs)


FITTING = {
    "workstation": "copy-file",
    "nfs-lab": "morning",
    "burst-node": "checkpoint-shared",
    "beegfs-like": "shared-file",
    "lustre-lab": "shared-records",
    "lustre-scratch": "shared-file checkpoint-hourly",
    "burst-buffer": "checkpoint-restart checkpoint-interval",
    "nwt": "test-read test-read-parallel test-write test-write-parallel test-write-120MB nwt-job"
    " nwt-print nwt-print-lan nwt-each nwt-neighbours",
}


@pytest.mark.parametrize("name", FITTING)
def test_shipped_machines_and_workloads_fit(name: str) -> None:
    for work in FITTING[name].split():
        problems = fit(load_machine(name), load_workload(work))
        assert {one.severity for one in problems} <= {"warning"}, work

"""Mistakes in services and in phases that use them: one clear error each, with its place."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from tests.config.machine_texts import changes_in
from tests.engines.serving import SERVERS, STATIONS, planned, workload

MESH = "processes: 2, phases: [{do: mesh, rows: 20, columns: 20, loops: 2}]"
CALL = "on: client, phases: [{do: solve, problem: linpack, n: 9, server: big}]"
TRIALS = CALL.replace("solve", "calls").replace("big}", "big, every: 1 s, duration: 9 s}")


def job(keys: str) -> str:
    return workload(f"  - {{name: a, {keys}}}")


def told(machine: str, work: str) -> str:
    with pytest.raises(ConfigError) as raised:
        planned(machine, work)
    (problem,) = raised.value.problems
    return f"{problem.key}: {problem.message}"


@pytest.mark.parametrize(
    ("machine", "keys"), [(STATIONS, MESH), (SERVERS, CALL), (SERVERS, TRIALS)]
)
def test_the_machines_of_these_tests_are_right(machine: str, keys: str) -> None:
    planned(machine, job(keys))


WITH_MESH = changes_in(r"""
- poll: 0 s => poll: 10 ms
  services.messages.poll: polls of 10.0 ms every 10.0 ms leave
- at: node, interval => at: nodes, interval
  services.messages.at: 'nodes' is not a
- at: node, interval => at: server, interval
  services.messages.at: no processor is at
- processes: {kind: process-server, at: node => processes: {kind: process-server, at: server
  services.processes.at: no\x20
-   processes: { =>   lan: {
  services.lan: 'lan' is the name of a part or store too; write another
- update: 1 us} => update: 1 us, resident: 4 kB}
  parts.processor.resident: no page fits; write 4 KiB or more
- update: 1 us} => update: 1 us, resident: 1 MB}
  parts.processor.resident: pages that do not fit go nowhere; write 'paging:
- update: 1 us} => update: 1 us, paging: {rate: 1 MB/s}}
  parts.processor.paging: has no effect without 'resident'
- update: 1 us} => update: 1 us, cache: {size: 5 kB, line: 16 B, line_time: 1 us}}
  parts.processor.cache.size: 5 kB is not a whole number of pages of 4 KiB; write 4 KiB
- [[lan], [disk]]} => [[processor], [lan], [disk]]}
  filesystems.home.tiers.0.stage.0.part: processor is a processor, which services use
-   lan: {kind =>   second: {kind: processor, at: node, update: 1 us}\n  lan: {kind
  parts.second.at: node has the processor 'processor' already; a node has one
- processes: 2 => processes: 3, on: server
  jobs.0.phases.0: no message server is on server in stations, to bring edges
- rows: 20, columns: 20 => rows: 1, columns: 1
  jobs.0.phases.0.rows: 1 x 1 points cannot be divided in 2 blocks; write more points
- rows: 20, columns: 20, loops: 2 => rows: 100000, columns: 100000, loops: 900
  jobs.0.phases.0.rows: 100000 x 100000 points take so long that servers would poll
- processes: 2 => processes: 2, nodes: 2
  jobs.0.phases.0.do: mesh is not for processes whose data are on several nodes
- processes: 2 => arrivals: {every: 1 s, count: 2, out: 2}
  jobs.0.arrivals: processes that serve arrivals do not meet, so they cannot do mesh
- processes: 2 => processes: 2, per_node: 2
  jobs.0.processes: node 0 has a process of a that computes, and its processor is for
- do: mesh, rows: 20, columns: 20, loops: 2 => do: solve, problem: linpack, n: 9, server: big
  jobs.0.phases.0: stations has no numerical server; write one in services
""")
WITH_CALLS = changes_in(r"""
- site: here, conversion: 2 => site: hare, conversion: 2
  services.clients.site: 'hare'
- at: small, site => at: client, site
  services.small.at: client has more than one node
- at: small, site => at: files, site
  services.small.at: no part of kind timeshare is
- network: net => network: nut
  sites.here.network: 'nut' is not a part of kind link
- network: net => network: disk
  sites.here.network: disk is a disk; write a part of
- network: net => network: nic
  sites.here.network: nic is one of each node; write
- pes: 4} => pes: 4, gang: 0 %}
  parts.big-pes.gang: '0 %' hardly moves; write 1 %
- libraries: {lib: {problem: linpack, speed: 1 Mop/s}} => libraries: {}
  services.big.
- on: client => on: client, launched: true
  jobs.0.launched: no process server is on client in servers, to make processes
- on: client => on: files
  jobs.0.phases.0: servers does not say what calls cost files; write in services
- , server: big =>
  jobs.0.phases.0: server is missing; write it like 'server: j90', or 'choose: load'
- server: big => server: bug
  jobs.0.phases.0.server: 'bug' is not a numerical server of servers; did you mean
- n: 9 => n: 9, library: lob
  jobs.0.phases.0.library: 'lob' is not a library of big; did you mean 'lib'?
- problem: linpack, n: 9 => problem: ep, n: 9
  jobs.0.phases.0.problem: no library of big solves ep; write another problem
- problem: linpack, n: 9 => problem: ep, n: 9, library: lib
  jobs.0.phases.0.problem: the library lib solves linpack, not ep; write another
- n: 9 => n: 9, site: there
  jobs.0.phases.0.site: 'there' is not a site of servers
- n: 9 => n: 200000
  jobs.0.phases.0.n: '200000' is too large for linpack; write 1 to 100000
""")
WITH_TRIALS = changes_in(r"""
- every: 1 s => every: 0 s
  jobs.0.phases.0.every: '0 s' would be endless trials; write it like '3 s'
- duration: 9 s => duration: 0 s
  jobs.0.phases.0.duration: '0 s' leaves no time for a call
- every: 1 s => every: 1 us
  jobs.0.phases.0.every: '1.00 us' would be 9,000,000 trials; write 9.00 us or
""")


@pytest.mark.parametrize(
    ("machine", "keys", "old", "new", "about"),
    [
        *((STATIONS, MESH, *case) for case in WITH_MESH),
        *((SERVERS, CALL, *case) for case in WITH_CALLS),
        *((SERVERS, TRIALS, *case) for case in WITH_TRIALS),
    ],
)
def test_what_is_wrong_is_one_error(
    machine: str, keys: str, old: str, new: str, about: str
) -> None:
    assert machine.count(old) + keys.count(old) == 1
    assert told(machine.replace(old, new), job(keys.replace(old, new))).startswith(about)


def test_sites_without_a_line_between_them() -> None:
    machine = SERVERS.replace("{network: net}}", "{network: net}, far: {network: net}}")
    work = job(CALL.replace("n: 9", "n: 9, site: far"))
    about = "jobs.0.phases.0.site: big is at here, and the site far has no line; write one in sites"
    assert told(machine, work) == about

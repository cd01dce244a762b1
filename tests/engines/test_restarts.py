"""Jobs that fail and go on from their last checkpoint, by hand, on both engines."""

from __future__ import annotations

import pytest

from simulator.native.run import run_native
from simulator.plan.errors import LimitError
from simulator.reference.run import run_reference
from simulator.result.restarts import RestartResult
from simulator.result.result import Result
from tests.reference.runs import both, ends, planned

S = 10**9
MACHINE = """
nodes: {node: 2}
parts:
  cpu: {kind: cpu, copy_rate: 4000 PB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  disk: {kind: disk, at: node, rate: 100 MB/s}
filesystems: {fs: [disk]}
"""
JOBS = """
files: {state: {size: 100 MB}}
jobs:
  - name: job
    processes: %d
    record: 10 MB
    policy: posix
    repeat: 3
    restart: {%s}
    phases: [%s]
"""
ROUND = "{do: compute, time: 10 s}, {do: write, file: state}"


def run(restart: str, phases: str = ROUND, *, processes: int = 1) -> Result:
    return both(planned(MACHINE, JOBS % (processes, restart, phases)))


# A round computes for 10 s and writes ten calls of 0.1 s. After a failure 5 s pass, and the
# checkpoint is read back in 1 s.
@pytest.mark.parametrize(
    ("at", "end_s", "failures", "lost_s", "down_s"),
    [
        ("1 h", 33, 0, 0, 0),
        # While it computes: the second round has been under way for 4 s.
        ("15 s", 15 + 5 + 1 + 22, 1, 4, 5),
        # While it writes: the call that is under way ends at 21.6 s, and the checkpoint is none.
        ("21.55 s", 21.6 + 5 + 1 + 22, 1, 10.55, 5.05),
        # There is no checkpoint yet: nothing is read.
        ("3 s", 3 + 5 + 33, 1, 3, 5),
        # It fails again before it goes on, and while it reads.
        ("15 s, 18 s", 18 + 5 + 1 + 22, 2, 4, 8),
        ("15 s, 20.5 s", 20.5 + 5 + 1 + 22, 2, 4.5, 10),
        # A checkpoint that ends in the nanosecond of the failure is none; nor is one a ns later.
        ("11 s", 11 + 5 + 33, 1, 11, 5),
        # Failures after its end, and two at once.
        ("33.5 s", 33, 0, 0, 0),
        ("15 s, 15 s", 15 + 5 + 1 + 22, 2, 4, 5),
    ],
)
def test_a_failure_loses_what_follows_the_last_checkpoint(
    at: str, end_s: float, failures: int, lost_s: float, down_s: float
) -> None:
    result = run(f"at: [{at}], delay: 5 s")
    assert ends(result) == [round(end_s * S)]
    counted = RestartResult("job", failures, round(lost_s * S), round(down_s * S))
    assert result.restarts == [counted]


def test_time_of_a_restart_is_that_of_a_phase() -> None:
    result = run("at: [15 s], delay: 5 s")
    (restart,) = [one for one in result.phases if one.what == "restart"]
    assert (restart.passes, restart.time_ns, restart.read) == (1, 6 * S, 100_000_000)
    (process,) = result.processes
    assert (process.compute_ns, process.idle_ns) == (34 * S, 5 * S)
    assert (process.read.bytes, process.write.bytes) == (100_000_000, 300_000_000)


OTHER = """
  - name: other
    first_node: 1
    record: 100 MB
    policy: posix
    phases: [{do: compute, time: %s}, {do: write, file: state}]
"""
"""A job whose one call of 1 s delays rank 1 of the other."""


def test_a_round_is_complete_when_all_processes_have_ended_it() -> None:
    """Rank 0 ends the first round at 11 s; rank 1 writes from 10.5 s on, and ends it at 11.5 s."""
    jobs = JOBS % (2, "at: [%s], delay: 1 s", ROUND) + OTHER % "9.5 s"
    result = both(planned(MACHINE, jobs % "11.25 s"))
    assert ends(result)[:2] == [round((11.3 + 1 + 33) * S)] * 2
    assert result.restarts == [RestartResult("job", 1, round(11.25 * S), round(1.05 * S))]
    result = both(planned(MACHINE, jobs % "11.6 s"))
    assert ends(result)[:2] == [round((11.6 + 1 + 1 + 22) * S)] * 2
    assert result.restarts == [RestartResult("job", 1, round(0.1 * S), S)]


def test_a_process_that_waits_at_a_barrier_stops_too() -> None:
    """Rank 0 is there at 1 s; rank 1 makes its fifth call from 1.4 s to 1.5 s."""
    phases = "{do: write, file: state}, {do: barrier}, {do: compute, time: 10 s}"
    jobs = JOBS % (2, "at: [1.45 s]", phases) + OTHER % "0 s"
    result = both(planned(MACHINE, jobs))
    assert ends(result)[:2] == [round((1.5 + 33) * S)] * 2


def test_loops_begin_anew() -> None:
    phases = "{do: loop, times: 5, phases: [{do: compute, time: 2 s}]}, {do: write, file: state}"
    # At 16 s the second round has computed for 5 s, in the third of five passes.
    assert ends(run("at: [16 s], delay: 5 s", phases)) == [(16 + 5 + 1 + 22) * S]


def test_drawn_failures_follow_from_the_seed_and_the_number_of_nodes() -> None:
    text = JOBS % (2, "mtbf: 60 s, delay: 1 s", ROUND)
    one, again = (both(planned(MACHINE, text, seed=7)).restarts for _ in range(2))
    other = both(planned(MACHINE, text, seed=8)).restarts
    assert one == again != other
    plan = planned(MACHINE, text)
    assert plan.restarts[0].mean_ns == 30 * S


def test_a_job_that_never_completes_a_checkpoint_ends() -> None:
    plan = planned(MACHINE, JOBS % (1, "mtbf: 1 s, delay: 1 min", ROUND))
    for engine in (run_reference, run_native):
        with pytest.raises(LimitError, match="failures of job between two checkpoints exceeds"):
            engine(plan)

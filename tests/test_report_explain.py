"""The explanation of a run is about that run: another cause, another sentence and advice."""

import pytest

from simulator.report.evidence import Evidence
from simulator.report.explain import explain
from simulator.simulate import load_plan, run_plan

SMALL_INPUT = ("workload.files.input.size", "16 MB")
NOT_PRESTAGED = ("workload.files.input.prestage", "false")


def explained(workload: str, *settings: tuple[str, str], seed: int | None = None) -> list[str]:
    made = load_plan("nwt", workload, settings=settings, seed=seed or 0, noisy=seed is not None)
    return explain(run_plan(made), made)


@pytest.mark.parametrize(
    ("workload", "settings", "cause", "advice"),
    [
        ("test-write", [], "goes back to a record length waits", "--policy nwt-predicted"),
        (
            "test-write",
            [("policy", "nwt-predicted"), ("share", "8 MB")],
            "a file has exceeded its quota of the SSU (8 MB)",
            "a larger quota (--share SIZE), or more disks",
        ),
        (
            "test-write",
            [
                ("policy", "nwt-predicted"),
                ("ssu", "64 MB"),
                ("share", "64 MB"),
                ("machine.ssu.write_rate", "421 MB/s"),
            ],
            "the SSU (64 MB) is full of units that are not yet on disk",
            "a larger SSU (--ssu SIZE)",
        ),
        (
            "test-read",
            [SMALL_INPUT, NOT_PRESTAGED],
            "the input is not in the SSU when it is read",
            "--set workload.files.input.prestage=true",
        ),
        (
            "test-read",
            [("ssu", "256 MB")],
            "not all of the prestaged input is still in the SSU",
            "a larger SSU (--ssu SIZE)",
        ),
        ("test-read", [SMALL_INPUT], "flushing and refilling Fortran buffers", "(--buffer SIZE)"),
        (
            "test-read",
            [SMALL_INPUT, ("record", "100 B"), ("buffer", "8 MB")],
            "executing READ and WRITE statements",
            "(--record SIZE)",
        ),
        ("test-read", [SMALL_INPUT, ("policy", "flang")], "one per record", "(--record SIZE)"),
        (
            "test-read",
            [SMALL_INPUT, ("buffer", "8 MB"), ("machine.pe.copy_rate", "50 MB/s")],
            "copying between user data and Fortran buffers, at 50.0 MB/s",
            "machine.pe.copy_rate",
        ),
        (
            "test-read",
            [("workload.files.input.size", "1 MB"), NOT_PRESTAGED, ("path", "nfs")],
            "goes to NFS, over a LAN of 1.25 MB/s",
            "--path scfs",
        ),
        (
            "test-read",
            [SMALL_INPUT, ("machine.ssu.read_rate", "20 MB/s")],
            "ssu.read is the slowest resource",
            "20.0 MB/s (19.1 MiB/s) each",
        ),
    ],
)
def test_the_largest_cause_comes_first(
    workload: str, settings: list[tuple[str, str]], cause: str, advice: str
) -> None:
    first = explained(workload, *settings)[0]
    assert cause in first
    assert advice in first


def test_a_read_back_is_told_apart_from_a_fetch() -> None:
    made = load_plan("nwt", "test-write", settings=[("buffer", "8 MB")])
    result = run_plan(made)
    told = explain(result, made)
    units = result.cache["read_back"]
    assert f"read back from disk, because a write changes part of it ({units} units)" in told[1]
    assert not any("not in the SSU when it is read" in one for one in told)


def test_clients_that_queue_are_told_where() -> None:
    few = [SMALL_INPUT, ("clients", "12"), ("machine.ssu.channels", "1")]
    told = explained("test-read", *few, ("machine.ssu.read_rate", "50 MB/s"), seed=1)
    assert "clients wait for each other at ssu.read" in told[0]
    assert "machine.ssu.channels=N" in told[0]


def test_nfs_clients_that_queue_at_the_disks() -> None:
    settings = [("workload.files.input.size", "200 kB"), NOT_PRESTAGED, ("path", "nfs")]
    settings += [("clients", "8"), ("machine.lan.rate", "1 GB/s"), ("machine.lan.latency", "0 s")]
    settings += [("machine.storage.array.rate", "500 kB/s"), ("machine.nfs.server_overhead", "0 s")]
    told = explained("test-read", *settings, seed=1)
    assert "wait for each other at array0" in told[0]
    assert "--disks N" in told[0]


def test_at_most_two_sentences_and_at_least_one() -> None:
    assert len(explained("test-write-parallel")) == 2
    assert len(explained("test-read", SMALL_INPUT, ("policy", "flang"))) == 1


def test_the_shares_are_those_of_the_run() -> None:
    made = load_plan("nwt", "test-write")
    result = run_plan(made)
    wait_ns, _ = result.clients[0].parts["ssu.writeback"]
    share = f"{100 * wait_ns / result.elapsed_ns:.1f} % of the time"
    assert share in explain(result, made)[0]
    assert f"({result.cache['rewrites_waited']:,} such waits;" in explain(result, made)[0]


def test_estimates_of_the_processors_work_are_near_it() -> None:
    made = load_plan("nwt", "test-read", settings=[SMALL_INPUT])
    result = run_plan(made)
    run = Evidence(result, made)
    copied = 16e6 / made.machine.pe.copy_rate * 1e9
    estimate = run.turns_ns() + run.statements_ns() + copied
    assert estimate == pytest.approx(run.of("pe*"), rel=0.1)

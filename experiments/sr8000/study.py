"""The SR8000 study: its figures and claims from simulated runs, with the tables behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simulator.report.lined import ruled
from simulator.study.experiment import Experiment
from simulator.study.ledger import Ledger
from simulator.study.work import Work

from .claims import CLAIMS
from .runs import (
    GAPS,
    INTERFACES,
    METHOD,
    MOST,
    OPERATIONS,
    PROCESSES,
    Sr8000Runs,
)

if TYPE_CHECKING:
    from simulator.run import EngineName
    from simulator.study.change import Change

NAME = "sr8000"
RUNS = 83
"""Number of simulated runs of the study."""

FIGURES: dict[str, Callable[[Sr8000Runs], float]] = {
    "write-fv-ut": lambda runs: runs.ratio("write", "fv", "ut"),
    "write-col-fv": lambda runs: runs.ratio("write", "col", "fv"),
    "write-col-ut": lambda runs: runs.ratio("write", "col", "ut"),
    "read-fv-ut": lambda runs: runs.ratio("read", "fv", "ut"),
}


# -- tables for people --------------------------------------------------------------------------


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    drawn = ruled(head, rows)
    return f"{title}\n{drawn}"


def _cases(runs: Sr8000Runs, operation: str) -> str:
    """Return the throughput as in figures 5 and 6: UT with 2 processes is 1."""
    unit = runs.rate(operation, "ut", PROCESSES[0])
    rows = []
    for interface in INTERFACES:
        rates = [runs.rate(operation, interface, count) for count in PROCESSES]
        shown = [f"{rate / unit:.2f}" for rate in rates] + [f"{rate / 1e6:.1f}" for rate in rates]
        rows.append([{"col": "FV+COL"}.get(interface, interface.upper()), *shown])
    head = [operation, *(f"{n} processes" for n in PROCESSES), *(f"{n}: MB/s" for n in PROCESSES)]
    return _table(f"{operation.upper()}: throughput, UT with 2 processes = 1", head, rows)


def _methods(runs: Sr8000Runs) -> str:
    """Return the cost of each method of a collective call."""
    rows = []
    for operation in OPERATIONS:
        for method in ("disk-directed", "server-directed", "two-phase"):
            result = runs.case(operation, "col", MOST, (METHOD, method))
            rows.append(
                [
                    f"{operation} {method}",
                    f"{result.elapsed_ns / 1e9:.2f}",
                    f"{result.sent / 2**20:.0f}",
                    f"{result.messages}",
                    f"{result.copied / 2**20:.0f}",
                    f"{result.memory / 2**20:.1f}",
                    f"{result.calls}",
                ]
            )
    head = [
        "8 processes",
        "s",
        "MiB between nodes",
        "messages",
        "MiB copied",
        "MiB of buffers",
        "calls",
    ]
    return _table("Implementations of a collective call", head, rows)


def _gaps(runs: Sr8000Runs) -> str:
    """Return data sieving over gaps."""
    rows = []
    for gap in GAPS:
        times = [runs.sieved(gap, one).elapsed_ns / 1e9 for one in ("sieving", "seek", "stride")]
        useful = 16 / (16 + gap)
        rows.append([str(gap), *(f"{one:.2f}" for one in times), f"{100 * useful:.1f} %"])
    head = ["gap, KiB", "sieving, s", "a call each, s", "stride I/O, s", "useful"]
    slower = [f"{runs.break_even_KiB(one):.0f} KiB" for one in ("seek", "stride")]
    return (
        _table("Pieces of 16 KiB with gaps, one process reads 32 MiB", head, rows)
        + f"\nSieving is slower than a call each from gaps of {slower[0]}, than stride I/O"
        + f" from {slower[1]}."
    )


def start(
    runs: int | None, seed: int, engine: EngineName, work: Work, change: Change
) -> Sr8000Runs:
    """Return the runs; they are deterministic, so each is made once, for any ``runs``."""
    del runs
    return Sr8000Runs(engine, seed, work, change)


def _blocks(runs: Sr8000Runs, _ledger: Ledger) -> tuple[str, ...]:
    return (*(_cases(runs, one) for one in OPERATIONS), _methods(runs), _gaps(runs))


STUDY = Experiment(
    name=NAME, start=start, size=lambda _runs: RUNS, figures=FIGURES, claims=CLAIMS, blocks=_blocks
)

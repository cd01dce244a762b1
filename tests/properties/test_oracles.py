"""Machines against theory: every row of the oracle table agrees, and could have disagreed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest

from simulator.machine import maxmin
from simulator.machine.paging import PagingSpec
from simulator.machine.station import ServiceSpec
from simulator.machine.timeshare import ONE, CpuSpec, LoadAverage
from simulator.reference.parts.disk import Disk
from simulator.reference.parts.part import Load, Station
from simulator.reference.parts.processor import Processor
from simulator.reference.parts.queue import Queue
from simulator.reference.stores.lru import Lru
from simulator.study import oracle_table, oracles, oracles_messages, oracles_servers
from simulator.study import oracles_storage as storage
from simulator.study.oracle_rows import OracleRow, batch_error, ratio_row
from simulator.study.oracle_runs import Bench, Series
from simulator.study.oracle_table import BOTH, REFERENCE, joined

Rows = Callable[[Bench], Iterable[OracleRow]]

WANTED = {f"O{n}" for n in (*range(1, 21),)}
"""All of the project's list that are about parts that the simulator has."""


def disagreeing(rows: Iterable[OracleRow]) -> list[str]:
    return [
        f"{row.id} {row.name}: {row.simulated:.7g} instead of {row.expected:.7g} "
        f"(within {row.tolerance:.2g})"
        for row in rows
        if not row.ok
    ]


def slow(divisor: int) -> Bench:
    return Bench("reference", divisor)


@pytest.mark.parametrize("rows", BOTH)
@pytest.mark.compiled("simulator.native.engine")
def test_some_samples_agree_on_the_native_engine(rows: Rows) -> None:
    assert disagreeing(rows(Bench("native", 50))) == []


@pytest.mark.parametrize("rows", BOTH)
def test_some_samples_agree_on_the_reference_engine(rows: Rows) -> None:
    assert disagreeing(rows(slow(1000))) == []

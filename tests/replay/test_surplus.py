"""What the system took in calls beside what their replay takes goes with calls that go."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from simulator.plan.codes import OPEN, WRITE
from simulator.replay.computing import with_surplus
from simulator.workload.libraries import LibraryCosts
from tests.answers.programs import END, Row, traced

ROWS: list[Row] = [(OPEN, "f", 0, 0), *((WRITE, "f", at, 1) for at in range(98))]


def done(system_ns: int, *, faults: int = 0, starts: int = 0, served: int = 50_000) -> Any:
    """A replay of 100 calls that take ``served``, while its process waited for another one."""
    made = traced({"a": [*ROWS, END]})
    process = SimpleNamespace(spent={"memory": (900_000, served), "others": (0, 700_000)})
    return SimpleNamespace(
        placed=SimpleNamespace(traced=made),
        record=SimpleNamespace(
            untraced=SimpleNamespace(system_ns=system_ns, faults=faults),
            fault_ns=100.0,
            start_ns=1_000.0,
        ),
        plan=SimpleNamespace(columns=["memory", "others"], others_column=1),
        result=SimpleNamespace(masters=lambda: [process]),
        observed=SimpleNamespace(spent=SimpleNamespace(starts=starts)),
    )


@pytest.mark.parametrize(
    ("replay", "each"),
    [
        (done(80_000), 300),
        (done(80_000, faults=100, starts=10), 100),
        (done(40_000), 0),
        (done(800_000), 500),  # At most as much as the calls take.
    ],
    ids=["30 us of 100 calls", "but for pages and programs", "none", "much"],
)
def test_each_call_has_its_part_of_what_the_system_took_in_addition(replay: Any, each: int) -> None:
    (client,) = with_surplus(replay).clients
    assert client.library == LibraryCosts(each, 2 * each, each)


def test_a_program_that_was_not_timed_without_its_tracer_has_none() -> None:
    replay = done(80_000)
    replay.record.untraced = None
    assert with_surplus(replay) is replay.placed.traced
    replay.record = None
    assert with_surplus(replay) is replay.placed.traced

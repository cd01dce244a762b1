"""What goes into the kernel and comes out of it: columns by the names of its layout, and errors."""

from __future__ import annotations

import ast
import inspect
from array import array
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.kinds import names, stem_of
from simulator.native import kernel, outcome, totals
from simulator.native import run as native
from simulator.native.columns import columns_of
from simulator.native.run import run_native
from simulator.native.tables import LAYOUT
from simulator.plan.codes import TIERS
from simulator.plan.errors import LimitError, SimulationError
from tests.draws.plans.draw import plan_of
from tests.draws.registry import kinds_of
from tests.engines.hand import Hand
from tests.engines.test_limits import writers

DRAWN = 100
ROOT = Path(__file__).resolve().parents[2]

# -- the layout ---------------------------------------------------------------------------------


def test_the_kernel_has_the_kinds_that_there_are() -> None:
    assert tuple(LAYOUT["tiers"]) == TIERS
    assert set(LAYOUT["policies"]) == set(names("policies", "reference"))
    assert set(LAYOUT["runtimes"]) == {"flang", "gfortran", "nwt", "nwt-predicted", "posix"}
    written = (ROOT / "simulator" / "kinds" / "parts").glob("*/native.hpp")
    assert {stem_of(name) for name in LAYOUT["parts"]} == {path.parent.name for path in written}
    assert set(names("parts", "reference")) >= set(LAYOUT["parts"])


@pytest.mark.slow
def test_draws_reach_every_kind_that_the_kernel_has() -> None:
    found = {kind for seed in range(300) for kind in kinds_of(plan_of(seed))}
    for what, layout in (("part", "parts"), ("policy", "policies"), ("tier", "tiers")):
        wanted = {(what, name) for name in LAYOUT[layout]} - {("tier", "failed")}
        assert wanted <= found, wanted - found


def own_of(table: str) -> set[str]:
    return {f"{table}.{field}" for field in LAYOUT["tables"][table]}


def test_the_columns_of_a_plan_are_those_of_the_layout() -> None:
    """Each has the form that it is to have; those beside the tables are named here."""
    made = columns_of(plan_of(3))
    tables = set().union(*map(own_of, LAYOUT["tables"]))
    events = {
        f"{name}.{field}"
        for name in ("disk_failing", "disk_slow")
        for field in LAYOUT["tables"]["event"]
    }
    operations = {
        f"operation.{field}"
        for field in ("kind", "file", "offset", "size", "gap", "column", "path")
    }
    lists = {
        *("place", "speed", "factor", "disk", "edge", "cost", "barrier", "exponential"),
        *("arrival_time", "named.memory", "listed_length", "listed_call", "listed_first"),
        *("batch_limit", "restart_time"),
    }
    assert made.keys() == tables | events | operations | lists
    for table, fields in LAYOUT["tables"].items():
        for field, form in fields.items():
            assert memoryview(made[f"{table}.{field}"]).itemsize == 8, (table, field)
            assert (memoryview(made[f"{table}.{field}"]).format == "d") == (form == "d")


def test_a_column_that_is_missing_is_named() -> None:
    """Every one; without any, the first that is looked for."""
    made = columns_of(plan_of(3))
    for name in made:
        with pytest.raises(ValueError, match=rf"^there is no column {name.replace('.', '[.]')}$"):
            kernel.Run({other: column for other, column in made.items() if other != name})
    with pytest.raises(ValueError, match=r"there is no column plan\.instances"):
        kernel.Run({})


def test_a_column_that_the_kernel_does_not_know_is_named() -> None:
    made = columns_of(plan_of(3))
    with pytest.raises(ValueError, match=r"nothing reads: part\.colour"):
        kernel.Run({**made, "part.colour": array("q", [1])})


def test_a_column_of_another_length_is_named() -> None:
    made = columns_of(plan_of(3))
    for name in ("part.servers", "tier.width", "store.slots", "process.start_ns"):
        longer = made[name] + made[name][:1]
        with pytest.raises(ValueError, match=rf"column {name.replace('.', '[.]')} "):
            kernel.Run({**made, name: longer})
    with pytest.raises(ValueError, match="table plan has not one row"):
        kernel.Run(
            {name: made[name][:0] if name.startswith("plan.") else made[name] for name in made}
        )


def test_what_is_no_column_is_no_crash() -> None:
    with pytest.raises(TypeError):
        kernel.Run([])
    with pytest.raises(TypeError):
        kernel.Run({"plan.instances": 3})
    with pytest.raises(TypeError):
        kernel.Run({3: array("q")})


# -- what comes out -----------------------------------------------------------------------------


def ended(plan: Any) -> kernel.Run:
    run = kernel.Run(columns_of(plan))
    while not run.advance(1 << 20):
        pass
    run.finish()
    return run


def fields_read(*modules: Any) -> Iterable[tuple[str, str]]:
    """Yield the tables that modules read, and the fields that they read of one by its name."""
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            inner = node.value if isinstance(node, ast.Attribute) else node
            if not isinstance(inner, ast.Subscript) or not isinstance(inner.slice, ast.Constant):
                continue
            if ast.unparse(inner.value).endswith("tables"):
                yield inner.slice.value, node.attr if isinstance(node, ast.Attribute) else ""


def test_the_tables_that_are_read_are_there_with_their_fields() -> None:
    run = ended(plan_of(3))
    found = set(fields_read(outcome, totals))
    assert len({table for table, _ in found}) > 10
    for table, field in found:
        made = run.table(table)
        assert not field or field in made or field == "row", (table, field)
        assert len({len(column) for column in made.values()}) <= 1 or table in {
            "latency",
            "job_latency",
            "response",
        }


def test_a_table_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="there is no table colours"):
        ended(plan_of(3)).table("colours")


def test_a_field_that_a_table_has_not_is_named() -> None:
    with pytest.raises(AttributeError, match="colour"):
        _ = outcome.Table({"size": bytes(8)}).colour


# -- a run --------------------------------------------------------------------------------------


@pytest.mark.parametrize("stretch", [1, 7, 1000])
def test_a_run_that_is_left_now_and_then_goes_on(
    stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(0, DRAWN, 10):
        plan = plan_of(seed)
        try:
            whole = run_native(plan)
        except (LimitError, SimulationError):
            continue
        with monkeypatch.context() as patch:
            patch.setattr(native, "STRETCH", stretch)
            assert run_native(plan) == whole, seed


def test_of_equal_times_the_lowest_number_is_first() -> None:
    """Processes that begin together are served in their order, whatever ran before."""
    plan = writers([10] * 30, rate=1e9).plan()
    ends = [one.ended_ns for one in run_native(plan).processes]
    assert ends == [10 * number for number in range(1, 31)]
    late = [replace(one, start_ns=5 * (number % 2)) for number, one in enumerate(plan.processes)]
    ends = [one.ended_ns for one in run_native(replace(plan, processes=tuple(late))).processes]
    assert sorted(ends[::2]) == ends[::2] < ends[1::2] == sorted(ends[1::2])


def test_an_interrupt_is_heard_between_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    class StopError(Exception):
        pass

    def stop() -> bool:
        raise StopError

    monkeypatch.setattr(native, "STRETCH", 1)
    plan = next(plan for seed in range(50) if len((plan := plan_of(seed)).processes) > 1)
    with pytest.raises(StopError):
        run_native(plan, stopped=stop)


def test_an_interrupt_is_heard_within_a_stretch() -> None:
    """Also where one event has millions of steps: each seek is nothing but a step."""
    hand = Hand(node=1)
    hand.path("fs", [])
    hand.file("f", "fs", 1, length=1)
    hand.process("p", hand.listed(("seek", "f", 0, 0)), repeat=10**12)
    asked: list[int] = []

    def soon() -> bool:
        asked.append(0)
        return len(asked) > 2

    with pytest.raises(KeyboardInterrupt):
        run_native(hand.plan(), stopped=soon, fast_forward=False)
    assert len(asked) == 3

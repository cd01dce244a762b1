"""The account of a run for people: nothing is lost in it."""

import re
from random import Random

import pytest

from simulator.engine.plan import Plan
from simulator.engine.result import Result
from simulator.report.evidence import Evidence
from simulator.report.explain import explain
from simulator.report.run import run_text
from simulator.report.where import Kinds, masters, spent_by, where_text
from simulator.simulate import load_plan, run_plan
from simulator.study.inputs import load_inputs
from tests.plans import Draw, a_file, compute, job, phase, plan


def ran(workload: str, *settings: tuple[str, str], seed: int | None = None) -> tuple[Result, Plan]:
    made = load_plan("nwt", workload, settings=settings, seed=seed or 0, noisy=seed is not None)
    return run_plan(made), made


def by_hand(*jobs: object, **files: object) -> tuple[Result, Plan]:
    made = plan(*jobs, files=[a_file(1000, prestaged=True)], **files)  # type: ignore[arg-type]
    return run_plan(made), made


class TestWhere:
    @pytest.mark.parametrize("number", range(40))
    def test_rows_add_up_on_any_machine(self, number: int) -> None:
        made = Draw(Random(number)).plan()
        result = run_plan(made)
        clients = masters(result, made)
        rows = spent_by(clients, Kinds(made))
        assert sum(row.total_ns for row in rows) == sum(one.elapsed_ns for one in clients)
        assert rows == sorted(rows, key=lambda row: -row.total_ns)
        elapsed = Evidence(result, made).total_ns
        assert ("100.0 %" in where_text(result, made)) == (elapsed > 0)
        assert all(one.endswith(".") for one in explain(result, made))

    def test_a_client_by_hand(self) -> None:
        result, made = by_hand(job(compute(500), phase("read", 92)))
        rows = {row.kind: row for row in spent_by(masters(result, made), Kinds(made))}
        # A record of 92 B is 100 B in the file, one unit, and in the buffer at once.
        assert rows["computing"].service_ns == 500
        assert rows["ssu.read"].service_ns == 20 + 3 * 100
        assert rows["pe*"].service_ns == (10 + 92) + (100 + 1000)
        assert result.elapsed_ns == 500 + 320 + 1202

    def test_many_clients_are_added_up(self) -> None:
        result, made = ran("test-read", ("clients", "9"), ("workload.files.input.size", "8 MB"))
        text = where_text(result, made)
        assert text.startswith("9 clients")
        assert "elapsed" not in text
        total = sum(one.elapsed_ns for one in masters(result, made))
        assert text.endswith(f"= {total / 1e9:.2f} s client time")
        assert result.elapsed_ns < total / 8
        assert "least" in text

    def test_times_are_in_one_unit_with_their_points_in_line(self) -> None:
        result, made = ran("test-read", ("clients", "9"), ("workload.files.input.size", "8 MB"))
        head, _, *rows = where_text(result, made).splitlines()
        assert "waiting (s)" in head
        assert "service (s)" in head
        places = {row.index(".", row.index(" ")) for row in rows if row.split()[1] != "-"}
        assert len(places) == 1

    def test_a_few_clients_have_a_table_each(self) -> None:
        result, made = ran("test-read", ("clients", "3"), ("workload.files.input.size", "8 MB"))
        assert where_text(result, made).count("elapsed") == 3

    def test_parts_of_one_kind_are_one_row(self) -> None:
        made = load_plan("nwt", "test-read-parallel")
        kinds = Kinds(made)
        found = [kinds.kind(one) for one in ("pe3", "pe12.out", "array0", "disk19", "ssu.read")]
        assert found == ["pe*", "pe*.out", "array*", "disk*", "ssu.read"]
        assert kinds.storage == {"frontend.paths", "array*", "disk*", "tape*", "cartridge*"}


class TestRunText:
    def test_other_pes_are_told_of(self) -> None:
        given = load_inputs("nwt", "test-read-parallel")
        made = load_plan(given.machine, given.workload)
        text = run_text(run_plan(made), made, given.machine)
        assert "(test/1 to test/3) wait for it 9" in text
        assert "65 units prestaged" in text
        assert re.search(r"Unsourced values of the machine: \d+ assumed", text)

    def test_many_clients_in_all(self) -> None:
        settings = [("clients", "9"), ("workload.files.input.size", "8 MB")]
        given = load_inputs("nwt", "test-read", settings)
        made = load_plan(given.machine, given.workload, seed=1, noisy=True)
        text = run_text(run_plan(made), made, given.machine)
        assert "9 clients together read 72 MB: " in text
        assert "\nslowest " in text
        assert "seed 1;" in text

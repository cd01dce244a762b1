"""The report of a run on any machine: nothing is lost in it, and it stays small."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from simulator.plan.codes import POISSON
from simulator.plan.jobs import ArrivalsPlan
from simulator.plan.parts import NoisePlan, StorePlan
from simulator.plan.plan import Plan
from simulator.report.accounts import Columns, spent_by
from simulator.report.causes import causes_text
from simulator.report.forms import FORMAT
from simulator.report.outcome import Outcome, answer
from simulator.report.report import written
from simulator.report.tables import used_parts
from simulator.result.jobs import by_job
from simulator.result.record import record_of
from simulator.result.result import ProcessResult, Result, Stable, Transfer
from simulator.units import format_time
from tests.verification.handmade import US, a_plan, a_result, latency


def text_of(result: Result, plan: Plan | None = None) -> str:
    return written("table", Outcome(plan or a_plan(), result))


def section(text: str, head: str) -> list[list[str]]:
    """The cells of the table below a headline."""
    lines = text.split(f"{head}\n\n")[1].split("\n\n", maxsplit=1)[0].splitlines()
    return [re.split(r"  +", line.strip()) for line in lines if not line.startswith("-")]


# -- for people ---------------------------------------------------------------------------------


def test_the_answer_stands_first() -> None:
    result = a_result()
    result.end_ns += 500
    result.stable = {"write": Stable(100, 30_000)}
    assert answer(result) == (
        "elapsed 35.5 us; write-back continued for another 500 ns\n"
        "read 50 B in 15.5 us: 3.23 MB/s (3.08 MiB/s)\n"
        "wrote 100 B in 2.00 us: 50.0 MB/s (47.7 MiB/s) seen by the program,"
        " with syncs and closes\n"
        "to stable storage: 100 B in 15.0 us: 6.67 MB/s (6.36 MiB/s), with write-back"
    )
    lines = text_of(result).splitlines()
    assert lines[0] == "both on pair; processes are not limited by processors (no 'cores')"
    assert lines[3].startswith("elapsed 35.5 us")


def test_the_title_the_seed_and_the_sources_are_told() -> None:
    result = a_result()
    result.noisy, result.seed = True, 7
    result.why, result.prestage_ns = "auto: it supports the whole plan", 3 * US
    outcome = Outcome(a_plan(), result, "two clients", {"paper": 3, "assumed": 1200})
    text = written("table", outcome)
    assert text.startswith("both on pair (two clients); processes are not limited by processors")
    assert text.splitlines()[1] == "seed 7; native engine; input 0123456789ab"
    assert text.endswith(
        "Engine: native (auto: it supports the whole plan).\n"
        "Prestaging happened before the start and is not included: 3.00 us.\n"
        "Sources of the values: 3 paper, 1,200 assumed (nwtsim show pair).\n"
    )


def test_each_job_has_a_row_and_an_account_that_adds_up() -> None:
    text = text_of(a_result())
    assert re.search(r"write +1 +29.0 us +- +- +- +100 B +2.00 us +50.0 MB/s", text)
    accounts = text.split("Where the time went\n\n")[1]
    assert "= 29.0 us elapsed" in accounts
    assert "= 35.5 us elapsed" in accounts
    rows = spent_by(by_job(a_result())[1], Columns(a_plan()))
    assert [(row.column, row.wait_ns, row.service_ns) for row in rows] == [
        ("computing", 0, 20_000),
        ("disk", 5_000, 5_000),
        ("cpu", 0, 5_000),
        ("nic.out", 0, 500),
    ]
    assert sum(row.total_ns for row in rows) == 35_500
    assert rows[1].what == "disk; at server"


def many(count: int, jobs: int = 1) -> Result:
    """Processes of which process i waits for i ns in 1000."""
    result = a_result()
    result.processes = [
        ProcessResult(
            name=f"p.{number}",
            job=f"job{number % jobs}",
            started_ns=0,
            ended_ns=1000,
            read=Transfer(10, 100, 0, 100),
            write=Transfer(),
            compute_ns=1000 - number,
            idle_ns=0,
            spent={"disk": (number, 0)},
        )
        for number in range(count)
    ]
    return result


def test_a_thousand_processes_are_as_long_as_five_hundred() -> None:
    few, lots = text_of(many(500)), text_of(many(1000))
    assert len(lots.splitlines()) == len(few.splitlines())
    assert "job0: 1,000 processes" in lots
    # The first never waits, the last for 999 of its 1000 ns; the mean is half of it.
    row = next(line for line in lots.splitlines() if line.startswith("disk "))
    assert re.split(r"  +", row)[1:6] == ["0.499", "-", "50.0 %", "0.0 %", "99.9 %"]


def test_many_jobs_are_added_up() -> None:
    text = text_of(many(40, jobs=20))
    assert "20 jobs: 40 processes" in text
    assert "(8 more jobs)" in text


def test_members_that_share_data_are_not_processes() -> None:
    result = a_result()
    other = replace(result.processes[0], name="writer/1", idle_ns=29_000, spent={}, compute_ns=0)
    result.processes.append(other)
    assert [job.name for job in by_job(result)] == ["write", "read"]
    assert len(by_job(result)[0].processes) == 1
    assert len(record_of(result)["processes"]) == 3


def test_resources_are_in_the_order_of_their_busiest_instance() -> None:
    result = a_result()
    rows = used_parts(result, a_plan())
    assert [row.part for row in rows] == ["disk", "nic.out", "port.in", "nic.in", "port.out"]
    # One of two clients sent: 1 us of 35.5, and half of that on the average.
    assert rows[1].busiest == "client0.nic.out"
    assert rows[1].most == pytest.approx(1000 / 35_500)
    assert rows[1].mean(result.end_ns) == pytest.approx(500 / 35_500)
    assert section(text_of(result), "Resources")[1][:5] == ["disk", "1", "3", "150 B", "42.3 %"]


def test_stores_show_what_they_did_only() -> None:
    head, row = section(text_of(a_result()), "Stores")
    assert head == ["store", "number", "hits", "fetched", "written back"]
    assert row == ["pages", "1", "57.1 %", "50 B", "100 B"]


def test_latencies_are_told_by_operation() -> None:
    result = a_result()
    result.latencies["read"] = one = latency(*range(1_000, 101_000, 1_000))
    quantiles = [format_time(one.quantile_ns(part)) for part in (0.5, 0.95, 0.99, 0.999)]
    rows = section(text_of(result), "Latencies of calls")
    assert rows[0] == ["operation", "calls", "mean", "p50", "p95", "p99", "p99.9", "max"]
    assert rows[1] == ["read", "100", "50.5 us", *quantiles, "100 us"]
    assert [row[0] for row in rows[2:]] == ["sync", "write"]  # open and close took no time


def test_latencies_of_several_jobs_are_told_by_job() -> None:
    result = a_result()
    result.job_latencies = {
        "write": {"open": latency(0), "write": latency(2_000)},
        "read": {"open": latency(0), "read": latency(3_000, 1_000)},
    }
    rows = section(text_of(result), "Latencies of calls by job")
    assert rows[0][:4] == ["job", "operation", "calls", "mean"]
    assert [row[:4] for row in rows[1:]] == [
        ["write", "write", "1", "2.00 us"],
        ["read", "read", "2", "2.00 us"],
    ]  # open took no time


def test_arrivals_are_part_of_the_answer() -> None:
    result = a_result()
    result.latencies["job"] = latency(*range(1000, 1100))
    result.responses["write"] = result.latencies["job"]
    assert "write: 100 arrivals: 1.05 us each, 95 % within 1.10 us; " in answer(result)


def test_a_run_of_nothing_has_a_report() -> None:
    result = replace(a_result(), processes=[], parts={}, stores={}, latencies={}, elapsed_ns=0)
    text = text_of(result)
    assert "elapsed 0 s" in text
    assert "Resources" not in text


# -- why ----------------------------------------------------------------------------------------


def cause(spent: dict[str, tuple[int, int]], counts: dict[str, int], **store: object) -> str:
    """The first sentence about a process that spent its time like this."""
    result, plan = a_result(), a_plan()
    whole = sum(sum(times) for times in spent.values())
    result.processes = [
        replace(result.processes[0], compute_ns=0, spent=spent, started_ns=0, ended_ns=whole)
    ]
    result.stores["server.pages"].counts = counts
    calls = {"syncs": "sync", "fetched_bytes": "read"}
    result.latencies = {calls.get(next(iter(counts), ""), "write"): latency(whole)}
    changed: StorePlan = replace(plan.stores[0], **store)  # type: ignore[arg-type]
    return causes_text(result, replace(plan, stores=(changed,)))[0]


@pytest.mark.parametrize(
    ("spent", "counts", "store", "said"),
    [
        ("writeback", {"rewrites_waited": 3}, {}, "waits to rewrite bytes.*3 such waits"),
        ("writeback", {"limit_waits": 2}, {}, "too much of pages is dirty .2 waits"),
        ("writeback", {"resident": 8}, {}, "pages .512 B. is full of dirty data"),
        ("writeback", {"resident": 2}, {"quota": 2}, "reached its quota of pages .128 B."),
        ("writeback", {"syncs": 1}, {}, "write-back from pages .sync"),
        ("cache", {}, {}, "another request is already fetching"),
        ("disk", {"fetched_bytes": 90}, {}, "pages does not hold what is read .90 B fetched."),
        ("disk", {"read_back_bytes": 9}, {}, "pages first reads blocks.*9 B"),
        ("disk", {}, {}, "wait for each other at disk"),
        ("cpu", {}, {}, "statements, copies and system calls"),
        ("nic.out", {}, {}, "wait for each other at nic.out"),
    ],
)
def test_the_largest_cause_is_told(
    spent: str, counts: dict[str, int], store: dict[str, object], said: str
) -> None:
    column = {"writeback": "pages.writeback", "cache": "pages"}.get(spent, spent)
    times = (0, 900) if spent == "cpu" else (900, 100)
    told = cause({column: times}, counts, **store)
    assert re.search(said, told), told
    assert re.match(r"(90|100)\.0 % of the time", told)
    assert ("10.0 % requests are being served" in told) == ("each other" in told)


def test_waiting_at_closes_is_told_from_syncs_and_from_the_dirty_limit() -> None:
    counts = {"syncs": 1, "limit_waits": 2}

    def told(**calls: int) -> str:
        result, plan = a_result(), a_plan()
        result.processes = [
            replace(result.processes[0], compute_ns=0, spent={"pages.writeback": (1000, 0)})
        ]
        result.stores["server.pages"].counts = counts
        result.latencies = {name: latency(time) for name, time in calls.items()}
        return causes_text(result, plan)[0]

    assert "when they close files." in told(close=900, sync=50)
    assert "(sync)." in told(close=50, sync=900)
    assert "too much of pages is dirty (2 waits)" in told(write=900, sync=100)


def test_idle_time_counts_for_no_cause() -> None:
    result = a_result()
    one = replace(result.processes[0], compute_ns=0, idle_ns=9_000, spent={"disk": (600, 400)})
    result.processes = [replace(one, started_ns=0, ended_ns=10_000)]
    (about,) = causes_text(result, a_plan())
    assert about.startswith(
        "60.0 % of the time that is not idle requests wait for each other at disk"
    )
    assert ", 40.0 % requests are being served by disk" in about


def test_what_is_drawn_without_a_seed_is_told() -> None:
    result, plan = replace(a_result(), noisy=False), a_plan()
    part = replace(plan.parts[0], noise=NoisePlan(exponential=True))
    drawn = replace(
        plan, parts=(part, *plan.parts[1:]), arrivals=(ArrivalsPlan(kind=POISSON, count=1),)
    )
    assert "no seed: service times do not vary;" in written("table", Outcome(plan, result))
    told = "no seed: service times and arrivals are drawn with seed 0, without other noise;"
    assert told in written("table", Outcome(drawn, result))


def test_noise_of_parts_that_were_used_is_told_where_it_is_left_out() -> None:
    result, plan = replace(a_result(), noisy=False), a_plan()
    noise = NoisePlan(run_sd=0.14, request_sd=0.1)
    used = {plan.instance_name(part, 0) for part in plan.parts} & result.parts.keys()
    noisy = replace(plan, parts=tuple(replace(part, noise=noise) for part in plan.parts))
    assert used
    said = "no seed: noise left out (--seed: 14 % a run, 10 % a request);"
    assert said in written("table", Outcome(noisy, result))
    idle = replace(result, parts={})
    assert "no seed: service times do not vary;" in Outcome(noisy, idle).header()[1]


def test_causes_below_a_tenth_are_not_told() -> None:
    result = a_result()
    one = replace(
        result.processes[0], compute_ns=9_500, ended_ns=10_000, spent={"disk": (400, 100)}
    )
    result.processes = [one]
    assert causes_text(result, a_plan()) == ["95.0 % of the time the processes compute."]


# -- for programs -------------------------------------------------------------------------------


def test_the_record_has_the_numbers_of_the_result() -> None:
    record = Outcome(a_plan(), a_result(), "", {"paper": 3}).to_record()
    made = json.loads(written("json", Outcome(a_plan(), a_result(), "", {"paper": 3})))
    assert made == {"format": FORMAT, **record}
    assert record["sources"] == {"paper": 3}
    assert record["processes"][1]["where"]["columns"]["disk"] == {
        "wait_ns": 5_000,
        "service_ns": 5_000,
    }
    assert record["parts"]["server.disk"]["kind"] == "disk"
    assert record["parts"]["server.disk"]["utilisation"] == round(15_000 / 35_500, 9)
    assert record["stores"]["server.pages"]["hit_ratio"] == round(4 / 7, 9)
    assert record["jobs"]["read"]["read"] == {
        "bytes": 50,
        "begin_ns": 20_000,
        **{f"{one}_ns": 15_500 for one in ("elapsed", "io", "calls")},
        **{f"{one}_MBps": 3.225806 for one in ("rate", "io", "calls")},
    }
    assert record["latencies"]["sync"]["max_ns"] == 12_000
    assert {"versions", "engine", "why", "noise"} <= set(record)


def test_csv_has_a_row_for_each_process() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", Outcome(a_plan(), a_result())))))
    assert [row["process"] for row in rows] == ["writer", "reader"]
    assert rows[1]["disk_wait_ns"] == "5000"
    assert rows[0]["disk_wait_ns"] == "0"
    assert rows[0]["write_MBps"] == "50.0"
    spent = [
        int(value) for key, value in rows[1].items() if key.endswith(("_wait_ns", "service_ns"))
    ]
    assert sum(spent) + int(rows[1]["compute_ns"]) == int(rows[1]["elapsed_ns"])

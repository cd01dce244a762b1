"""The SR8000 study: its figures and claims, what they rest on, and its record."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from simulator.experiments.sr8000.claims import CLAIMS, blocks_touched
from simulator.experiments.sr8000.runs import (
    COUNT,
    GAPS,
    MACHINE,
    PREFETCH,
    PROCESSES,
    SIZE,
    Sr8000Runs,
)
from simulator.experiments.sr8000.study import FIGURES
from simulator.experiments.validation.nulls import null_study
from simulator.inputfile import Text
from simulator.run import load_plan, run_plan
from simulator.study.change import Change
from simulator.study.ledger import Ledger
from simulator.study.studies import DEFAULT_SEED
from simulator.study.study_file import load_study_file
from tests.experiments.reproduced import reproduced

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.compiled


def made() -> Ledger:
    return reproduced("sr8000")


@cache
def runs() -> Sr8000Runs:
    """The cases draw nothing, so all tests share their runs."""
    return Sr8000Runs("native", DEFAULT_SEED)


@pytest.mark.slow
def test_formulas_are_silent_on_what_caches_read_ahead_and_waits_do() -> None:
    claims = null_study(made()).claims
    assert [one.result.claim.id for one in claims if one.by_simulator_only] == ["sr-c3"]
    assert [one.result.claim.id for one in claims if not one.decided] == [
        *("sr-c4", "sr-c5", "sr-c7", "sr-c13", "sr-c14"),
    ]
    assert [one.result.claim.id for one in claims if one.by_both] == [
        *("sr-c1", "sr-c8", "sr-c9", "sr-c11"),
    ]


def test_the_lock_is_borne_out_only_with_the_growth_that_the_paper_claims() -> None:
    """What serialises writes also keeps them from growing: one sentence refutes the other."""
    study = load_study_file("sr8000")
    growth, lock = (one for one in study.claims if one.id in ("sr-c3-write", "sr-c6"))
    shared = {one.text for one in lock.conditions} & {one.text for one in growth.conditions}
    assert shared == {"write_fv_growth_2_8 > 4"}
    assert lock.contradicted
    assert growth.contradicted


@pytest.mark.slow
def test_the_listed_contradictions_say_what_is_simulated() -> None:
    """Numbers in the study's file that people read are those of the runs."""
    why = {one.id: one.contradicted for one in load_study_file("sr8000").claims}
    grown = CLAIMS["sr-c3-write"](runs())
    words = (
        f"{grown['write_fv_growth_2_8']:.2f} times, and FV against UT is"
        f" {grown['write_fv_ut_2']:.1f} at 2",
        f"Without the lock it is {grown['without_lock_fv_growth_2_8']:.2f} times",
        f"is then {grown['existing_fv_ut_2']:.1f} at 2 processes, but the growth only"
        f" {grown['existing_fv_growth_2_8']:.1f}",
    )
    for one in words:
        assert one in why["sr-c3-write"]
    behind = [f"{one:.3f}" for one in CLAIMS["sr-c7-trend"](runs()).values()]
    assert f"simulated {', '.join(behind[:3])} with 2, 4 and 8" in why["sr-c7-trend"]
    assert f"within 1 s of each other: {', '.join(behind[3:])}" in why["sr-c7-trend"]


PING_PONG = """format: workload/2
name: ping-pong
title: messages of 1 B there and back
jobs:
  - name: pair
    processes: 2
    repeat: 100
    phases: [{do: message, to: 1, size: 1 B}, {do: message, to: 0, size: 1 B}]
"""
READS = """format: workload/2
name: reads
title: reads of 1 B from another node
files: {f: {size: 1 B, shared: true, exists: true, layout: [{stripe: 64 KiB, order: [1]}]}}
jobs:
  - name: reader
    repeat: REPEAT
    phases: [{do: mpi-read, file: f, block: 1 B, method: offset}]
"""


def test_what_a_message_and_a_request_take() -> None:
    """A message is the crossbar alone; a request has the software of both ends."""

    def elapsed_ns(text: str) -> int:
        return run_plan(load_plan(MACHINE, Text(text, "text"))).elapsed_ns

    one_way = elapsed_ns(PING_PONG) / 200
    assert one_way == 5000 + 1
    first, more = (elapsed_ns(READS.replace("REPEAT", str(count))) for count in (2, 12))
    message = 5000 + 128  # the header; the byte goes one way
    software = 1_030_000 + 240_000
    assert (more - first) / 10 == pytest.approx(software + 5000 + 2 * message + 1, abs=3)
    page = Path("docs/decisions/0038-what-the-sr8000-study-contradicts.md").read_text("utf-8")
    assert f"in a ping-pong: {one_way / 1000:.3f} us one way" in page
    assert f"buffer cache: {(more - first) / 1e7:.3f} ms, 10 us of them latency" in page


def test_every_claim_and_ratio_of_the_paper_is_there(shared_dir: object) -> None:
    published = yaml.safe_load((shared_dir / "published" / "sr8000.yaml").read_text("utf-8"))  # type: ignore[operator]
    study = load_study_file("sr8000")
    wanted = {one["id"] for one in published["claims"]}
    added = {"sr-c3-write", "sr-c7-trend", "sr-c12", "sr-c13", "sr-c14"}
    assert {one.id for one in study.claims} == set(CLAIMS) == {*wanted, *added}
    assert not any(one.untestable for one in study.claims)
    printed = {one.id: one.value for one in study.figures if one.value is not None}
    results = published["results"]
    assert printed == {
        "write-fv-ut": results["write_8p_FV_over_UT"]["value"],
        "write-col-fv": results["write_8p_COL_over_FV"]["value"],
        "write-col-ut": results["write_8p_COL_over_UT"]["value"],
        "read-fv-ut": results["read_8p_FV_over_UT"]["value"],
    }


@pytest.mark.slow
def test_what_was_fitted_names_the_figure() -> None:
    """Three values for three independent ratios, and one for a sentence."""
    calibrated = {one["path"]: one["detail"] for one in made().calibrated}
    assert calibrated == {
        "runtime.mpi_io.call_overhead": "write-fv-ut",
        "parts.io.overhead": "write-col-fv",
        "parts.raid.rate": "read-fv-ut",
        "runtime.mpi_io.transfer_buffer": "sr-c3",
    }
    fitted = {one.id for one in load_study_file("sr8000").figures if one.role == "calibrated"}
    assert {*fitted, "sr-c3"} == set(calibrated.values())
    free = made().freedom
    assert (free.data, free.fitted, free.tuned, free.left) == (3, 4, 3, -4)


def sensitivities() -> list[list[str]]:
    """The rows of the table in the README: key, value, how many hold, which do not."""
    page = Path("experiments/sr8000/README.md").read_text("utf-8")
    table = page[page.index("| key of sr8000.yaml") :].partition("\n\n")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]]


@pytest.mark.slow
@pytest.mark.parametrize("row", sensitivities()[::6], ids=lambda row: f"{row[0]} {row[1]}")
def test_the_sensitivities_are_as_documented(row: list[str]) -> None:
    key, value = row[0].split("`")[1], row[1].split("`")[1]
    path = f"{'workload' if key.startswith('files') else 'machine'}.{key}"
    other = Sr8000Runs("native", DEFAULT_SEED, change=Change(((path, value),)))
    outside = [
        f"`{figure.id}` {simulated:.3g}"
        for figure in load_study_file("sr8000").figures
        if not figure.low <= (simulated := FIGURES[figure.id](other)) <= figure.high
    ]
    growth = other.growth("read", "fv", 2)
    outside += [] if growth > 4 else [f"growth {growth:.2f}"]
    assert (row[2], row[3]) == (str(5 - len(outside)), ", ".join(outside))


@pytest.mark.parametrize(("seed", "skew"), [(1, "1 ms"), (2, "50 ms")])
@pytest.mark.slow
def test_the_ratios_do_not_rest_on_calls_in_the_same_nanosecond(skew: str, seed: int) -> None:
    """Processes that call at slightly different times give the same ratios."""
    late = Sr8000Runs("native", seed)
    given = (("workload.jobs.0.skew", skew),)
    for operation, interface, other, expected in (
        ("write", "fv", "ut", 5.2),
        ("write", "col", "fv", 2.6),
        ("read", "fv", "ut", 9.2),
    ):
        rate = late.rate(operation, interface, 8, *given)
        ratio = rate / late.rate(operation, other, 8, *given)
        assert ratio == pytest.approx(expected, rel=0.1)
    assert late.growth("read", "fv", 2, *given) > 4


@pytest.mark.parametrize("count", PROCESSES)
def test_requests_of_the_paper(count: int) -> None:
    """Rows of pieces for each process: 32768, 16384, 8192, and 65536 in all."""
    plan = runs().plan("read-ut", (COUNT, str(count)))
    assert plan.asked is not None
    assert plan.asked.work.calls == 2 * 65536
    assert len(plan.asked.requests.node) == 65536
    assert blocks_touched(plan, 0) == (16384 if count <= 4 else 8192)
    assert plan.buffers[0].blocks == (2048,) * 8


def test_more_read_ahead_is_never_slower() -> None:
    times = [
        runs().case("read", "fv", 8, (PREFETCH, str(ahead))).elapsed_ns for ahead in (0, 1, 2, 8)
    ]
    assert times == sorted(times, reverse=True)


def test_sieving_reads_all_that_lies_between() -> None:
    for gap in GAPS[:5]:
        useful = runs().sieved(gap, "sieving").bytes / runs().sieved(gap, "sieving").total(
            "disk_read_bytes"
        )
        assert useful == pytest.approx(16 / (16 + gap), rel=0.1)


@pytest.mark.slow
def test_break_even_lies_between_two_gaps() -> None:
    for method in ("seek", "stride"):
        gap = runs().break_even_KiB(method)
        below, above = (
            max(one for one in GAPS if one <= gap),
            min(one for one in GAPS if one >= gap),
        )
        lag = [
            runs().sieved(one, "sieving").elapsed_ns / runs().sieved(one, method).elapsed_ns
            for one in (below, above)
        ]
        assert lag[0] <= 1 <= lag[1]


@pytest.mark.parametrize("count", [1, 3, 5, 6, 7])
def test_other_numbers_of_processes(count: int) -> None:
    """Nothing is looked up by their number: the order of the interfaces is that of the paper."""
    given = ((SIZE, f"{count * 8} MiB"),)
    for operation in ("read", "write"):
        unix, view = (runs().rate(operation, one, count, *given) for one in ("ut", "fv"))
        assert view > 2 * unix

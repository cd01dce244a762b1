"""The NWT's claims: what their figures measure, with one run of each cell."""

from __future__ import annotations

import pytest

from simulator.experiments.nwt.study import STUDY, NwtRuns
from simulator.experiments.validation.nulls import null_study
from simulator.study.change import Change
from simulator.study.ledger import SentenceResult, sentence_result
from simulator.study.study_file import load_study_file

REWRITE_OFF = ("machine.stores.ssu.start", "[mark, close]")


def begun(*settings: tuple[str, str]) -> NwtRuns:
    """Runs with a change of all, of which none is made yet."""
    return STUDY.begin(1, 1998, "auto", Change(settings))


def decided(claim: str, *settings: tuple[str, str]) -> SentenceResult:
    """One claim, decided by runs with a change of all."""
    (one,) = (one for one in load_study_file("nwt").claims if one.id == claim)
    return sentence_result(one, begun(*settings), STUDY.claims)


@pytest.mark.slow
def test_the_rate_of_the_array_is_the_machines() -> None:
    slow = decided("nwt-c1", ("machine.parts.array.rate", "100 MB/s")).figures
    assert slow["array_MBps"] == 100
    assert decided("nwt-c1").figures["array_MBps"] == 36
    turned = decided("nwt-c1", ("machine.parts.array.rate", "100 MB/s"))
    assert turned.broken == ("slowest_run_MBps > array_MBps",)  # 4 PEs read at 80


@pytest.mark.slow
def test_claim_6_measures_the_array_and_not_its_path() -> None:
    as_is = decided("nwt-c6")
    assert as_is.holds
    # The same bytes take both: 36 MB/s here, 41.1 MB/s there, and 0.1 ms for each unit.
    assert as_is.figures["least_array_over_path_time"] == pytest.approx(41.1 / 36, rel=0.15)
    fast = decided("nwt-c6", ("machine.parts.array.rate", "360 MB/s"))
    assert fast.broken == ("least_array_over_path_time > 1",)
    assert fast.figures["least_waiting_share_rewritten"] > 0.5  # now for the path


def test_claim_4_needs_the_rewrite() -> None:
    assert decided("nwt-c4").holds
    off = decided("nwt-c4", REWRITE_OFF)
    assert off.broken == ("fastest_output_mean_over_slowest_input_mean within 10 % of 0.189",)
    assert off.figures["fastest_output_mean_over_slowest_input_mean"] > 0.5


@pytest.mark.slow
def test_claim_6_has_a_lower_bound_too() -> None:
    """An array of 0.6 MB/s would be the disk's speed of no disk of the paper."""
    slow = decided("nwt-c6", ("machine.parts.array.rate", "0.6 MB/s"))
    assert slow.broken == ("slowest_run_rewritten_MBps > disk_MBps",)
    assert slow.figures["disk_MBps"] == 4.5


@pytest.mark.slow
def test_the_tables_do_not_tell_whether_a_multiple_of_the_unit_is_best() -> None:
    """Two machines have all input cells inside: on one 9 MB is slower than 8 MB, on one faster."""
    (claim,) = (one for one in load_study_file("nwt").claims if one.id == "nwt-c2-multiple")
    assert claim.untestable.startswith("not determined")
    once = (
        ("machine.parts.pe.flush_overhead", "2.51 ms"),
        ("machine.parts.pe.flush_unit", "1 TB"),
    )
    for machine, slower in (((), True), (once, False)):
        runs = begun(*machine)
        inside = [
            cell.holds(runs.exact(cell.workload, cell.settings).rate("read") / 1e6)
            for cell in runs.cells.values()
            if cell.work == "read"
        ]
        assert inside == [True] * 4
        eight, nine = (
            runs.exact("test-read", (("buffer", one),)).rate("read") for one in ("8 MB", "9 MB")
        )
        assert (nine < eight) is slower


@pytest.mark.slow
def test_claim_8_is_about_the_printed_tables_alone() -> None:
    figures = decided("nwt-c8").figures
    assert figures["parallel_jobs_least_growth"] == pytest.approx((72119 - 51109) / (60401 - 42121))
    assert figures["share_of_1pe_jobs_H9"] == pytest.approx(81599 / 152954)


@pytest.mark.slow
def test_what_is_fitted_to_the_means_is_counted_and_no_more() -> None:
    runs = begun()
    ledger = STUDY.reproduce(1, 1998, "auto")
    assert ledger.fitted == len(runs.study.calibration["parameters"]) == 5
    assert ledger.freedom.data == 12
    assert "5 more values are fitted to the spread" in ledger.details
    claims = null_study(ledger).claims
    assert not any(one.by_simulator_only for one in claims)
    silent = [one.result.claim.id for one in claims if not one.decided and one.result.holds]
    assert silent == ["nwt-c1", "nwt-c6", "nwt-c10", "nwt-c15", "nwt-c17"]

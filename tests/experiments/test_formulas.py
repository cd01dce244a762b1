"""Formulas of each study, by hand."""

from __future__ import annotations

import pytest

from simulator.experiments.ninf import formulas as null_ninf
from simulator.experiments.ninf.formulas import Speeds, queue
from simulator.experiments.nwt import formulas as null_nwt
from simulator.experiments.orion import formulas as null_orion
from simulator.experiments.orion.formulas import Loop
from simulator.experiments.sr8000 import formulas as null_sr8000
from simulator.experiments.sr8000.formulas import Rates
from simulator.experiments.ssken import formulas as null_ssken
from simulator.kinds.services.numerical_server.problems import Linpack
from simulator.study.conditions import broken
from simulator.study.study_file import load_study_file

# -- NWT ----------------------------------------------------------------------------------------


def test_print_by_nfs_shares_the_lan() -> None:
    """By hand: 120 MB at 10 ns a byte and 200 buffers of 1 ms are 85.7 MB/s; 1.25 MB/s for 1."""
    figures = null_nwt.model().claims["nwt-c11"]((4.0, 8.0, 10.0, 1e6, 15.0, 10.0))
    assert figures["nfs_over_svio_0_others"] == pytest.approx(120 / 1.4 / 1.25)
    assert figures["nfs_over_svio_4_others"] == pytest.approx(5 * 120 / 1.4 / 1.25)


# -- SR8000 -------------------------------------------------------------------------------------


def test_processes_share_what_the_disks_give_and_the_lock_lets_one_write() -> None:
    rates = Rates(view=40, reading=70, writing=110)
    assert [rates.of("read", "ut", n) for n in (2, 4, 8)] == [1, 1, 2]
    assert [rates.of("write", "ut", n) for n in (2, 8)] == [2, 8]
    assert [rates.of("read", "fv", n) for n in (1, 8)] == [70, 70]
    assert [rates.of("write", "fv", n) for n in (2, 8)] == [40, 40]
    assert rates.of("write", "col", 8) == rates.of("write", "fv", 8, lock=False) == 110
    claims = null_sr8000.model().claims
    assert claims["sr-c3-write"](rates) == {"write_fv_growth_2_8": 1, "write_fv_ut_2": 20}
    locked = claims["sr-c6"](rates)
    assert locked["write_fv_lock_share"] == pytest.approx(28 / 36)
    assert locked["write_fv_without_lock_fv"] == pytest.approx(110 / 40)
    sieved = claims["sr-c9"](rates)
    assert sieved["sieving_unix_gap_4096KiB"] == pytest.approx(70 * 16 / 4112)


def test_with_stripes_of_a_piece_each_process_has_its_disk() -> None:
    """By hand: 8 disks instead of 2; with stripes of 128 KiB one."""
    figures = null_sr8000.model().claims["sr-c11"](Rates(1, 1, 1))
    assert (figures["read_ut_own_disks"], figures["read_ut_one_disk_at_a_time"]) == (4, 0.5)
    assert figures["read_ut_two_regions"] == 1


def test_a_piece_is_a_quarter_of_a_block() -> None:
    shares = null_sr8000.model().claims["sr-c4"](Rates(1, 1, 1))
    assert {name: shares[name] for name in shares if name.endswith("least")} == {
        "share_touched_2_least": 1,
        "share_touched_4_least": 1,
        "share_touched_8_least": 0.5,
    }


# -- Orion --------------------------------------------------------------------------------------


def test_four_nodes_break_even_where_the_overhead_is_three_quarters_of_the_points() -> None:
    loop = Loop(paging=1, overhead=30_000, interval_ms=10)
    assert loop.break_even == 40_000
    assert loop.speedup(40_000) == 1
    assert loop.speedup(200_000) == 2.5
    parts = null_orion.model().claims["orion-c7"](loop)
    assert parts["computation_exponent"] == pytest.approx(1)
    assert parts["communication_exponent"] == pytest.approx(0)
    assert parts["ns_unaccounted_for"] == 0


# -- Ninf ---------------------------------------------------------------------------------------


def test_two_clients_at_a_place_for_one() -> None:
    """By hand: 2 s away, 1 s there, one at a time: weights 1, 1 and 1/2 for 0, 1 and 2 there."""
    made = queue(2, 2.0, lambda _: 1.0)
    assert made.each_s == pytest.approx(1.5 / 2.5)
    assert made.present == pytest.approx(2 / 2.5)
    assert made.stay_s == pytest.approx(2 / 1.5)


SPEEDS = Speeds(2.0, 6.0, 3.0, 0.8, 46.0, 110.0, 74.0)


def test_one_client_waits_for_nobody() -> None:
    """A call of n = 1000: 8.02 MB at 2 MB/s, and 668.7 Mflop at 190 or 570 Mflop/s."""
    operations = Linpack(1000).operations / 1e6
    assert SPEEDS.lan(1000, 1, "1pe").stay_s == pytest.approx(4.01 + operations / 190)
    assert SPEEDS.lan(1000, 1, "4pe").stay_s == pytest.approx(4.01 + operations / 570)
    assert SPEEDS.far_s(1000, 1) == pytest.approx(8.02 / 0.19 + 4.01 + operations / 570)


def test_many_clients_get_what_the_pes_give() -> None:
    """With 100 clients 4 PEs are always busy: 100 calls take 25 times the work of one."""
    work = 4.01 + Linpack(1000).operations / 1e6 / 190
    made = SPEEDS.lan(1000, 100, "1pe")
    assert made.each_s == pytest.approx(4 / work)
    assert made.stay_s == pytest.approx(100 * work / 4 - 6)
    assert SPEEDS.ratio(1000, 100) < SPEEDS.ratio(1000, 1)


@pytest.mark.parametrize("own", null_ninf.CROSSINGS)
def test_at_the_crossing_a_call_takes_as_long_as_the_client(own: str) -> None:
    crossing = SPEEDS.crossing(own)
    below, above = int(crossing), int(crossing) + 1
    assert SPEEDS.gain(own, below) <= 1 <= SPEEDS.gain(own, above)
    assert 250 < crossing < 1000


def test_a_client_that_is_faster_than_the_server_never_gains() -> None:
    assert SPEEDS._replace(alpha_murata=600.0).crossing("alpha_murata") == float("inf")


def test_lines_are_full_and_four_sites_have_four() -> None:
    claims = null_ninf.model().claims
    assert claims["ninf-c8"](SPEEDS)["gain_of_twice_the_line"] == pytest.approx(2, rel=0.05)
    assert claims["ninf-c10"](SPEEDS)["sites_over_site_c16"] == pytest.approx(4, rel=0.02)
    assert claims["ninf-c14"](SPEEDS)["site_c16_over_c4"] == pytest.approx(1, rel=0.05)


# -- SS-ken -------------------------------------------------------------------------------------


def costs(**changed: float) -> dict[str, float]:
    """Costs of 1 us for a call and 1000 MB/s for bytes, but for those given by name."""
    names = [one.name for one in null_ssken.constants()]
    plain = {name: 1.0 if name.endswith("us") else 1000.0 for name in names}
    return plain | {name.replace("_", " "): value for name, value in changed.items()}


def test_calls_and_bytes_are_counted_as_printed() -> None:
    """By hand, table 4.4.5: three lseeks and two reads for each record, 26.0 GB, 93 closes."""
    job = "superk-before"
    assert null_ssken.seconds(costs(), job, ["seek"]) == pytest.approx(3 * 1.583552, rel=1e-4)
    assert null_ssken.seconds(costs(), job, ["read"]) == pytest.approx(
        2 * 1.583552 + 26.0, rel=1e-4
    )
    assert null_ssken.seconds(costs(), job, ["close"]) == pytest.approx(93 * 2e-6)


def test_a_close_takes_the_bytes_that_were_written() -> None:
    """By hand, SWarp: a call, what a close costs, and 30.29 MB."""
    taken = null_ssken.seconds(costs(), "swarp", ["close"], ["coadd"])
    assert taken == pytest.approx(2e-6 + 0.03029184)
    free = null_ssken.seconds(costs(), "swarp", ["close"], ["coadd"], free="close")
    assert free == pytest.approx(1e-6)


def test_what_formulas_would_say_if_they_were_told_what_caches_hold() -> None:
    """By hand: 500 MB of 94.5 s come from FEFS at 200 MB/s, once; 8 GiB beside 117.7 MB/s.

    Of the pages 20 or 1 % of 32 GB may be dirty; what is more waits for the link.
    """
    fefs, whole = 500 / 200, 94.5
    gigabytes = 2**33 / 1e9
    told = {
        "superk-c1": {
            "calls_over_file": 52.0,
            "fefs_over_file": 1.0,
            "fefs_over_file_without_cache": 52.0,
        },
        "superk-c3": {
            "fefs_ten_times_as_fast": 1 - 0.9 * fefs / whole,
            "calls_at_half_the_cost": 0.59,
            "fefs_at_a_tenth": 1 + 9 * fefs / whole,
        },
        "ior-c3": {
            "first_8_GB_over_link": gigabytes / (gigabytes - 6.4),
            "first_8_GB_over_link_with_1_percent_dirty": gigabytes / (gigabytes - 0.32),
        },
    }
    claims = {one.id: one for one in load_study_file("ssken").claims}
    for id_, figures in told.items():
        assert broken(claims[id_].conditions, figures) == []


def test_every_second_lstat_asks_the_server() -> None:
    taken = null_ssken.seconds(costs(), "ls-fast", ["stat"], ["lstat"])
    assert taken == pytest.approx(13808e-6 + 6904e-6)


def test_ior_on_nfs_has_its_share_of_the_link() -> None:
    rates = {"ior write, MB/s": 145.0, "ior read, MB/s": 100.0}
    assert null_ssken.ior_MBps(costs() | rates, "ior-ext4", "write") == 145.0
    assert null_ssken.ior_MBps(costs() | rates, "ior-nfs", "write") == pytest.approx(117.7)
    assert null_ssken.ior_MBps(costs() | rates, "ior-nfs", "read") == 100.0
    assert null_ssken.ior_MBps(costs() | rates, "ior-nfs-2", "write") == pytest.approx(117.7 / 2)

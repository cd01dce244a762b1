"""Durability of files with an erasure code: what is bought for it, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.config.amounts import Redundancy
from simulator.config.errors import ConfigError
from simulator.sizing.durability import Arrays
from tests.sizing.test_durability import JOB, YEAR, bought, sized

CODED = """\
format: machine/2
name: lab
nodes: {client: 1, server: 6}
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  nic: {kind: network, at: [client, server], rate: 10 GB/s}
  store: {kind: ssd, at: server, rate: 1 GB/s}
filesystems:
  home: [{stripe: 1 MB, of: server, redundancy: 4+2}, [nic], store]
"""
WIDE = "wide: {buys: {disk: 6}, redundancy: 4+2}"
SMALL = "small: {set: {home.redundancy: 2+1}, buys: {disk: 6}, redundancy: 2+1}"


@pytest.fixture
def coded(tmp_path: Path) -> Path:
    (tmp_path / "m.yaml").write_text(CODED)
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


def test_the_code_that_keeps_enough_is_bought(coded: Path) -> None:
    """Six disks of 4 TB hold 16 TB both ways; 2+1 loses data much sooner.

    Of its six members 12 pairs are in one row together; of 4+2 each three of them are.
    """
    small, wide = (Redundancy(*one) for one in ((2, 1), (4, 2)))
    hours = 6400 / 3600
    days = [Arrays(1, 6, one, 1e5, 0.0, hours).mttdl for one in (small, wide)]
    assert days == pytest.approx([1e10 / (12 * 2 * hours), 1e15 / (20 * 3 * hours**2)])
    years = days[0] / YEAR
    assert bought(coded, f"{{mttdl: {2 * years:.0f} years}}", SMALL, WIDE) == "wide"
    assert bought(coded, f"{{mttdl: {years / 2:.0f} years}}", SMALL) == "small"
    assert bought(coded, f"{{mttdl: {2 * years:.0f} years}}", SMALL) is None


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("wide: {buys: {disk: 6}, redundancy: 5+1}", "of store, under a code of 4+2"),
        ("wide: {buys: {disk: 6}}", "a redundancy of none, of store, under a code of 4+2"),
    ],
)
def test_what_is_bought_has_the_code_of_the_machine(coded: Path, option: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        sized(coded, "{loss_per_year: 1 %}", option)
    assert "write 'redundancy: 4+2'" in str(error.value)


def test_arrays_under_a_code_have_the_redundancy_of_both(coded: Path) -> None:
    """4+1 disks on each of 4+2 servers: 16 of 30 hold data."""
    array = "store: {kind: array, at: server, disks: 5, level: raid5, rate: 1 GB/s, capacity: 4 TB}"
    text = CODED.replace("store: {kind: ssd, at: server, rate: 1 GB/s}", array)
    (coded / "m.yaml").write_text(text)
    both = "both: {buys: {disk: 30}, redundancy: 16+14}"
    winner = sized(coded, "{workload: job, end: 1 min}", both).winner
    assert winner is not None
    assert winner.usable == 64 * 10**12
    with pytest.raises(ConfigError, match="arrays under a code of 4\\+2; leave this target out"):
        sized(coded, "{mttdl: 1 years}", both)

"""Claims of the NWT paper about SVIO, NFS, stripes and the nine kinds of data: figures by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from simulator.config.formats import load_workload
from simulator.experiments.nwt.paths import PATHS
from simulator.experiments.nwt.study import STUDY, NwtRuns
from simulator.experiments.nwt.tables import tables
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.run import load_plan
from simulator.study.change import Change
from tests.engines.compare import outcome

LAN, REQUEST = 1.25e6, 8000.0
"""Rate of the LAN in bytes per second, and bytes of an NFS request."""


def begun(change: Change | None = None) -> NwtRuns:
    return STUDY.begin(None, 1998, "auto", change or Change())


@pytest.fixture(scope="module")
def runs() -> NwtRuns:
    """The study as it is; runs are made when they are asked for."""
    return begun()


def figures(runs: NwtRuns, claim: str) -> Mapping[str, float]:
    return PATHS[claim](runs)


def test_printing_by_nfs_takes_what_its_requests_take_one_after_the_other(runs: NwtRuns) -> None:
    """Half of a request's time is the LAN's; disk, server and path have the rest, in series."""
    printed = figures(runs, "nwt-c13")["bytes_into_the_ssu"]
    assert printed == 4e6 + 8 * -(-4_000_000 // 133)  # Each line with a length at both ends.
    request_s = REQUEST / LAN + 200e-6 + 1e-3 + 100e-6 + REQUEST / 41.1e6 + REQUEST / 4.5e6
    quiet = figures(runs, "nwt-c11")["nfs_s_0_others"]
    at_the_pe = 86.5e-3  # Lines, copies and 8 flushes: the account of the run by SVIO.
    assert quiet == pytest.approx(printed / REQUEST * request_s + at_the_pe, rel=0.01)


def test_the_lan_is_shared_equally_by_those_who_want_it(runs: NwtRuns) -> None:
    """Five that never pause have a fifth each: less than five times as slow, since others pause."""
    slower = figures(runs, "nwt-c12")
    shared = 5 * 4.24e6 / (LAN * REQUEST / (REQUEST + 200e-6 * LAN))
    assert figures(runs, "nwt-c11")["nfs_s_4_others"] == pytest.approx(shared, rel=0.05)
    rising = [1, *(slower[f"nfs_{others}_others_over_quiet"] for others in (1, 2, 4))]
    assert rising == sorted(set(rising))


def test_svio_takes_no_notice_of_the_lan_and_its_copy_does(runs: NwtRuns) -> None:
    by_svio = [one for name, one in figures(runs, "nwt-c12").items() if name.startswith("svio")]
    assert by_svio == [1, 1, 1]
    slow = begun(Change((("machine.parts.lan.rate", "0.125 MB/s"),)))
    here, there = figures(runs, "nwt-c13"), figures(slow, "nwt-c13")
    assert there["job_s"] == here["job_s"]
    assert there["end_of_the_copy_s"] > 7 * here["end_of_the_copy_s"]


def test_every_printed_byte_is_copied_once_and_after_the_job(runs: NwtRuns) -> None:
    found = figures(runs, "nwt-c13")
    for name in ("bytes_over_the_lan", "bytes_to_the_disks"):
        assert found[name] == found["bytes_into_the_ssu"]
    # The first request crosses the LAN before it is at a disk.
    begins = found["first_byte_at_the_disk_s"] - found["job_s"]
    path = 100e-6 + REQUEST / 41.1e6
    assert begins == pytest.approx(200e-6 + REQUEST / LAN + path, rel=1e-6)


def test_stripes_by_hand(runs: NwtRuns) -> None:
    """A unit of 8 MB: two pieces of 250 kB on the fullest of 20 disks, or all of it on one."""
    found = figures(runs, "nwt-c14")
    unit = 8e6

    def unit_s(size: float) -> float:
        return size / 4.5e6 + 100e-6 + size / 41.1e6

    ratio = (unit_s(unit) + 0.0003) / (unit_s(unit / 16) + 0.0003)
    assert 0.6 * ratio < found["striped_over_ufs_64MB"] < ratio
    by_size = [found[f"striped_over_ufs_{size}"] for size in ("8kB", "100kB", "1MB", "8MB", "64MB")]
    assert by_size == sorted(by_size)
    by_jobs = [found[f"striped_over_ufs_{jobs}_jobs"] for jobs in (1, 4, 20, 40)]
    assert by_jobs == sorted(by_jobs, reverse=True)
    assert by_jobs[1] > 1 > by_jobs[2]  # With a disk for each job stripes only make them seek.


@pytest.mark.slow
def test_without_stripes_pieces_on_disks_are_ufs() -> None:
    one_piece = Change((("machine.filesystems.vfl.paths.scfs.tiers.2.pieces", "1"),))
    found = figures(begun(one_piece), "nwt-c14")
    assert found["striped_over_ufs_64MB"] == pytest.approx(1, rel=1e-6)


def test_the_job_has_all_kinds_of_the_table_by_their_methods() -> None:
    job = load_workload("nwt-job")
    files = [file for kind in tables().kinds for file in kind.files]
    assert sorted(files) == sorted(job.files)
    assert len(tables().kinds) == 9
    (only,) = job.jobs
    method = {file: kind.method for kind in tables().kinds for file in kind.files}
    for phase in only.phases or ():
        if phase.uses is not None:
            assert (getattr(phase, "path", None) or only.path) == method[phase.uses]


def test_bytes_of_the_job_by_method(runs: NwtRuns) -> None:
    found = figures(runs, "nwt-c15")
    by_nfs = 200 + 400 + 2 * 600 + 50 + 2000 + 10 + 200  # kB; the object is written and read
    assert found["asked_by_nfs"] == found["moved_by_nfs"] == by_nfs * 1000
    lengths = 8 * (4000 + 1875)  # In the large files, in records of 64 kB; and as often rewritten.
    scfs = found["asked_by_scfs_and_svio"] - found["asked_by_svio"]
    assert 376e6 + lengths < scfs < 376e6 + 2 * lengths
    shares = [one for name, one in found.items() if name.startswith("share")]
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("workload", ["nwt-job", "nwt-print", "nwt-each"])
def test_both_engines_agree(workload: str) -> None:
    plan = load_plan("nwt", workload, seed=7)
    native = outcome(run_native, plan)
    assert "broken" not in native
    assert native == outcome(run_reference, plan)


def test_the_readme_of_the_study_has_these_numbers(runs: NwtRuns, root: Path) -> None:
    page = (root / "experiments" / "nwt" / "README.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"## The other paths of data\n(.*)", page, re.DOTALL)
    said = " ".join(section.split())
    prints, copy = figures(runs, "nwt-c11"), figures(runs, "nwt-c13")
    nfs = [f"{prints[f'nfs_s_{others}_others']:.1f}" for others in (0, 1, 2, 4)]
    stripes, kinds = figures(runs, "nwt-c14"), figures(runs, "nwt-c15")
    shares = [
        f"{kinds[f'share_of_time_{path}']:.0%}".replace("%", " %") for path in ("scfs", "nfs")
    ]
    for words in (
        f"for {prints['svio_s_0_others']:.2f} s by SVIO, and for {nfs[0]} s by NFS",
        f"NFS takes {nfs[1]}, {nfs[2]} or {nfs[3]} s",
        f"takes {copy['end_of_the_copy_s'] - copy['job_s']:.1f} s",
        f"{stripes['striped_over_ufs_8kB']:.1f} times as fast as from ufs",
        f"of 1 MB {stripes['striped_over_ufs_1MB']:.0f} times",
        f"of 64 MB {stripes['striped_over_ufs_64MB']:.0f} times",
        f"get {stripes['striped_over_ufs_4_jobs']:.1f} times as much as from ufs",
        f"20 jobs {stripes['striped_over_ufs_20_jobs']:.2f} times",
        f"vfl is {stripes['array_over_ufs_64MB']:.1f} times as fast as ufs",
        f"{shares[0]} of the time in its run-time calls on SCFS, {shares[1]} on NFS",
        f"{100 * kinds['share_of_time_svio']:.1f} % on SVIO",
    ):
        assert words in said

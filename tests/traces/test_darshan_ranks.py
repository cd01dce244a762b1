"""Ranks, stripes and bytes over time of Darshan logs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from simulator.answers.patterns.of_counters.every import counted_findings
from simulator.traces.darshan_log import DarshanTrace
from simulator.traces.darshan_ranks import MOST_BANDS
from tests.traces.darshan_bytes import heat, record, stripes, write

if find_spec("darshan") is None:
    pytest.skip("needs PyDarshan", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

NAMES = {1: "/scratch/shared", 2: "/scratch/own", 3: "<STDOUT>", 9: "heatmap:POSIX"}


def read(log: Path) -> dict[str, Any]:
    """Return what is read of a log."""
    trace = DarshanTrace(log)
    for _ in trace.batches():
        pass
    found: dict[str, Any] = trace.about["darshan"]
    return found


def own(number: int, rank: int, written: int, seconds: float, module: str = "POSIX") -> bytes:
    counters = {"OPENS": 1, "WRITES": 1, "BYTES_WRITTEN": written, "F_WRITE_TIME": seconds}
    made: bytes = record(module, number, rank, counters | {"F_META_TIME": 0.25})
    return made


def test_ranks_are_added_up_without_standard_streams(tmp_path: Path) -> None:
    """Rank 1 writes 300 B in 3.25 s and 50 B in 0.75 s; rank 0 writes 100 B in 1.25 s."""
    posix = own(2, 0, 100, 1.0) + own(2, 1, 300, 3.0)
    stdio = own(1, 1, 50, 0.5, "STDIO") + own(3, 1, 7, 9.0, "STDIO")
    modules = {"POSIX": posix, "STDIO": stdio}
    found = read(write(tmp_path / "log.darshan", modules, names=NAMES))
    assert found["ranks"] == {"0": [0, 100, 1.25, 0.25], "1": [0, 350, 4.0, 0.5]}
    file = next(one for one in found["files"] if one["module"] == "POSIX")
    assert file["fastest"] == [0, 1.25, 100]
    assert file["slowest"] == file["heaviest"] == [1, 3.25, 300]
    assert file["moving"] == {"READ": 0, "WRITTEN": 2}


def test_a_shared_record_has_its_extremes_and_no_rank_of_its_own(tmp_path: Path) -> None:
    counters = {"OPENS": 4, "WRITES": 4, "BYTES_WRITTEN": 400, "F_WRITE_TIME": 8.0}
    counters |= {"SLOWEST_RANK": 3, "F_SLOWEST_RANK_TIME": 5.0, "SLOWEST_RANK_BYTES": 250}
    counters |= {"F_FASTEST_RANK_TIME": 0.5, "FASTEST_RANK_BYTES": 50, "F_VARIANCE_RANK_TIME": 2.0}
    modules = {"POSIX": record("POSIX", 1, -1, counters)}
    found = read(write(tmp_path / "log.darshan", modules, names=NAMES))
    (file,) = found["files"]
    assert (file["fastest"], file["slowest"]) == ([0, 0.5, 50], [3, 5.0, 250])
    assert (file["variance"], found["ranks"]) == ([2.0, 0.0], {})


def test_stripes_and_bytes_over_time(tmp_path: Path) -> None:
    """Of 128 ranks two are a band; of what is beyond the number of ranks nothing is kept."""
    warm = [heat(9, rank, 0.5, writes=[rank, 1], reads=[0, 2]) for rank in (0, 1, 127, 500)]
    modules = {
        "POSIX": own(1, 0, 100, 1.0),
        "LUSTRE": stripes(1, 0, 1 << 20, [5, 9]) + stripes(2, 0, 1 << 22, [7]),
        "HEATMAP": b"".join(warm),
    }
    found = read(write(tmp_path / "log.darshan", modules, names=NAMES, nprocs=128))
    assert found["stripes"] == {"/scratch/shared": [2, 1 << 20, 5], "/scratch/own": [1, 1 << 22, 7]}
    heated = found["heat"]["POSIX"]
    assert (heated["bin_s"], heated["ranks"], len(heated["write"])) == (0.5, 128, MOST_BANDS)
    assert heated["write"][0] == [1, 2]
    assert heated["write"][-1] == [127, 1]
    assert heated["read"][0] == [0, 4]
    assert heated["write"][1] == [0]


def test_the_counters_of_public_logs_show_what_was_cured(shared_dir: Path) -> None:
    """AIIO's pairs (HPDC 2023), and the slow target of TOKIO's log."""
    folder = shared_dir / "data" / "darshan"
    names = {
        "37486": ["small-io", "sync-write", "one-stripe"],
        "37845": ["one-stripe"],
        "29343": ["scattered-write", "one-aggregator"],
        "30869": [],
    }
    for part, patterns in names.items():
        (log,) = folder.glob(f"aiio/*-{part}_*.darshan")
        said = read(log)
        assert said["job"]["exe"] in ("ior", "write_3d_nc4")
        found = counted_findings(said)
        assert [one.finding.pattern for one in found] == patterns, part
    (slow,) = counted_findings(read(folder / "sample-badost.darshan"))
    assert "target (OST) 14 is slow: 85 files there take 547 s each" in slow.finding.found

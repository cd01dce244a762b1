"""Files of a replay have the stripes of their log, and not those of the file system."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest

from simulator.answers.again import machine_variants
from simulator.cli.main import main
from simulator.replay.advice import findings_in, program_of
from simulator.replay.replay import ReplayOptions, replay
from simulator.replay.tracejob import job_of
from simulator.run import load_plan, run_plan
from simulator.workload.callfile import CallFileError, read_calls, write_calls
from tests.traces.darshan_bytes import record, segments, stripes, write

MACHINE = """\
format: machine/2
name: four
nodes:
  client: {count: 1}
parts:
  disk: {kind: disk, at: client, count: 4, rate: 100 MB/s, seek: 0 s}
filesystems:
  scratch: {tiers: [{stripe: 1 MB, over: 1, of: disk}, disk]}
"""
CALLS = """\
client,do,file,offset,size,gap_ns
,file,/scratch/out,0,8000000,
,stripes,/scratch/out,{count},{size},
a,start,,,,0
a,write,/scratch/out,0,8000000,
"""
FILE = "/scratch/out"
MB = 1_000_000
CALL_NS = 2000
"""The call_overhead of a node without a cpu part."""


def machine_of(tmp_path: Path) -> Path:
    path = tmp_path / "four.yaml"
    path.write_text(MACHINE)
    return path


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("count", "size", "ms"),
    [(1, MB, 80), (2, MB, 40), (4, MB, 20), (64, MB, 20), (4, 3 * MB, 30)],
)
def test_a_file_is_on_as_many_members_as_its_stripes_say(tmp_path, engine, count, size, ms):
    """8 MB at 100 MB/s on 1, 2 or 4 members; of 3 MB each, three have 3, 3 and 2 MB."""
    (tmp_path / "job.calls.csv").write_text(CALLS.format(count=count, size=size))
    job = tmp_path / "job.yaml"
    job.write_text(
        "format: workload/2\nname: job\njobs: [{name: one, calls: {file: job.calls.csv}}]\n"
    )
    plan = load_plan(str(machine_of(tmp_path)), str(job))
    assert run_plan(plan, engine=engine).elapsed_ns == ms * MB + CALL_NS


needs_darshan = pytest.mark.skipif(
    not (find_spec("darshan") and find_spec("duckdb")), reason="needs PyDarshan and DuckDB"
)
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def log_of(tmp_path: Path, targets: list[int]) -> Path:
    """Write a log of 8 ranks that write 8 MB of one file each, by DXT."""
    moved, modules = b"", b""
    for rank in range(8):
        moved += segments(4711, rank, writes=[(rank * 8 * MB, 8 * MB, 1.0, 1.5)])
        modules += record("POSIX", 4711, rank, {"WRITES": 1, "BYTES_WRITTEN": 8 * MB})
    return write(
        tmp_path / "job.darshan",
        {
            "POSIX": modules,
            "DXT_POSIX": moved,
            "LUSTRE": stripes(4711, -1, MB, targets),
        },
        names={4711: FILE},
        nprocs=8,
    )


@needs_darshan
@quiet
def test_a_replay_has_the_stripes_of_the_log_and_says_so(capsys, tmp_path):
    path, machine = log_of(tmp_path, [7, 9]), machine_of(tmp_path)
    words = ["replay", str(path), "--on", str(machine), "--no-limits", "--think", "none"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["replay"]
    assert found["predicted_elapsed_s"] == pytest.approx(0.32, abs=1e-5)  # 64 MB on two disks.
    assert main([*words, "--full"]) == 0
    assert "Stripes of files are those of the log: 2 of 1 MB" in capsys.readouterr().out


@needs_darshan
@quiet
def test_more_stripes_are_a_change_from_those_of_the_log(tmp_path):
    path = log_of(tmp_path, [7])
    variants = machine_variants(str(machine_of(tmp_path)), ())
    machine = variants.load(())
    done = replay([path], machine, ReplayOptions(think=Fraction(0)))
    assert done.result.elapsed_ns == 640 * MB + CALL_NS
    found = {one.pattern: one for one in findings_in(program_of(done, done.placed, machine))}
    cures = [one for one in found["shared-hotspot"].cures if "setstripe" in one.how]
    job = job_of(done, variants, ())
    assert [job.run(one.change).elapsed_ns // MB for one in cures] == [320, 160]
    assert "2 instead of 1, as in the log (lfs setstripe -c 2," in cures[0].how


def test_a_list_of_calls_keeps_stripes_and_refuses_none(tmp_path: Path) -> None:
    path, text = tmp_path / "job.calls.csv", CALLS.format(count=2, size=MB)
    path.write_text(text)
    traced = read_calls(path, "job")
    assert traced.files[0].stripes == (2, MB)
    with path.open("w") as out:
        write_calls(traced, out)
    assert read_calls(path, "job").files == traced.files
    path.write_text(text.replace(f",2,{MB},", ",0,0,"))
    with pytest.raises(CallFileError, match="stripes: write how many under 'offset'"):
        read_calls(path, "job")

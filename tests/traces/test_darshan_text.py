"""Text of darshan-parser and darshan-dxt-parser: the same as the log that it was made of."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")

from simulator.cli.main import main
from simulator.traces.darshan_log import DarshanTrace
from simulator.traces.errors import DarshanError
from simulator.traces.logs import read_logs
from tests.traces.darshan_bytes import record, write

NAMES = {1: "/scratch/a b.dat", 2: "/scratch/other"}
NO_PYDARSHAN = find_spec("darshan") is None
RULE = "# *******************************************************"
SAMPLE = f"""\
# darshan log version: 3.41
# compression method: ZLIB
# exe: ./ior -a POSIX
# uid: 69628
# jobid: 83017637
# start_time: 1490000867
# start_time_asci: Mon Mar 20 09:07:47 2017
# end_time: 1490000983
# end_time_asci: Mon Mar 20 09:09:43 2017
# nprocs: 2
# run time: 117.0000
# metadata: lib_ver = 3.4.1

# log file regions
# -------------------------------------------------------
# header: 360 bytes (uncompressed)
# job data: 202 bytes (compressed)
# record table: 79 bytes (compressed)
# POSIX module: 186 bytes (compressed), ver=4
# FUTURE module: 20 bytes (compressed), ver=1

# mounted file systems (mount point and fs type)
# -------------------------------------------------------
# mount entry:\t/scratch\tlustre

{RULE}
# POSIX module data
{RULE}

# description of POSIX counters:
#   POSIX_*: posix operation counts.
#   POSIX_F_*_START_TIMESTAMP: timestamp of first open/read/write/close.

#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>
"""


def counter(name: str, value: object, *, rank: int = 0, number: int = 7) -> str:
    return f"POSIX\t{rank}\t{number}\tPOSIX_{name}\t{value}\t/scratch/out\t/scratch\tlustre\n"


LINES = counter("OPENS", 2, rank=-1) + counter("WRITES", 64, rank=-1)
LINES += counter("BYTES_WRITTEN", 268435456, rank=-1) + counter("F_WRITE_TIME", 93.5, rank=-1)
TOTAL = "\n# Total counters\ntotal_POSIX_OPENS: 2\ntotal_POSIX_F_WRITE_TIME: 93.500000\n"
DXT = """\
# DXT, file_id: 7, file_name: /scratch/out
# DXT, rank: RANK, hostname: nid00021
# DXT, write_count: 2, read_count: 1
# DXT, mnt_pt: /scratch, fs_type: lustre
# DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 2
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)  [OST]
 X_POSIX    RANK  write        0               0      1048576      4.9076      4.9176  [  3]
 X_POSIX    RANK  write        1         1048576      1048576      4.9176      4.9276  [  5]
 X_POSIX    RANK   read        0               0      1048576      5.0000      5.0100
"""


def text_of(log: Path) -> str:
    """Write a log as darshan-parser does."""
    from darshan.backend import cffi_backend as library

    opened = library.log_open(str(log))
    job, names = library.log_get_job(opened), library.log_get_name_records(opened)
    modules = library.log_get_modules(opened)
    lines = [f"# darshan log version: {job['log_ver']}", f"# uid: {job['uid']}"]
    lines += [f"# jobid: {job['jobid']}", f"# start_time: {job['start_time_sec']}"]
    lines += [f"# end_time: {job['end_time_sec']}", f"# nprocs: {job['nprocs']}"]
    lines += [f"# run time: {job['run_time']!r}", f"# exe: {library.log_get_exe(opened)}"]
    lines += [f"# {name} module: 10 bytes (compressed), ver=1" for name in modules]
    for module in [name for name in modules if name in library._structdefs]:
        lines += ["", RULE, f"# {module} module data", RULE]
        if modules[module]["partial_flag"]:
            lines.append(f"# *WARNING*: {module} module contains incomplete data!")
        while (one := library.log_get_record(opened, module, "dict")) is not None:
            head = f"{module}\t{one.get('rank', 0)}\t{one['id']}"
            tail = f"{names.get(one['id'], 'UNKNOWN')}\t/\text4"
            each = one.get("counters", {}) | one.get("fcounters", {})
            if "file_rec_id" in one:
                each = each | {f"{module}_FILE_REC_ID": one["file_rec_id"]}
            for number, part in enumerate(one.get("components", ()), 1):
                each = each | {
                    name.replace("COMP_", f"COMP{number}_"): value
                    for name, value in part["counters"].items()
                }
                each |= {
                    f"LUSTRE_COMP{number}_OST_ID_{place}": target
                    for place, target in enumerate(part["ost_ids"])
                }
                lines.append(f"{head}\tLUSTRE_COMP{number}_POOL_NAME\tflash\t{tail}")
            if module == "HEATMAP":
                each = {"HEATMAP_F_BIN_WIDTH_SECONDS": one["bin_width_seconds"]}
                for way in ("read", "write"):
                    bins = enumerate(one[f"{way}_bins"].tolist())
                    each |= {f"HEATMAP_{way.upper()}_BIN_{place}": value for place, value in bins}
            for name, value in each.items():
                plain = value.item() if hasattr(value, "item") else value
                lines.append(f"{head}\t{name}\t{plain!r}\t{tail}")
    return "\n".join(lines) + "\n"


def found(trace: Any) -> dict[str, Any]:
    """Return what a log says, without what text has in other digits."""
    for _ in trace.batches():
        pass
    said: dict[str, Any] = trace.about["darshan"]
    drop = ("start_ns", "end_ns", "traced", "segments", "segments_of", "processes", "counted")
    return {key: value for key, value in said.items() if key not in drop}


@pytest.mark.skipif(NO_PYDARSHAN, reason="needs darshan")
def test_text_says_what_the_log_says(tmp_path: Path) -> None:
    read = {"OPENS": 1, "READS": 9, "BYTES_READ": 9000, "F_READ_TIME": 0.5, "F_META_TIME": -1.0}
    posix = b"".join(record("POSIX", 1, rank, read) for rank in (0, 1))
    modules = {"POSIX": posix, "H5D": record("H5D", 2, -1, {"READS": 3}, file=1)}
    log = write(tmp_path / "one.darshan", modules, names=NAMES, partial=("POSIX",))
    (tmp_path / "one.txt").write_text(text_of(log))
    assert found(read_logs([tmp_path / "one.txt"])) == found(DarshanTrace(log))


@pytest.mark.slow
@pytest.mark.skipif(NO_PYDARSHAN, reason="needs darshan")
def test_text_of_public_logs_says_what_they_say(tmp_path: Path, shared_dir: Path) -> None:
    logs = sorted((shared_dir / "data" / "darshan").rglob("*.darshan"))
    assert logs
    for log in logs:
        (tmp_path / "text").write_text(text_of(log), errors="surrogateescape")
        assert found(read_logs([tmp_path / "text"])) == found(DarshanTrace(log)), log.name


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["trace", *words]) == 0
    return capsys.readouterr().out


def test_the_sample_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.txt"
    path.write_text(SAMPLE + LINES + TOTAL)
    summary = told(capsys, "summary", str(path))
    assert "write" in summary
    assert "268" in summary
    assert "calls of FUTURE, which are not read" in " ".join(
        told(capsys, "check", str(path)).split()
    )


def test_segments_are_rows_and_what_lacks_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "dxt.txt"
    head = SAMPLE.partition("# POSIX module data")[0]
    path.write_text(head + DXT.replace("RANK", "0") + DXT.replace("RANK", "1"))
    trace = read_logs([path])
    rows = [row for batch in trace.batches() for row in batch.to_pylist()]
    assert [(row["pid"], row["call"], row["offset"], row["returned"]) for row in rows] == [
        (rank, call, offset, 1048576)
        for call, offset in (("write", 0), ("write", 1048576), ("read", 0))
        for rank in (0, 1)
    ]
    assert {row["duration_ns"] for row in rows} == {10_000_000}
    assert rows[0]["time_ns"] == 1490000867 * 10**9 + 4_907_600_000
    said = " ".join(told(capsys, "check", str(path)).split())
    assert "has reads and writes only" in said
    assert "4.19 MB" in said


LAST = (SAMPLE + LINES).count("\n") + 1
WRONG = {
    counter("OPENS", "many"): "column 5, 'many', is no number",
    counter("OPENS", 1).replace("\t7\t", "\tseven\t"): "column 3, 'seven', is no number",
    "POSIX\t0\t7\n": "neither a counter of darshan-parser nor a segment",
    DXT.replace("RANK", "0").partition("\n")[2]: "a segment before '# DXT, file_id:'",
}


@pytest.mark.parametrize(("line", "about"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, line: str, about: str) -> None:
    path = tmp_path / "out.txt"
    path.write_text(SAMPLE + LINES + line)
    with pytest.raises(DarshanError) as caught:
        list(read_logs([path]).batches())
    lines = path.read_text().splitlines()
    number = next(at for at in range(LAST, len(lines) + 1) if not lines[at - 1].startswith("#"))
    assert str(caught.value).startswith(f"{path}:{number}: ")
    assert about in str(caught.value)


@pytest.mark.parametrize("key", ["nprocs", "run time", "start_time"])
def test_a_text_without_its_beginning_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "out.txt"
    kept = [line for line in SAMPLE.splitlines() if not line.startswith(f"# {key}:")]
    path.write_text("\n".join(kept) + "\n" + LINES)
    with pytest.raises(DarshanError, match=f"the line '# {key}: ' is missing"):
        list(read_logs([path]).batches())

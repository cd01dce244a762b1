"""Files as large as a run goes: what is over is told by file and line."""

import pytest

from simulator.cli.main import main

MACHINE = """\
format: machine/2
name: x
parts:
  disk: {kind: queue, rate: 1000 PB/s}
filesystems:
  fs: [disk]
"""
WORKLOAD = """\
format: workload/2
name: w
files: {f: {size: SIZE, exists: true}}
jobs: [{name: a, record: RECORD, phases: [{do: read, file: f}]}]
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("size", "record"),
    [
        ("2048 PiB", "1 PiB"),  # 2^61 bytes, and the lengths of 2,048 records
        ("2048 PiB", "[1 PiB, 2 PiB]"),
        ("3000 PiB", "1 PiB"),
    ],
)
def test_a_file_of_records_is_over_the_limit_with_their_lengths(
    tmp_path, capsys, monkeypatch, engine, size, record
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.yaml").write_text(MACHINE)
    (tmp_path / "w.yaml").write_text(WORKLOAD.replace("SIZE", size).replace("RECORD", record))
    assert main(["run", "m.yaml", "w.yaml", "--engine", engine]) == 2
    told = capsys.readouterr().err
    assert told.startswith("w.yaml:3:")
    assert "2048 PiB; write less" in told

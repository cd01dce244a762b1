"""The command of sweeps, and what is left when one is killed."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.study.figures import COLUMNS
from tests.study.test_sweep import Capture


class TestCommand:
    WORDS = ("sweep", "nwt", "test-write", "--set", "workload.files.output.size=4 MB", "--jobs=1")

    def test_leaves_a_table_a_manifest_and_a_plot(self, tmp_path: Path, capsys: Capture) -> None:
        out = tmp_path / "deep" / "out"
        words = [*self.WORDS, "--vary", "buffer=600 kB,8 MB", "--out", str(out)]
        assert main(words) == 0
        said = capsys.readouterr()
        assert said.err == ""  # No terminal, no bar.
        assert "2 points" in said.out
        names = {"points.csv", "points.json", "sweep.json", "plot.png", "plot.svg"}
        assert {path.name for path in out.iterdir()} == names
        with (out / "points.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["buffer"] for row in rows] == ["600 kB", "8 MB"]
        assert [row["buffer_bytes"] for row in rows] == ["600000", "8000000"]
        assert {*COLUMNS, "digest"} <= rows[0].keys()
        points = json.loads((out / "points.json").read_text())
        assert points[1]["write_MBps"] == float(rows[1]["write_MBps"])
        manifest = json.loads((out / "sweep.json").read_text())
        assert manifest["command"].startswith("nwtsim sweep nwt test-write --vary 'buffer=600 kB,8")
        assert manifest["identity"]["versions"].keys() == {"nwtsim", "python", "simpy", "numpy"}
        before = {path.name: path.read_bytes() for path in out.iterdir()}
        assert main(words) == 0
        assert "(0 run now)" in capsys.readouterr().out
        assert {path.name: path.read_bytes() for path in out.iterdir()} == before

    def test_three_values_have_no_plot(self, tmp_path: Path) -> None:
        vary = ["--vary", "buffer=1 MB,2 MB", "--vary", "policy=nwt", "--vary", "record=8 kB"]
        assert main([*self.WORDS, *vary, "--out", str(tmp_path)]) == 0
        assert not (tmp_path / "plot.png").exists()
        assert (tmp_path / "points.csv").exists()

    def test_progress_can_be_had_without_a_terminal(self, tmp_path: Path, capsys: Capture) -> None:
        words = [*self.WORDS, "--vary", "buffer=1 MB", "--progress", "--out", str(tmp_path)]
        assert main(words) == 0
        assert "1/1" in capsys.readouterr().err

    def test_mistakes_come_before_anything_is_made(self, tmp_path: Path, capsys: Capture) -> None:
        out = tmp_path / "out"
        assert main([*self.WORDS, "--vary", "ssu.block=3 MB", "--out", str(out)]) == 2
        assert "blocks of 3 MB" in capsys.readouterr().err
        assert not out.exists()

    def test_another_sweep_is_refused(self, tmp_path: Path, capsys: Capture) -> None:
        words = [*self.WORDS, "--out", str(tmp_path), "--vary"]
        assert main([*words, "buffer=1 MB"]) == 0
        assert main([*words, "buffer=2 MB"]) == 2
        assert "--force" in capsys.readouterr().err
        assert main([*words, "buffer=2 MB", "--force"]) == 0


STOPPING = """
import signal, sys
from simulator.cli.main import main
from simulator.study.folder import Folder

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
stop_at = int(sys.argv[1])
add = Folder.add
def add_and_stop(kept, records):
    for one in records:
        add(kept, [one])
        kept._saving.flush()
        if kept.count == stop_at:
            print("stopped", flush=True)
            sys.stdin.read()  # until the test ends this process, or its own end
Folder.add = add_and_stop
sys.exit(main(sys.argv[2:]))
"""
"""The command, but it stops as soon as so many points are kept."""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
class TestKilled:
    """The real program, ended from outside in the middle of its work."""

    WORDS = (
        *("sweep", "nwt", "test-write", "--set=workload.files.output.size=4 MB", "--seed=3"),
        *("--vary", "record=4 kB..8 kB +1 kB", "--vary", "policy=nwt,flang"),
        *("--vary", "buffer=1 MB"),  # three values: no plot
    )
    POINTS = 10

    def start(self, out: Path, root: Path, stop_at: int) -> subprocess.Popen[str]:
        """Start the sweep; give it when it has stopped, with so many points kept."""
        program = [sys.executable, "-c", STOPPING, str(stop_at)]
        process = subprocess.Popen(
            [*program, *self.WORDS, "--jobs=2", "--out", str(out)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=root,
            start_new_session=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "stopped\n"
        return process

    @pytest.mark.slow
    def test_goes_on_where_it_was(self, tmp_path: Path, root: Path, capsys: Capture) -> None:
        out = tmp_path / "killed"
        process = self.start(out, root, stop_at=2)
        os.killpg(process.pid, signal.SIGINT)  # As Ctrl-C does: to all processes at once.
        _, said = process.communicate()
        assert process.returncode == 130
        assert f"2 of {self.POINTS} points are kept in" in said
        assert "Traceback" not in said
        process = self.start(out, root, stop_at=5)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert main([*self.WORDS, "--jobs=2", "--out", str(out)]) == 0
        printed = capsys.readouterr()
        assert f"{self.POINTS} points in {out} ({self.POINTS - 5} run" in printed.out
        assert printed.err == ""
        whole = tmp_path / "whole"
        assert main([*self.WORDS, "--jobs=1", "--out", str(whole)]) == 0
        names = sorted(path.name for path in whole.iterdir())
        assert sorted(path.name for path in out.iterdir()) == names
        for name in names:
            assert (out / name).read_bytes() == (whole / name).read_bytes()

"""Every command as a user types it: what it prints, where, and its exit code."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.cli.main import main
from simulator.plan.errors import SimulationError
from simulator.units import format_time
from tests.cli.commands import Capture, as_json, refused

NWTSIM = (sys.executable, "-m", "simulator")
SMALL = ("--set", "workload.files.output.size=20 MB")


def run_json(capsys: Capture, *words: str) -> Any:
    return as_json(capsys, "run", "nwt", *words)


class TestRun:
    def test_json_has_the_keys_of_the_contract(self, capsys: Capture) -> None:
        result = run_json(capsys, "test-write", *SMALL)
        (process,) = result["processes"]
        assert process["write"].keys() == {
            *("bytes", "begin_ns", "elapsed_ns", "rate_MBps"),
            *("io_ns", "io_MBps", "calls_ns", "calls_MBps"),
        }
        assert process["write"]["bytes"] == 20_000_000
        assert result["elapsed_ns"] == process["write"]["elapsed_ns"]
        for part in result["parts"].values():
            assert {"requests", "bytes", "busy_ns", "utilisation"} <= part.keys()
        counters = {"hits", "misses", "fetched", "written_back", "released", "read_back"}
        assert counters <= result["stores"]["ssu"].keys()
        assert result["versions"].keys() == {"nwtsim", "python", "simpy", "numpy"}
        assert {"events", "seed", "engine", "digest", "noise"} <= result.keys()

    def test_the_same_command_gives_the_same_bytes(self, capsys: Capture) -> None:
        texts = []
        for _ in range(2):
            assert main(["run", "nwt", "test-write", *SMALL, "--seed", "7", "--format=json"]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]

    def test_without_a_seed_nothing_varies(self, capsys: Capture) -> None:
        assert run_json(capsys, "test-write", *SMALL)["noise"] is False
        first, second = (
            run_json(capsys, "test-write", *SMALL, "--seed", seed) for seed in ("0", "1")
        )
        assert first["noise"] is second["noise"] is True
        assert first["elapsed_ns"] != second["elapsed_ns"]

    def test_a_knob_is_a_setting_and_the_last_one_wins(self, capsys: Capture) -> None:
        by_knob = run_json(capsys, "test-write", *SMALL, "--buffer", "8 MB")
        by_path = run_json(
            capsys, "test-write", *SMALL, "--buffer=1 MB", "--set", "workload.jobs.*.buffer=8 MB"
        )
        assert by_knob == by_path
        assert by_knob["digest"] != run_json(capsys, "test-write", *SMALL)["digest"]

    def test_the_engines_have_names(self, capsys: Capture) -> None:
        named = run_json(capsys, "test-write", *SMALL, "--engine", "reference")
        native = run_json(capsys, "test-write", *SMALL, "--engine", "native")
        assert (named.pop("engine"), native["engine"]) == ("reference", "native")
        auto = run_json(capsys, "test-write", *SMALL, "--engine", "auto")
        assert (native.pop("why"), auto.pop("why")) == (
            "requested",
            "auto: it supports the whole plan",
        )
        assert native == auto
        del native["engine"], named["why"]
        assert named == native

    def test_the_table_tells_rate_bottleneck_and_reason(self, capsys: Capture) -> None:
        assert main(["run", "nwt", "test-write", "--debug", "--full"]) == 0
        text = capsys.readouterr().out
        result = run_json(capsys, "test-write")
        rate = result["processes"][0]["write"]["rate_MBps"]
        assert f"{rate:.1f} MB/s (" in text
        assert "busiest resource: array" in text
        assert "longest wait: ssu.writeback" in text
        assert f"100.0 %  = {format_time(result['elapsed_ns'])} elapsed" in text
        prose = " ".join(text.split())
        assert (
            "the program waits to rewrite bytes in ssu that are still on their way to disk" in prose
        )
        said = [line for line in text.splitlines() if ": nwtsim run " not in line]
        assert all(len(line) <= 105 for line in said)

    def test_the_report_goes_to_a_file(self, tmp_path: Path, capsys: Capture) -> None:
        out = tmp_path / "report.txt"
        out.write_text("old")
        assert main(["run", "nwt", "test-write", *SMALL, "--out", str(out)]) == 0
        assert capsys.readouterr().out == ""
        assert out.read_text().startswith("test-write on nwt")
        assert list(tmp_path.iterdir()) == [out]

    def test_doubts_go_to_standard_error(self, capsys: Capture) -> None:
        assert main(["run", "nwt", "test-write", *SMALL, "--clients", "2"]) == 0
        said = capsys.readouterr()
        assert "lockstep" in said.err
        assert "lockstep" not in said.out

    @pytest.mark.parametrize(
        ("error", "code", "said"),
        [
            (SimulationError("clients wait for ever: test.3"), 3, "clients wait for ever: test.3"),
            (ZeroDivisionError(), 3, "defect"),  # And no result outside the published range: 1.
            (KeyboardInterrupt(), 130, "interrupted"),
        ],
    )
    def test_a_run_that_fails_has_its_code(
        self,
        error: BaseException,
        code: int,
        said: str,
        capsys: Capture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def failing(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("simulator.reference.run.run_reference", failing)
        assert main(["run", "nwt", "test-write", "--engine", "reference"]) == code
        assert said in capsys.readouterr().err


class TestBadInput:
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (
                ["run", "nwt", "test-write", "--set", "foo"],
                "'foo' is not a setting; write PATH=VALUE",
            ),
            (["run", "nwt", "test-write", "--set", "=3"], "'=3' is not a setting"),
            (["run", "nwt", "test-write", "--set", "bufer=3"], "did you mean 'buffer'?"),
            (["run", "nwt", "test-write", "--buffer", "600 KB"], "'600 KB' is ambiguous"),
            (["run", "nwt", "test-write", "--path", "scsf"], "did you mean 'scfs'"),
            (["run", "nwt", "test-write", "--seed", "-1"], "not a whole number from 0 to"),
            (["run", "nwt", "test-write", "--seed", str(2**63)], "not a whole number from 0 to"),
            (["run", "nwt", "test-write", "--seed", "1.5"], "not a whole number from 0 to"),
            (["run", "nwt", "test-write", "--engine", "fast"], "invalid choice: 'fast'"),
            (
                ["run", "nwt", "test-write", "--bufer", "3"],
                "--bufer: nwt has no 'bufer'; did you mean 'buffer'?",
            ),
            (["run", "nwt", "test-wriet"], "there is no such file"),
            (["run", "nwt"], "WORKLOAD"),
            (["run", "nwt", "test-write", "--html", "-"], "a page needs a file; write its name"),
            (["run", "nwt", "test-write", "--html", ""], "the name is empty; write one"),
            (["walk"], "invalid choice: 'walk'"),
            (["show", "nosuch"], "there is no such file"),
            (["schema", "study"], "invalid choice: 'study'"),
            (["reproduce", "nwt", "--runs", "0"], "not a whole number from 1 to"),
            (["reproduce", "nosuch"], "invalid choice: 'nosuch'"),
            (["calibrate", "nosuch"], "nosuch: there is no such file, and no fit of that name"),
        ],
    )
    def test_is_one_clear_message(self, words: list[str], said: str, capsys: Capture) -> None:
        assert said in refused(capsys, *words)

    def test_both_files_are_looked_at(self, capsys: Capture) -> None:
        said = refused(capsys, "run", "nosuch", "neither", "--buffer", "3")
        assert "nosuch: there is no such file" in said
        assert "neither: there is no such file" in said

    @pytest.mark.parametrize("option", ["--out", "--timeline", "--curves", "--html"])
    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("nowhere/x.json", "there is no such folder"),
            ("", "this is a folder"),
            ("file/x.json", "is a file, not a folder"),
            ("x" * 300, "too long"),
        ],
    )
    def test_a_file_that_cannot_be_written_is_found_out_before_the_run(
        self,
        option: str,
        name: str,
        said: str,
        tmp_path: Path,
        capsys: Capture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def too_late(*_: object, **__: object) -> None:
            raise AssertionError

        monkeypatch.setattr("simulator.run.run_plan", too_late)
        (tmp_path / "file").touch()
        assert said in refused(capsys, "run", "nwt", "test-write", option, f"{tmp_path}/{name}")


class TestCheck:
    def test_good_files_say_what_they_are(self, capsys: Capture, root: Path) -> None:
        machine = str(root / "configs/machines/nwt.yaml")
        assert main(["check", machine, "test-read"]) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert first.startswith(f"{machine}: ok (machine nwt of machine/2, ")
        assert " from the paper, " in first
        assert second.startswith("test-read: ok (workload test-read of workload/2, ")

    def test_all_mistakes_of_all_files_are_told(self, capsys: Capture, tmp_path: Path) -> None:
        machine, workload = tmp_path / "m.yaml", tmp_path / "w.yaml"
        machine.write_text("format: machine/2\nname: m\nnodes: {pe: -1}\n")
        workload.write_text("format: workload/2\nname: w\njobs: []\n")
        assert main(["check", str(machine), "nwt", str(workload)]) == 2
        said = capsys.readouterr()
        assert f"{machine}:3:" in said.err
        assert f"{workload}:3:" in said.err
        assert said.out.startswith("nwt: ok")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("format: machine/9\n", "write machine/2, workload/2, fit/1 or requirement/1"),
            ("format: workload/9\n", "write machine/2, workload/2, fit/1 or requirement/1"),
            ("name: w\nfiles: {}\njobs: []\n", "format: is missing"),
            ("", "empty"),
        ],
    )
    def test_a_file_of_no_known_kind(
        self, text: str, said: str, capsys: Capture, tmp_path: Path
    ) -> None:
        file = tmp_path / "file.yaml"
        file.write_text(text)
        assert said in refused(capsys, "check", str(file))

    def test_a_machine_that_lacks_only_its_format(self, capsys: Capture, tmp_path: Path) -> None:
        file = tmp_path / "file.yaml"
        file.write_text(
            "name: m\nparts: {disk: {kind: disk, rate: 1 MB/s}}\nfilesystems: {h: [disk]}\n"
        )
        told = refused(capsys, "check", str(file)).splitlines()
        assert told == [f"{file}:1:1: format: is missing; write it like 'format: machine/2'"]


class TestShowAndSchema:
    def test_show_draws_and_lists(self, capsys: Capture) -> None:
        assert main(["show", "nwt", "--full"]) == 0
        text = capsys.readouterr().out
        assert "421 MB/s" in text.partition("\nvalue")[0]
        assert "literature mynavi" in text
        assert "mynavi: Mynavi Techplus" in text

    def test_show_for_programs(self, capsys: Capture) -> None:
        assert main(["show", "nwt", "--format", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        values = {one["path"]: one for one in shown["values"]}
        block = values["stores.ssu.block"]
        assert (block["value"], block["source"], block["detail"]) == ("8 MB", "paper", "5.1")

    @pytest.mark.parametrize("kind", ["machine", "workload"])
    def test_schema(self, kind: str, capsys: Capture) -> None:
        assert main(["schema", kind]) == 0
        assert json.loads(capsys.readouterr().out)["$id"] == f"urn:nwtsim:{kind}:2"

    def test_schema_of_a_report(self, capsys: Capture) -> None:
        assert main(["schema", "report"]) == 0
        printed = yaml.safe_load(capsys.readouterr().out)
        assert printed["run"]["keys"]["digest"].startswith("SHA-256")
        assert "replay" in printed


class TestFortranOps:
    WORDS = (
        *("trace", "fortran-ops", "--policy", "nwt"),
        "--record=52",
        "--count=1",
        "--buffer=50",
    )

    def test_every_format_has_the_same_calls(self, capsys: Capture) -> None:
        """A record of 52 bytes in pieces of 50: the length is written when the end is known."""
        wanted = [
            *(("write", 0, 50), ("lseek", 0, 0), ("write", 0, 4)),
            *(("lseek", 50, 0), ("write", 50, 10)),
        ]
        assert main([*self.WORDS]) == 0
        head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
        assert head == ["op", "offset", "size"]
        assert [(op, int(offset), int(size)) for op, offset, size in rows] == wanted
        assert main([*self.WORDS, "--format", "json"]) == 0
        assert [tuple(one.values()) for one in json.loads(capsys.readouterr().out)] == wanted
        none = ["--count=0" if word == "--count=1" else word for word in self.WORDS]
        assert main([*none, "--format=json"]) == 0
        assert json.loads(capsys.readouterr().out) == []
        assert main([*self.WORDS, "--read"]) == 0
        assert "read" in capsys.readouterr().out

    def test_lengths_take_turns_and_units_are_read(self, capsys: Capture) -> None:
        words = ["trace", "fortran-ops", "--policy", "flang", "--count", "3"]
        assert main([*words, "--record", "1 kB,8"]) == 0
        by_unit = capsys.readouterr().out
        assert main([*words, "--record", "1000,8"]) == 0
        assert capsys.readouterr().out == by_unit
        sizes = [int(line.split(",")[2]) for line in by_unit.splitlines()[1:]]
        assert sum(sizes) == 1000 + 8 + 1000 + 3 * 8

    @pytest.mark.parametrize(
        ("option", "value", "said"),
        [
            ("--record", "x", "'x' is not a size"),
            ("--record", "8,,8", "nothing was read"),
            ("--record", "-8", "argument --record"),
            ("--count", "-1", "argument --count"),
            ("--count", "many", "not a whole number"),
            ("--buffer", "0", "not a whole number from 1"),
            ("--policy", "ifort", "there is no 'ifort'; did you mean 'gfortran'?"),
        ],
    )
    def test_bad_values(self, option: str, value: str, said: str, capsys: Capture) -> None:
        assert said in refused(capsys, *self.WORDS, option, value)


class TestPipes:
    def test_a_reader_who_leaves_is_no_error(self) -> None:
        words = ["trace", "fortran-ops", "--policy=nwt", "--record=100", "--count=1000000000"]
        with subprocess.Popen(
            [*NWTSIM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "op,offset,size\n"
            process.stdout.close()
            assert process.stderr.read() == ""
        assert process.returncode == 0

    def test_show_into_a_closed_pipe(self) -> None:
        command = f"{sys.executable} -m simulator show nwt | head -n 1"
        ran = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.startswith("nwt: ")
        assert ran.stderr == ""

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_disk_is_said(self) -> None:
        with Path("/dev/full").open("w") as full:
            ran = subprocess.run(
                [*NWTSIM, "show", "nwt"],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert ran.returncode == 2
        assert ran.stderr == "standard output: No space left on device\n"

    def test_an_encoding_that_lacks_characters(self, tmp_path: Path, root: Path) -> None:
        machine = (root / "configs/machines/nwt.yaml").read_text(encoding="utf-8")
        japanese = tmp_path / "machine.yaml"
        title = machine.replace("title: Numerical Wind Tunnel", "title: 数値風洞")
        japanese.write_text(title, encoding="utf-8")
        ran = subprocess.run(
            [*NWTSIM, "show", str(japanese)],
            env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.startswith("nwt: \\u6570")


class TestReproduce:
    def test_inside_and_outside_have_their_codes(
        self, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from simulator.experiments.nwt import prediction_tables
        from simulator.experiments.validation import ledger_page, null_tables
        from simulator.report import first_screen, ledger
        from simulator.study.experiment import Experiment

        for passed, code in ((True, 0), (False, 1)):
            made = type("Made", (), {"passed": passed})()
            monkeypatch.setattr(Experiment, "reproduce", lambda *_, made=made, **__: made)
            monkeypatch.setattr(first_screen, "first_screen", lambda _: "the tables\n")
            monkeypatch.setattr(ledger, "render_ledger", lambda *_: "all\n")
            monkeypatch.setattr(prediction_tables, "predicted_blocks", lambda _: [])
            monkeypatch.setattr(null_tables, "formula_blocks", lambda _: [])
            monkeypatch.setattr(ledger_page, "claim_rules", lambda _: "rules\n")
            assert main(["reproduce", "nwt", "--runs", "1"]) == code
            assert capsys.readouterr().out == "the tables\n"
            assert main(["reproduce", "nwt", "--runs", "1", "--full"]) == code
            assert capsys.readouterr().out == "all\n\nrules\n"

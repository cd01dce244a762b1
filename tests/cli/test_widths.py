"""Every screen fits the columns that COLUMNS says, whatever is in it."""

import shlex
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.report.lined import fitted, table
from simulator.report.screen import LINES
from tests.cli.commands import Capture, parsers
from tests.sizing.texts import WIDE

WIDTHS = (60, 80)
INPUT = {
    "new": ["new fit --for nwt --workload test-write --force"],
    "show": ["show nwt", "show lustre-lab", "show nwt --knobs"],
    "check": ["check nwt", "check nwt test-write"],
    "measure": ["measure . --quick --time '1 s' --size '16 MiB' -o here.yaml --force"],
    "run": [
        "run nwt test-write --output.size '8 MB'",
        "run sr8000 sr8000-write-col --array.size '4 MiB'",
        "run lustre-lab shared-records --output.size '16 MiB'",
    ],
    "advise": ["advise nwt test-write --set 'output.size=8 MB'", "advise LOG --on nwt"],
    "compare": [
        "compare nwt test-write --set 'output.size=8 MB' --b-set arrays=2",
        "compare workstation nfs-lab --workload copy-file",
    ],
    "serve": [],  # It does not end: tests/play.
    "sweep": [
        "sweep nwt test-write --output.size '8 MB' --vary 'buffer=4 MB,8 MB' --no-plot --out one",
        "sweep nwt test-write --output.size '8 MB' --vary 'buffer=1 MB..8 MB x2' --out two",
    ],
    "calibrate": ["calibrate FIT -o fitted.yaml --force"],
    "uncertainty": ["uncertainty nwt test-write --set 'output.size=1 MB' --points 8"],
    "checkpoint": [
        "checkpoint raid-lab checkpoint-interval --clients 2 --checkpoint.size '64 MB'"
        " --mtbf '100 h' --no-whole"
    ],
    "size": ["size NEED"],
    "replay": ["replay LOG --on nwt"],
    "notebooks": ["notebooks copies --force"],
    "trace record": ["trace record --yes -o new.log -- true"],
    "trace import": ["trace import LOG -o job.parquet"],
    "trace summary": ["trace summary LOG", "trace summary LOG --errors"],
    "trace offsets": ["trace offsets LOG --file '*'"],
    "trace activity": ["trace activity LOG", "trace activity LOG --by file"],
    "trace fleet": ["trace fleet FOLDER", "trace fleet FOLDER --on nwt"],
    "trace workload": ["trace workload LOG -o job.yaml"],
    "trace fortran-ops": ["trace fortran-ops --policy nwt --record '100 B,1 kB' --count 10000"],
    **{f"trace {name}": [f"trace {name} LOG"] for name in ("sizes", "calls", "rate", "check")},
    "list": ["list"],
    "schema": ["schema machine"],
    "reproduce": ["reproduce ninf"],
}
"""What each command is carried out with."""
LONG = {
    "list": "it lists everything that comes with the program",
    "schema": "editors read it",
    "reproduce": "a published table stands whole beside the simulated one",
    "help": "all options of a command are in it",
}
"""Commands that may take more than a screen, and why."""
SLOW = ("measure", "reproduce", "trace record")
"""Commands that take seconds, or need programs that are not everywhere."""
ALL = [(" ".join(words), parser) for words, parser in parsers() if words != ["trace"]]
HELPS = ["--help", "trace --help", *(f"{name} --help" for name, _ in ALL)]
FULL = [
    name
    for name, parser in ALL
    if "--full" in parser._option_string_actions and name != "reproduce"
]
"""Not the whole of a study: its lists of claims do not fold in less than 100 columns."""
DISK = """\
format: machine/2
name: d
parts: {disk: {kind: disk, rate: 100 MB/s, seek: 5 ms, rotation: 8 ms}}
filesystems: {home: [disk]}
"""
READS = """\
format: workload/2
name: reads
files: {f: {size: 40 MB, exists: true}}
jobs: [{name: r, record: 4 MB, phases: [{do: read, file: f}]}]
"""
FIT = """\
format: fit/1
name: many
machine: d.yaml
workload: reads.yaml
parameters: {disk.rate: 90 MB/s}
measurements:
"""


def test_every_command_is_looked_at() -> None:
    assert set(INPUT) == {name for name, _ in ALL}
    assert {"run", "size", "calibrate", "measure", "trace offsets"} <= set(FULL)


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files for commands that take no shipped ones in a second."""
    rows = "".join(
        f"  - {{name: reads of {n} MB, set: {{record: {n} MB}}, elapsed: {400 + 250 // n} ms}}\n"
        for n in range(1, 5)
    )
    need = WIDE.replace("TIME", "300 ms").replace("1..6 +1", "2..3 +1").replace("1..4", "1..2")
    texts = {"d": DISK, "reads": READS, "fit": FIT + rows, "need": need}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def cases(commands: Iterable[str]) -> list[Any]:
    """Widths with commands; those that take seconds are slow, and tried with one width."""
    return [
        pytest.param(
            *(columns, line),
            marks=pytest.mark.slow if name in SLOW or columns != WIDTHS[0] else (),
            id=f"{columns}-{line}",
        )
        for name in commands
        for line in INPUT[name]
        for columns in (WIDTHS[:1] if name in SLOW else WIDTHS)
    ]


def lines_of(command: str, root: Path, capsys: Capture) -> list[str]:
    """Carry out a command; return what it prints."""
    for word, file in {
        "LOG": str(root / "notebooks" / "data" / "job.strace.gz"),
        "FOLDER": str(root / "notebooks" / "data"),
        "FIT": "fit.yaml",
        "NEED": "need.yaml",
    }.items():
        command = command.replace(word, file)
    Path("new.log").unlink(missing_ok=True)
    assert main(shlex.split(command)) == 0, capsys.readouterr().err
    return capsys.readouterr().out.splitlines()


def too_wide(lines: Sequence[str], columns: int) -> list[str]:
    """Return the lines that have words beyond the last column."""
    return [line for line in lines if len(line) > columns and " " in line.strip()]


@pytest.mark.few(10)
@pytest.mark.compiled
@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(("columns", "command"), cases(INPUT))
def test_what_a_command_prints_fits_a_screen(
    columns: int, command: str, root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command.startswith("trace record") and shutil.which("strace") is None:
        pytest.skip("there is no strace")
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = lines_of(command, root, capsys)
    assert too_wide(lines, columns) == [] or command.startswith("schema")
    assert len(lines) <= LINES or command.split(maxsplit=1)[0] in LONG


@pytest.mark.compiled
@pytest.mark.usefixtures("inputs")
@pytest.mark.few(2)
@pytest.mark.parametrize(("columns", "command"), cases(FULL))
def test_the_whole_of_it_fits_the_width(
    columns: int, command: str, root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert too_wide(lines_of(f"{command} --full", root, capsys), columns) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("columns", WIDTHS)
def test_all_help_fits_the_width(
    columns: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in HELPS:
        assert too_wide(lines_of(command, Path(), capsys), columns) == []


def test_a_wide_table_folds_its_texts_and_then_puts_columns_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    head, row = ["part", "about", "first", "second"], ["disk", "words " * 9, "1" * 20, "2" * 20]
    wide = table(head, [row], "llrr")
    monkeypatch.setenv("COLUMNS", "70")
    folded = table(head, [row], "llrr")
    assert "\n\n" not in folded
    assert sorted(folded.replace("-", "").split()) == sorted(wide.replace("-", "").split())
    monkeypatch.setenv("COLUMNS", "50")
    first, second = table(head, [row], "llrr").split("\n\n")
    assert first.split()[:3] == ["part", "about", "first"]
    assert second.split()[:2] == ["part", "second"]
    assert "disk" in second


def test_a_folded_command_is_one_to_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    command = "nwtsim run a.yaml b.yaml --set 'disk.rate=300 MB/s' --set 'other.size=1 MB' --seed 1"
    monkeypatch.setenv("COLUMNS", "50")
    text = fitted(f"  1.37 s: {command}\nand a sentence of words that goes on for a while longer")
    assert max(map(len, text.splitlines())) <= 50
    copied = text.partition(": ")[2].partition("\nand")[0].replace("\\\n", "")
    assert shlex.split(copied) == shlex.split(command)
    assert "\\" not in text.partition("\nand")[2]


def test_a_quoted_word_that_is_too_long_goes_on_as_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = "nwtsim run a b --set 'machine.parts.channel.rate={read: 8 MB/s, write: 9 MB/s}' -x"
    monkeypatch.setenv("COLUMNS", "45")
    text = fitted(f"  1 s: {command}")
    assert max(map(len, text.splitlines())) <= 45
    assert shlex.split(text.partition(": ")[2].replace("\\\n", "")) == shlex.split(command)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rum"], "there is no 'rum'; did you mean 'run'?"),
        (["trace", "sumary"], "there is no 'sumary'; did you mean 'summary'?"),
        (["list", "--format", "jsn"], "there is no 'jsn'; did you mean 'json'?"),
        (["list", "--formta=json"], "unknown: --formta=json; did you mean --format?"),
    ],
)
def test_a_near_miss_gets_its_name(words: list[str], said: str, capsys: Capture) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_nothing_asked_is_the_help(capsys: Capture) -> None:
    assert main([]) == 0
    assert "run and explain:" in capsys.readouterr().out


@pytest.mark.compiled
def test_quiet_is_the_report_and_errors_only(capsys: Capture) -> None:
    words = ["run", "lustre-lab", "shared-records", "--output.size", "16 MiB", "--no-limits"]
    assert main(words) == 0
    loud = capsys.readouterr()
    assert "warning: " in loud.err
    assert main([*words, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert (quiet.out, quiet.err) == (loud.out, "")
    assert main(["run", "nosuch", "test-write", "--quiet"]) == 2
    assert "nosuch: there is no such file" in capsys.readouterr().err
    assert main(["trace", "summary", "nosuch.log", "--quiet"]) == 2
    assert "nosuch.log: No such file" in capsys.readouterr().err

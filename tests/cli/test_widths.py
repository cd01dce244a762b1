"""Every screen fits the columns that COLUMNS says, whatever is in it."""

import shlex
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.report.lined import fitted, table
from tests.cli.commands import Capture

WIDTHS = (60, 80, 120)
COMMANDS = [
    "--help",
    "list",
    "show nwt",
    "show lustre-lab",
    "show nwt --knobs",
    "check nwt",
    "run --help",
    "run nwt test-write --output.size '8 MB'",
    "run sr8000 sr8000-write-col --array.size '4 MiB'",
    "run lustre-lab shared-records --output.size '16 MiB'",
    "advise nwt test-write --set 'output.size=8 MB'",
    "compare nwt test-write --set 'output.size=8 MB' --b-set arrays=2",
    "sweep nwt test-write --output.size '8 MB' --vary 'buffer=4 MB,8 MB' --no-plot --out OUT",
    "trace summary LOG",
    "trace sizes LOG",
    "trace calls LOG",
    "trace rate LOG",
    "trace check LOG",
    "replay LOG --on nwt",
    "reproduce ninf",
    "size --help",
    "uncertainty nwt --help",
]


@pytest.mark.compiled("simulator.native.engine")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_screen_fits(
    command: str, root: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = str(root / "notebooks" / "data" / "job.strace.gz")
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        words = shlex.split(command.replace("LOG", log))
        words = [word.replace("OUT", str(tmp_path / str(columns))) for word in words]
        assert main(words) == 0
        lines = capsys.readouterr().out.replace(str(tmp_path), "").splitlines()
        assert [line for line in lines if len(line) > columns and " " in line.strip()] == []


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


@pytest.mark.compiled("simulator.native.engine")
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

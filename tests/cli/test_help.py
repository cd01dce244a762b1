"""The command starts fast, and its help teaches; tables say how options are read."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import __version__
from simulator.cli import options
from simulator.cli.main import COMMANDS, main
from simulator.cli.shared import Table

HEAVY = ("numpy", "scipy", "matplotlib", "yaml", "simpy", "tqdm", "tabulate")
MOST_CPU_SECONDS = 0.4


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words, "--help"]) == 0
    return capsys.readouterr().out


def test_the_help_starts_in_time() -> None:
    seconds = []
    for _ in range(3):  # Other programs may be running: its own time counts, the least of three.
        before = os.times()
        command = [sys.executable, "-m", "simulator", "--help"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        user, system = (after[i] - before[i] for i in (2, 3))  # those of children
        seconds.append(user + system)
    assert min(seconds) < MOST_CPU_SECONDS


def test_the_help_waits_for_no_library() -> None:
    script = (
        "import sys; from simulator.cli.main import main; main(['--help'])\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert ran.stderr.strip() == "[]"


def test_the_help_lists_all_commands_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    text = help_of(capsys)
    assert set(re.findall(r"^  ([a-z]+)  +[a-z]", text, re.MULTILINE)) == set(COMMANDS)
    for words in ("0 good", "1 outside", "2 bad input", "3 the simulation failed", "130 inter"):
        assert words in text


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_paragraph_examples_and_exit_codes(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = help_of(capsys, command)
    paragraph = text.split("\n\n")[1]
    assert len(paragraph) > 100
    assert f"\n  nwtsim {command} " in text
    own = " 1 nothing meets it (the nearest is told)," if command == "size" else ""
    assert f"exit codes: 0 good,{own} 2 bad input" in text
    prose = text.partition("examples:")[0].split("settings, instead")[0]
    assert max(map(len, prose.splitlines())) <= 80


def test_the_version_names_engines_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    line = capsys.readouterr().out
    version = re.escape(__version__)
    assert re.fullmatch(
        rf"nwtsim {version} \(engines: native \(.*\), reference \(SimPy 4.*\); Python 3.*\)\n", line
    )


TABLE: Table = {
    "logs LOG file+": "several",
    "--runs N 1..9": "a whole number",
    "--seed N seed=7": "with a default",
    "[which calls]": "a group",
    "--call NAME names,": "several in one",
    "--data PATH file*": "one by one",
    "[]": "",
    "--cache HOW as-is|drop=as-is": "words",
    "--[no-]limits": "denied",
    "--lenient": "a flag",
    "--set PATH=VALUE setting*": "settings",
    "--top N": ("more for argparse", {"dest": "most"}),
    "format:table:json": "",
}


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    options.add(parser, TABLE)
    parser.set_defaults(parser=parser)
    return parser.parse_args(words)


def test_a_table_says_how_options_are_read() -> None:
    """By hand: each kind of option, and what it is where it is left out."""
    said = "a b --runs 9 --call x,y --call z --data d --cache drop --no-limits --set p=1 --top 3"
    found = parsed(*said.split(), "--format", "json")
    assert (found.logs, found.runs, found.seed) == ([Path("a"), Path("b")], 9, 7)
    assert (found.call, found.data, found.cache) == (["x", "y", "z"], [Path("d")], "drop")
    assert (found.limits, found.lenient, found.most) == (False, False, "3")
    assert (found.settings, found.format) == ([("p", "1")], "json")
    nothing = parsed("a")
    assert (nothing.call, nothing.data, nothing.cache, nothing.limits) == ([], [], "as-is", None)


def test_a_command_that_makes_the_same_has_the_options_that_were_given() -> None:
    names = "runs seed call data limits lenient settings"
    line = "--runs 2 --call x --call y --data d --no-limits --lenient --set p=1 --set q=2"
    given = line.split()
    assert options.words_of(parsed("a", *given), names) == given
    assert options.words_of(parsed("a"), names.replace("seed ", "")) == []


def test_what_cannot_be_read_is_told_as_its_reader_tells_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "nwt", "test-read", "--seed", "x"]) == 2
    said = capsys.readouterr().err
    assert "argument --seed: 'x' is not a whole number from 0 to" in said

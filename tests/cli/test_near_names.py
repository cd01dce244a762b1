"""A misspelt word of a command, or name that Python looks up, gets its near one.

All commands, subcommands, options and choices are walked in the parsers; an option that takes a
name must be in a list here, with what a misspelt one gets.
"""

from __future__ import annotations

import argparse
import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nwtsim
from simulator.cli.main import COMMANDS
from simulator.cli.trace import SUBCOMMANDS
from tests.cli.commands import Capture, parsers, refused
from tests.config.test_near_names import swapped

WORKSTATION = "workstation copy-file"
SMALL = "--set 'source.size=1 MB' --set 'copy.size=1 MB'"
PHASE = "--vary seed=1,2 --phase qqqq.0"
LOG = """\
7 1790000000.000000 openat(AT_FDCWD, "/data/input", O_RDONLY) = 3 <0.000010>
7 1790000000.001000 read(3, ""..., 65536) = 65536 <0.001000>
7 1790000000.005000 close(3) = 0 <0.000010>
"""


PARSERS = [pytest.param(one, id=" ".join(words)) for words, one in parsers()]


@pytest.mark.parametrize(
    "words", [*([one] for one in COMMANDS), *(["trace", one] for one in SUBCOMMANDS)], ids=" ".join
)
def test_a_misspelt_command_gets_its_near_one(words: list[str], capsys: Capture) -> None:
    *before, name = words
    assert f"did you mean {name!r}?" in refused(capsys, *before, swapped(name))


@pytest.mark.parametrize("parser", PARSERS)
def test_a_misspelt_choice_gets_its_near_one(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        for choice in action.choices or ():
            if isinstance(choice, str) and swapped(choice) != choice and action.type is None:
                with pytest.raises(argparse.ArgumentError, match="did you mean") as raised:
                    parser._check_value(action, swapped(choice))
                assert f"did you mean {choice!r}?" in str(raised.value)


@pytest.mark.parametrize(
    "words",
    [
        "list",
        "show workstation",
        "schema machine",
        "reproduce pagecache",
        "trace summary job.log",
        "replay job.log --on workstation",
        "compare workstation nwt",
        "size nwt-1997",
        "calibrate page-cache",
    ],
)
def test_a_misspelt_option_gets_its_near_one(words: str, capsys: Capture) -> None:
    """Of a command that has all that it needs: each option that it knows."""
    found = {" ".join(one): parser for one, parser in parsers()}
    named = words.split()
    parser = found.get(" ".join(named[:2])) or found[named[0]]
    for option in [one for one in parser._option_string_actions if one.startswith("--")]:
        if (wrong := f"--{swapped(option[2:])}") != option:
            assert f"did you mean {option}?" in refused(capsys, *named, wrong)


# -- options that take names ----------------------------------------------------------------------

NAMES: dict[str, tuple[str, str]] = {
    "list --for": ("list workloads --for wrokstation", "workstation"),
    "new --from": ("new machine --from wrokstation", "workstation"),
    "new --for": ("new requirement --for wrokstation", "workstation"),
    "new --workload": ("new fit --workload cpoy-file", "copy-file"),
    "show machine": ("show wrokstation", "workstation"),
    "check files": ("check cpoy-file", "copy-file"),
    "run machine": ("run wrokstation copy-file", "workstation"),
    "run workload": ("run workstation cpoy-file", "copy-file"),
    "run --set": ("run workstation copy-file --set 'dsik.rate=1 MB/s'", "disk.rate"),
    "run --policy": ("run workstation copy-file --policy psoix", "posix"),
    "run --path": ("run nwt test-read --path sfcs", "scfs"),
    "run --replications": ("run workstation copy-file --replications atuo", "auto"),
    "run options": ("run workstation copy-file --egnine native", "--engine"),
    "run settings": ("run workstation copy-file --dsik.rate '1 MB/s'", "disk.rate"),
    "sweep options": ("sweep workstation copy-file --vray seed=1,2 --out o", "--vary"),
    "run --job": (f"run workstation copy-file {SMALL} --job cpoy", "copy"),
    "advise inputs": ("advise wrokstation copy-file", "workstation"),
    "advise --set": ("advise workstation copy-file --set 'disk.raet=1 MB/s'", "disk.rate"),
    "advise --job": (f"advise workstation copy-file {SMALL} --job cpoy", "copy"),
    "advise --on": ("advise job.log --on wrokstation", "workstation"),
    "advise --path": ("advise job.log --on nwt --path sfcs", "scfs"),
    "advise --filesystem": ("advise job.log --on nwt --filesystem vlf", "vfl"),
    "advise --think": ("advise job.log --on nwt --think noen", "none"),
    "compare a": ("compare wrokstation nwt --workload copy-file", "workstation"),
    "compare b": ("compare nwt wrokstation --workload copy-file", "workstation"),
    "compare --machine": ("compare copy-file test-read --machine wrokstation", "workstation"),
    "compare --workload": ("compare workstation nwt --workload cpoy-file", "copy-file"),
    "compare --set": ("compare workstation copy-file --set 'dsik.rate=1 MB/s'", "disk.rate"),
    "compare --a-set": ("compare workstation copy-file --a-set 'dsik.rate=1 MB/s'", "disk.rate"),
    "compare --b-set": ("compare workstation copy-file --b-set 'dsik.rate=1 MB/s'", "disk.rate"),
    "sweep machine": (
        "sweep wrokstation copy-file --vary 'disk.seek=1 ms,2 ms' --out o",
        "workstation",
    ),
    "sweep workload": (
        "sweep workstation cpoy-file --vary 'disk.seek=1 ms,2 ms' --out o",
        "copy-file",
    ),
    "sweep --set": (
        "sweep workstation copy-file --vary seed=1,2 --set 'disk.sekk=1 ms' --out o",
        "disk.seek",
    ),
    "sweep --policy": (
        "sweep workstation copy-file --vary 'disk.seek=1 ms,2 ms' --policy psoix --out o",
        "posix",
    ),
    "sweep --path": ("sweep nwt test-read --vary seed=1,2 --path sfcs --out o", "scfs"),
    "sweep --vary": ("sweep workstation copy-file --vary sede=1,2 --out o", "seed"),
    "sweep --phase": (
        "sweep workstation copy-file --vary seed=1,2 --phase cpoy.1 --out o",
        "copy.1",
    ),
    "calibrate fit": ("calibrate paeg-cache", "page-cache"),
    "uncertainty machine": ("uncertainty wrokstation copy-file", "workstation"),
    "uncertainty workload": ("uncertainty workstation cpoy-file", "copy-file"),
    "uncertainty --set": (
        "uncertainty workstation copy-file --set 'dsik.rate=1 MB/s'",
        "disk.rate",
    ),
    "uncertainty --policy": ("uncertainty workstation copy-file --policy psoix", "posix"),
    "uncertainty --path": ("uncertainty nwt test-read --path sfcs", "scfs"),
    "uncertainty --figure": ("uncertainty workstation copy-file --figure elasped_s", "elapsed_s"),
    "checkpoint machine": ("checkpoint wrokstation copy-file", "workstation"),
    "checkpoint workload": ("checkpoint workstation cpoy-file", "copy-file"),
    "checkpoint --set": ("checkpoint workstation copy-file --set 'dsik.rate=1 MB/s'", "disk.rate"),
    "checkpoint --policy": ("checkpoint workstation copy-file --policy psoix", "posix"),
    "checkpoint --path": ("checkpoint nwt test-read --path sfcs", "scfs"),
    "checkpoint --job": ("checkpoint workstation copy-file --job cpoy", "copy"),
    "size requirement": ("size nfs-100-uesrs", "nfs-100-users"),
    "replay logs": ("replay jbo.log --on nwt", "job.log"),
    "replay --on": ("replay job.log --on wrokstation", "workstation"),
    "replay --path": ("replay job.log --on nwt --path sfcs", "scfs"),
    "replay --filesystem": ("replay job.log --on nwt --filesystem vlf", "vfl"),
    "replay --think": ("replay job.log --on nwt --think kepe", "keep"),
    "replay --set": ("replay job.log --on workstation --set 'dsik.rate=1 MB/s'", "disk.rate"),
    "trace import logs": ("trace import jbo.log -o x.parquet", "job.log"),
    "trace workload logs": ("trace workload jbo.log -o x.yaml", "job.log"),
    "trace workload --on": ("trace workload job.log -o x.yaml --on wrokstation", "workstation"),
    "trace fleet --on": ("trace fleet . --on wrokstation", "workstation"),
    "trace fleet --set": ("trace fleet . --on workstation --set 'dsik.rate=1 MB/s'", "disk.rate"),
    "trace fleet --path": ("trace fleet . --on nwt --path sfcs", "scfs"),
    "trace fleet --filesystem": ("trace fleet . --on nwt --filesystem vlf", "vfl"),
} | {
    f"trace {report} {option}": (f"trace {report} {words}", near)
    for report in ("summary", "sizes", "calls", "rate", "offsets", "activity", "check")
    for option, words, near in (
        ("logs", "jbo.log --file input", "job.log"),
        ("--file", "job.log --file inptu", "input"),
        ("--call", "job.log --file input --call raed", "read"),
    )
}
# fmt: off
TAKE_NONE = {
    "SIZE", "FILE", "N", "PERCENT", "DIR", "TIME", "FOLDER", "ADDRESS", "MB", "SECONDS", "S",
    "BYTES", "FILE.yaml", "K/N", "DIR[,DIR]", "EXT[,EXT]", "HOW", "PATH", "N|auto[:MOST]",
    "BYTES[,BYTES...]", "PATTERN", "COMMAND", "KIND", "STUDY", "WHAT",
}
# fmt: on
"""What stands for a value that names nothing which is there, or that is one of the choices."""


def test_each_option_that_takes_a_name_is_in_the_list() -> None:
    found = set()
    for words, parser in parsers():
        for action in parser._actions:
            free = action.nargs != 0 and not action.choices
            option = next((one for one in action.option_strings if one[:2] == "--"), action.dest)
            shown = action.metavar if isinstance(action.metavar, str) else option
            if free and shown not in TAKE_NONE and "subcommand" not in option:
                found.add(" ".join([*words, option]))
    outputs = {"trace record --out"}
    assert found - outputs - NAMES.keys() == set()


@pytest.mark.parametrize(("words", "near"), NAMES.values(), ids=NAMES)
def test_a_misspelt_name_gets_its_near_one(
    words: str, near: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.log").write_text(LOG, "utf-8")
    about = refused(capsys, *shlex.split(words))
    assert f"did you mean '{near}'" in about.replace("workload.jobs.*.", "")
    assert about.count("did you mean") == 1


@pytest.mark.parametrize(
    ("words", "there"),
    [
        ("run qqqq copy-file", "there are beegfs-like, burst-buffer"),
        ("check qqqq", "'nwtsim list' lists what does"),
        (f"run {WORKSTATION} --set qqqq=1", "--knobs lists what can be set"),
        (f"run {WORKSTATION} {SMALL} --job qqqq", "there are copy"),
        (f"uncertainty {WORKSTATION} --figure qqqq", "there are elapsed_s, end_s"),
        (f"sweep {WORKSTATION} {PHASE} --out o", "there are copy.0 (read source)"),
        ("qqqq", "choose from 'list', 'new'"),
    ],
)
def test_a_name_near_nothing_lists_what_there_is(words: str, there: str, capsys: Capture) -> None:
    about = refused(capsys, *shlex.split(words))
    assert there in about
    assert "did you mean" not in about


# -- Python ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result() -> nwtsim.Result:
    return nwtsim.run("workstation", "copy-file", {"source.size": "1 MB", "copy.size": "1 MB"})


LOOKUPS: dict[str, tuple[Callable[[Any], object], str]] = {
    "Result.where": (lambda run: run.where("cpoy"), "copy"),
    "Result.counts": (lambda run: run.counts("pgaes"), "pages"),
    "Result.phases": (lambda run: run.phases("cpoy"), "copy"),
    "Result.numerical_calls": (lambda run: run.numerical_calls("cpoy"), "copy"),
    "Result.report": (lambda run: run.report("tabel"), "table"),
    "Result.to_dataframe": (lambda run: run.to_dataframe("prats"), "parts"),
    "Result.limits": (lambda run: run.limits(job="cpoy"), "copy"),
    "Machine.part": (
        lambda _: nwtsim.load_machine("workstation").part("dsik", nwtsim.parts.Disk),
        "disk",
    ),
    "Machine.__getattr__": (lambda _: nwtsim.load_machine("workstation").prats, "parts"),
    "Workload.__getattr__": (lambda _: nwtsim.load_workload("copy-file").flies, "files"),
    "nwtsim.__getattr__": (lambda _: nwtsim.urn, "run"),
    "load_machine": (lambda _: nwtsim.load_machine("wrokstation"), "workstation"),
    "load_workload": (lambda _: nwtsim.load_workload("cpoy-file"), "copy-file"),
    "published": (lambda _: nwtsim.published("ssekn"), "ssken"),
    "reproduce": (lambda _: nwtsim.reproduce("ssekn"), "ssken"),
}


@pytest.mark.parametrize(("look", "near"), LOOKUPS.values(), ids=LOOKUPS)
def test_a_misspelt_name_in_python_gets_its_near_one(
    look: Callable[[Any], object], near: str, result: nwtsim.Result
) -> None:
    with pytest.raises(Exception, match="did you mean") as raised:
        look(result)
    assert f"did you mean '{near}'?" in str(raised.value).replace("\\", "")
    assert str(raised.value).count("did you mean") == 1


def test_each_method_of_a_result_that_takes_a_name_is_looked_up() -> None:
    for name, method in inspect.getmembers(nwtsim.Result, inspect.isfunction):
        taken = {"process", "store", "job", "table", "name", "server"}
        if not name.startswith("_") and taken & set(inspect.signature(method).parameters):
            assert f"Result.{name}" in LOOKUPS or name == "load", name  # Of ninf's servers.

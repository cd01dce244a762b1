"""A command that is printed is what its reader can type: names in it are quoted as a shell asks."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.cli.main import COMMANDS, main
from simulator.wording import command_line

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("simulator", "nwtsim", "experiments", "benchmarks")
VALUE = "\0"
"""Stands for what an f-string puts in."""
COMMAND = rf"nwtsim ({'|'.join(COMMANDS)})\b(?! on {VALUE})[^'`\n\"]*"
UNQUOTED = re.compile(rf"{COMMAND}{VALUE}|nwtsim {VALUE}\.join|{COMMAND}\{{[a-z_]")


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield each text of a module, and its line; a value in an f-string is ``VALUE``."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(one) for one in node.values}
            yield node.lineno, "".join(map(part, node.values))
        elif isinstance(node, ast.Constant) and id(node) not in inside:
            yield node.lineno, node.value if isinstance(node.value, str) else ""


def part(node: ast.expr) -> str:
    """Return the text of a piece of an f-string; of joined words also that they are joined."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    joined = ".join(" in ast.unparse(node) and "command_line" not in ast.unparse(node)
    return f"{VALUE}.join" if joined else VALUE


def test_no_text_has_a_command_with_a_name_that_is_not_quoted() -> None:
    """``command_line`` makes commands; no f-string and no template puts names into them."""
    modules = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    assert len(modules) > 500
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text[:80]!r}"
        for path in modules
        if "nwtsim " in (source := path.read_text("utf-8"))
        for line, text in texts(ast.parse(source))
        if UNQUOTED.search(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "f'next: nwtsim run {machine} {workload}'",
        "f'(nwtsim show {self.file} --knobs lists them)'",
        "'#   nwtsim check {file}    lists every mistake'.format(file=file)",
        "f'nwtsim {\" \".join(words)}: it failed'",
        "(f'write it with nwtsim trace import '\n f'{log} -o x')",
    ],
)
def test_the_walk_finds_a_name_that_is_not_quoted(source: str) -> None:
    assert any(UNQUOTED.search(text) for _, text in texts(ast.parse(source)))


@pytest.mark.parametrize(
    "word", ["a b's $x", "x;rm *", '"', "", "a\\b", "ü/日本.yaml", "`id`", "#1", "~", "!1", "$(x)"]
)
def test_a_command_gives_back_the_words_that_it_was_made_of(word: str) -> None:
    words = ["nwtsim", "run", f"{word}/m.yaml", word, "--set", f"{word}.rate=1 MB/s"]
    assert shlex.split(command_line(*words)) == words


# -- end to end -----------------------------------------------------------------------------------

FOLDER = "a b's $x; *#é"
WORKLOAD = """\
format: workload/2
name: job
files: {out: {size: 1 MB}}
jobs: [{name: job, record: 100 kB, phases: [{do: write, file: out}, {do: sync, file: out}]}]
"""
LOG = """\
7 1790000000.000000 openat(AT_FDCWD, "/data/input", O_RDONLY) = 3 <0.000010>
7 1790000000.001000 read(3, ""..., 65536) = 65536 <0.001000>
7 1790000000.003000 read(3, ""..., 65536) = 65536 <0.001000>
7 1790000000.005000 close(3) = 0 <0.000010>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a name that a shell would take apart, and files in it."""
    made = tmp_path / FOLDER
    made.mkdir()
    shipped = ROOT / "configs" / "machines" / "workstation.yaml"
    (made / "m.yaml").write_text(shipped.read_text("utf-8"), "utf-8")
    (made / "w.yaml").write_text(WORKLOAD, "utf-8")
    (made / "job.log").write_text(LOG, "utf-8")
    return made


def printed(text: str) -> Iterator[list[str]]:
    """Yield the words of each command that stands in a text, as a shell reads them.

    It goes on where a line ends with ``\\``, and ends before two blanks, a bracket, or its line's
    end; one in quotes is no command of these files, but speaks of commands.
    """
    text = re.sub(r"^# *", "", text, flags=re.MULTILINE).replace("\\\n", "")
    word = r"(?:[^\s'\"()]|'[^'\n]*'|\"[^\"\n]*\")+"
    for found in re.finditer(rf"(?<!')\bnwtsim [a-z]+(?: +{word})+", text):
        words = shlex.split(re.sub(" {2,}lists.*| {2,}[a-z].*", "", found[0]))
        if words[1] in COMMANDS:
            yield words


ASKED = [
    ("run", "{m}", "{w}"),
    ("run", "{m}", "{w}", "--set", "qq=1"),
    ("advise", "{m}", "{w}"),
    ("replay", "{log}", "--on", "{m}", "--full"),
    ("advise", "{log}", "--on", "{m}"),
    ("compare", "{m}", "{w}", "--a-set", "qq=1"),
    ("new", "machine", "-o", "{folder}/n.yaml"),
    ("new", "workload", "--for", "{m}", "-o", "{folder}/n.yaml"),
    ("new", "fit", "--for", "{m}", "--workload", "{w}", "-o", "{folder}/n.yaml"),
    ("new", "requirement", "--for", "{m}", "--workload", "{w}", "-o", "{folder}/n.yaml"),
]


@pytest.mark.few(3)
@pytest.mark.parametrize("columns", ["80", "200"])
@pytest.mark.parametrize("asked", ASKED, ids=" ".join)
def test_each_printed_command_gives_back_the_names_of_its_files(
    asked: tuple[str, ...],
    columns: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    names = {"m": folder / "m.yaml", "w": folder / "w.yaml", "log": folder / "job.log"}
    main([word.format(folder=folder, **names) for word in asked])
    said = capsys.readouterr()
    commands = [*printed(said.out), *printed(said.err)]
    made = folder / "n.yaml"
    if made.is_file():
        commands += printed(made.read_text("utf-8"))
    assert commands
    for words in commands:
        files = [word for word in words if word.endswith((".yaml", ".log"))]
        if "MACHINE" not in words and words[1:3] not in (["trace", "record"], ["size", "--seed"]):
            assert files, words
        assert all(Path(one) in {*names.values(), made} for one in files), words
        assert not any(FOLDER[:3] in one for one in words if one not in files), words


def test_a_sweep_and_a_size_keep_the_command_that_repeats_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine, workload, out = folder / "m.yaml", folder / "w.yaml", folder / "o"
    vary = "disk.rate=50 MB/s,100 MB/s"
    asked = ["sweep", str(machine), str(workload), "--vary", vary, "--out", str(out)]
    assert main([*asked, "--no-plot"]) == 0 or capsys.readouterr().err
    kept = json.loads((out / "sweep.json").read_text("utf-8"))["command"]
    assert shlex.split(kept) == ["nwtsim", *asked[:-2]]
    requirement = folder / "r.yaml"
    new = ["new", "requirement", "--for", str(machine), "--workload", str(workload)]
    assert main([*new, "-o", str(requirement)]) == 0
    capsys.readouterr()
    assert main(["size", str(requirement), "--format", "json"]) == 0
    for one in json.loads(capsys.readouterr().out)["commands"]:
        words = shlex.split(one["command"] if isinstance(one, dict) else one)
        assert words[:4] == ["nwtsim", "run", str(machine), str(workload)]

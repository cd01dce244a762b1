"""Every command of README and docs/start.md, as printed, in an empty folder: it does what it says.

With what ``make tables`` installs, and with what ``pip install`` of the wheel does. What these
commands print names no file that only a clone has.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(os.name != "posix", reason="the commands are for a shell"),
]

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/start.md")
PROGRAM = "#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8; do echo $i >> result; done\ncat result > copy\n"
"""``./job``, which a reader is to have."""
STANDS_FOR = {"LOG": "notebooks/data/job.strace.gz", "MACHINE": "nfs-lab"}
CLONED = re.compile(r"(?<![\w/.-])(?:(?:docs|configs|experiments|tests)/[\w./-]+\.\w+|make [a-z]+)")
"""What an empty folder does not have."""
LACKING = ("Traceback", "is not installed", "no plot was drawn")


def commands_of(text: str) -> list[str]:
    """The commands in the blocks of a page, then those in its tables."""
    blocks = "\n".join(re.findall(r"^```(?:console)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    found = re.findall(r"^(?:\$ )?(nwtsim .*?)(?:\s{2,}#.*)?$", blocks, re.MULTILINE)
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return found + [one for row in rows for one in re.findall(r"`(nwtsim [^`]*)`", row)]


def with_names(command: str) -> str:
    """The command with a log and a machine for the words that stand for one."""
    return re.sub("|".join(STANDS_FOR), lambda word: STANDS_FOR[word[0]], command)


def test_the_commands_of_the_pages_are_found() -> None:
    readme, start = (commands_of((ROOT / page).read_text("utf-8")) for page in PAGES)
    assert "nwtsim trace record --yes -o job.log -- ./job" in readme
    assert "nwtsim run nwt test-write --html page.html" in start
    assert "nwtsim reproduce merge" in start
    assert len(readme) >= 8
    assert len(start) >= 25


def from_the_clone(python: Path, root: Path) -> None:
    """Install the clone in place, as ``make tables`` does."""
    (site,) = (python.parents[1] / "lib").glob("python*/site-packages")
    (site / "nwtsim-clone.pth").write_text(f"{root}\n", encoding="utf-8")


def from_a_wheel(python: Path, root: Path) -> None:
    """Install the wheel, with the modules that are compiled here already."""
    source = python.parents[1] / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(root / name, source)
    for name in ("simulator", "nwtsim", "configs", "experiments", "notebooks"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
        shutil.copytree(root / name, source / name, ignore=ignored)
    words = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation"]
    environment = {**os.environ, "NWTSIM_PURE": "1"}
    environment.pop("PYTHONPATH", None)
    subprocess.run([*words, source], check=True, env=environment, capture_output=True)
    shutil.rmtree(source)
    (site,) = (python.parents[1] / "lib").glob("python*/site-packages")
    for compiled in root.glob("simulator/**/*.so"):
        shutil.copy(compiled, site / compiled.relative_to(root))


@pytest.fixture(scope="module", params=[from_the_clone, from_a_wheel])
def place(
    request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """An interpreter with what tables.lock has and nwtsim, and an empty folder with a program."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    how = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    wanted = ["--quiet", "--require-hashes", "--no-deps", "-r", root / "requirements/tables.lock"]
    ran = subprocess.run([*how, *wanted], capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"cannot install requirements/tables.lock here: {ran.stderr[-200:]}")
    request.param(python, root)
    empty = tmp_path_factory.mktemp("empty")
    (empty / "job").write_text(PROGRAM, encoding="utf-8")
    (empty / "job").chmod(0o755)
    shutil.copy(root / "notebooks/data/job.strace.gz", empty.parent / "job.log")
    return python, empty


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [one for page in PAGES for one in commands_of((ROOT / page).read_text(encoding="utf-8"))],
)
def test_a_command_works_in_an_empty_folder(place: tuple[Path, Path], command: str) -> None:
    """In the order of the pages: some read what others have written."""
    python, empty = place
    if "trace record" in command and shutil.which("strace") is None:
        shutil.copy(empty.parent / "job.log", empty)
        pytest.skip("needs strace")
    known = f'nwtsim() {{ "{python}" -m simulator "$@"; }}; '
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        ["sh", "-c", known + with_names(command)],
        cwd=empty,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0, said
    assert [one for one in CLONED.findall(said) if one not in command] == []
    assert [word for word in LACKING if word in said] == []
    if " sweep " in command and "--shard" not in command:
        assert (empty / command.partition("--out ")[2].split()[0] / "plot.png").is_file()

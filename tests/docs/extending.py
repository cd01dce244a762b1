"""docs/extending.md: its commands, in the order of the page, beside the files in docs/extending.

Other pages have their files between their lines, which are written where they say.

``python -m tests.docs.extending`` writes the page anew, with what its commands print now.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "extending.md"
FILES = ROOT / "docs" / "extending"
SOURCES = {".py", ".hpp", ".yaml"}
BLOCK = re.compile(r"(?:`([\w/]+\.\w+)`:\n\n)?```(\w+)\n(.*?)```", re.DOTALL)


def environment(folder: Path, package: Path = ROOT) -> dict[str, str]:
    """Return the environment of a command that finds the page's modules in ``folder``."""
    own = {"NWTSIM_PLUGINS": str(folder), "PYTHONPATH": str(package), "COLUMNS": "100"}
    return os.environ | own


def ran(command: str, folder: Path, package: Path = ROOT, cwd: Path | None = None) -> str:
    """Run a command of the page; return what it prints, its errors included."""
    program = f"{sys.executable} -m simulator "
    own = environment(folder, package)
    if "--help" not in command:  # The pages' screens are as wide as a file of them is.
        del own["COLUMNS"]
    done = subprocess.run(
        command.replace("nwtsim ", program, 1),
        shell=True,
        cwd=cwd or folder,
        env=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def with_files(folder: Path, page: Path = PAGE) -> Path:
    """Copy the files beside a page, if it has any, into a folder; return it."""
    files = page.with_suffix("")
    if files.is_dir():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(files, folder, ignore=ignored, dirs_exist_ok=True)
    return folder


def unknown_lines(page: Path) -> list[str]:
    """Return what a page shows of files and no file beside it has, line after line."""
    files = [path for path in page.with_suffix("").rglob("*") if path.suffix in SOURCES]
    texts = [path.read_text("utf-8").splitlines() for path in files]
    shown = re.findall(r"```(?:python|yaml)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return [one for one in shown if not any(_has(text, one.splitlines()) for text in texts)]


def _has(text: list[str], lines: list[str]) -> bool:
    """Say whether a text has all lines, in their order."""
    left = iter(text)
    return all(line in left for line in lines)


def followed(text: str, folder: Path) -> str:
    """Write the files of a page into a folder, run its commands; return it as it should be."""

    def follow(block: re.Match[str]) -> str:
        path, kind, body = block.groups()
        if path is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(body, encoding="utf-8")
        elif kind == "console":
            commands = [line for line in body.splitlines() if line.startswith("$ ")]
            said = (f"{line}\n{ran(line[2:], folder)}" for line in commands)
            body = body if "export" in body else "".join(said)
        head = f"`{path}`:\n\n" if path is not None else ""
        return f"{head}```{kind}\n{body}```"

    return BLOCK.sub(follow, text)


def compiled_copy(folder: Path, copy: Path) -> None:
    """Copy the sources, and compile the kernel there with the kinds of a folder.

    Other modules that are compiled here are as new as their sources there.
    """
    ignored = shutil.ignore_patterns("kernel*.so", "*.pyd", "__pycache__")
    for name in ("simulator", "nwtsim", "configs", "experiments", "notebooks", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, copy)
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    quickly = {"NWTSIM_PLUGINS": str(folder), "NWTSIM_OPT": "0"}
    subprocess.run(command, cwd=copy, env=os.environ | quickly, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        PAGE.write_text(followed(PAGE.read_text("utf-8"), with_files(Path(name))), encoding="utf-8")

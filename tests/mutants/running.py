"""Tests in copies of the project: whether any of them fails, and which one was the first.

A mutant is never made in the working tree. Where it changes C++, those modules of the copy that
include its file are compiled anew before its tests run, without optimization: the kernel takes ten
seconds of CPU time so.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.listed import Mutant

LEFT_OUT = (
    ".git",
    ".venv",
    ".hypothesis",
    "build",
    "dist",
    "__pycache__",
    "*.egg-info",
    ".*_cache",
)
LISTS = "build/kinds"
"""Where the lists of kinds are that the kernel includes."""
STEP_S = 10
"""Seconds between the times of two texts of a file: Python compares whole seconds and the size."""

PROGRAM = """\
import resource, sys, pytest
class SlowLast:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
cpu, size = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
resource.setrlimit(resource.RLIMIT_AS, (size, size))
sys.exit(pytest.main(sys.argv[3:], [SlowLast()]))
"""
MOST_MEMORY = 8 << 30
"""Bytes of address space of one process of tests: a mutant may build up anything."""
PATIENCE = 5
"""Seconds of waiting that a second of CPU time may take, beside other programs."""
OPTIONS = (
    *("-v", "--tb=line", "-p", "no:cacheprovider", "-rN"),
    *("-m", "not long", "--hypothesis-profile=quarter"),
)
"""Quick tests come first: slow ones run for what these do not notice."""
_LINE = re.compile(r"^(\S+::.*?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", re.MULTILINE)
_BEGUN = re.compile(r"^(\S+::\S.*?)\s*$", re.MULTILINE)
_running: set[subprocess.Popen[str]] = set()

PASSED, FAILED, HUNG, BROKEN = "passed", "failed", "hung", "broken"


class Copy:
    """One copy, which has one mutant at a time."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.folder = folder
        self.source = source
        self._changes = 0
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        if (source / LISTS).exists():
            shutil.copytree(source / LISTS, folder / LISTS)

    @contextmanager
    def having(self, mutant: Mutant) -> Iterator[str]:
        """Make a mutant, and take it away again; gives what the compiler says if it cannot be."""
        path = self.folder / mutant.file
        text, times = path.read_text(encoding="utf-8"), path.stat()
        self._changes += 1
        path.write_text(mutant.mutate(text), encoding="utf-8")
        try:
            if mutant.is_compiled:
                yield self._compile()
            else:
                later = times.st_mtime + STEP_S * self._changes
                os.utime(path, (later, later))
                yield ""
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            if mutant.is_compiled:
                self._take_back()

    def _compile(self) -> str:
        """Compile the modules that include the file; return what is said if that cannot be."""
        wanted = self._binaries(self.folder)
        done = subprocess.run(
            [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
            cwd=self.folder,
            env={**os.environ, "NWTSIM_OPT": "0", "NWTSIM_PURE": "0"},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if wanted and all(binary.exists() for binary in wanted):
            return ""
        said = f"{done.stdout}\n{done.stderr}".splitlines()
        return next((line for line in said if "error:" in line), "nothing was compiled")

    def _take_back(self) -> None:
        """Put all compiled modules back."""
        for binary in self._binaries(self.folder):
            binary.unlink()
        for binary in self._binaries(self.source):
            own = self.folder / binary.relative_to(self.source)
            shutil.copy(binary, own)  # Newer than any source.

    @staticmethod
    def _binaries(folder: Path) -> list[Path]:
        return [*(folder / "simulator").rglob("*.so")]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How tests ended."""

    outcome: str
    """``passed``, ``failed`` (a test did), ``hung`` (out of time), ``broken`` (none could run)."""
    test: str = ""
    """The first test that failed, or that ran when the time was over."""
    output: str = ""
    failed: tuple[str, ...] = ()
    """All tests that failed."""


def run(folder: Path, tests: Sequence[str], limit_s: int, *, all_of_them: bool = False) -> Verdict:
    """Run tests in a copy, up to the first that fails or all; ``limit_s`` is of CPU time."""
    words = [sys.executable, "-X", "utf8", "-c", PROGRAM, str(limit_s), str(MOST_MEMORY)]
    process = subprocess.Popen(
        [*words, *OPTIONS, *(() if all_of_them else ("-x",)), *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    _running.add(process)
    hung = False
    try:
        output, _ = process.communicate(timeout=limit_s * PATIENCE)
    except subprocess.TimeoutExpired:
        hung = True
        _end(process)
        output, _ = process.communicate()
    finally:
        _running.discard(process)
    return verdict(process.returncode, output, hung=hung)


def stop() -> None:
    """End all tests that run."""
    for process in tuple(_running):
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def verdict(code: int, output: str, *, hung: bool) -> Verdict:
    """Return how tests ended, from the exit code of pytest and what it printed."""
    ended = [(match[1], match[2]) for match in _LINE.finditer(output)]
    failed = [name for name, how in ended if how in {"FAILED", "ERROR", "XPASS"}]
    if hung or code in {-signal.SIGXCPU, -signal.SIGKILL}:
        begun = [match[1] for match in _BEGUN.finditer(output)]
        names = {name for name, _ in ended}
        left = [name for name in begun if name not in names and " " not in name]
        return Verdict(HUNG, left[-1] if left else "", output)
    if code == 0:
        return Verdict(PASSED, output=output)
    if code < 0 or (code == 1 and failed):
        first = failed[0] if failed else signal.Signals(-code).name
        return Verdict(FAILED, first, output, tuple(failed))
    return Verdict(BROKEN, output=output)

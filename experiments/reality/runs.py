"""Real runs: programs compiled, run alternately, timed and checked, in a folder of their own."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from simulator.errors import InputError

from .program import COMPILERS, SOURCES, Program, Way

MOST_SECONDS = 120.0
"""Time limit of a run."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One run."""

    elapsed_s: float
    user_s: float
    system_s: float
    digest: str
    """Digest of the standard output and the result files; empty if not computed."""


@dataclass(slots=True)
class Runs:
    """All runs of one variant."""

    way: Way
    timed: list[Timed] = field(default_factory=list)

    @property
    def elapsed_s(self) -> list[float]:
        """Elapsed seconds of each run."""
        return [one.elapsed_s for one in self.timed]

    @property
    def median_s(self) -> float:
        """Median of the elapsed seconds."""
        return statistics.median(self.elapsed_s)

    @property
    def processor_s(self) -> float:
        """Median of processor seconds, which exclude waiting on a busy host."""
        return statistics.median(one.user_s + one.system_s for one in self.timed)

    @property
    def quartiles_s(self) -> tuple[float, float]:
        """Lower and upper quartile of the elapsed seconds."""
        if len(self.timed) < 2:
            return self.median_s, self.median_s
        low, _, high = statistics.quantiles(self.elapsed_s, n=4, method="inclusive")
        return low, high


class Bench:
    """A folder with a program's input, its binaries, and runs of it."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.binaries = folder / "bin"
        self.folder = folder / program.name.replace(" ", "-")
        self.binaries.mkdir(exist_ok=True)
        self.folder.mkdir()
        for source in program.sources:
            _compile(SOURCES / source, self.binaries)
        if program.inputs is not None:
            program.inputs(self.folder)
        os.sync()  # No run waits for the write-back of its input.

    def remove(self) -> None:
        """Remove the program's files."""
        shutil.rmtree(self.folder)

    def by_turns(self, rounds: int) -> list[Runs]:
        """Run all variants alternately; InputError if their results differ."""
        found = [Runs(way) for way in self.program.ways]
        for turn in range(rounds):
            for runs in found:
                runs.timed.append(self.run(runs.way, digest=not turn))
        first = found[0].timed[0].digest
        for runs in found:
            if runs.timed[0].digest != first:
                raise InputError(f"{self.program.name} {runs.way.name}: its result is another one")
        return found

    def run(self, way: Way, before: Sequence[str] = (), *, digest: bool = False) -> Timed:
        """Run the program once, with the words ``before`` in front of its command."""
        self._prepare()
        environment = os.environ | way.environment
        with (self.folder / "stdout").open("w+b") as output:
            began = time.perf_counter()
            running = subprocess.Popen(
                [*before, *self.command(way)],
                cwd=self.folder,
                env=environment,
                stdout=output,
                start_new_session=True,
            )
            try:
                status, used = _ended(running.pid, began + MOST_SECONDS)
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
                raise
            elapsed = time.perf_counter() - began
            running.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            text = output.read()
        if running.returncode:
            name = f"{self.program.name} {way.name}"
            raise InputError(f"{name}: ended with exit code {running.returncode}")
        result = self._digest(text) if digest else ""
        return Timed(elapsed, used.ru_utime, used.ru_stime, result)

    def command(self, way: Way) -> list[str]:
        """Return the command of a variant."""
        name, *words = way.command
        own = self.binaries / name
        words = [one.replace("{binaries}", str(self.binaries)) for one in words]
        return [str(own) if own.is_file() else name, *words]

    def _prepare(self) -> None:
        for name in self.program.fresh:
            _removed(self.folder / name)
        for original, name in self.program.copied:
            (self.folder / name).unlink(missing_ok=True)
            shutil.copyfile(self.folder / original, self.folder / name)
        for name in self.program.cold:
            _cold(self.folder / name)

    def _digest(self, text: bytes) -> str:
        whole = hashlib.sha256(text)
        for name in self.program.results:
            with (self.folder / name).open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        return whole.hexdigest()


def _compile(source: Path, binaries: Path) -> None:
    made, compiler = binaries / source.stem, COMPILERS.get(source.suffix)
    if compiler is None or made.exists():
        return
    if compiler == "javac":
        words = ["-d", str(binaries), str(source)]
    elif compiler == "go":
        words = ["build", "-o", str(made), str(source)]
    else:
        words = ["-O" if compiler == "rustc" else "-O2", "-o", str(made), str(source)]
    subprocess.run([compiler, *words], check=True)


def _removed(name: Path) -> None:
    if name.is_dir():
        shutil.rmtree(name)
    else:
        name.unlink(missing_ok=True)


def _ended(child: int, until: float) -> tuple[int, resource.struct_rusage]:
    """Wait for a child; InputError beyond the time limit."""
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, max(until - time.perf_counter(), 0.001))
    try:
        _, status, used = os.wait4(child, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return status, used


def _late(number: int, frame: object) -> None:
    del number, frame
    raise InputError(f"a program took more than {MOST_SECONDS:.0f} s; choose a smaller --scale")


def _cold(name: Path) -> None:
    """Drop a file's pages from the page cache."""
    descriptor = os.open(name, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)

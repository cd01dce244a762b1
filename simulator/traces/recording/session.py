"""A program recorded: run as it is, run under strace, and strace's own cost measured beside it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from simulator.errors import InputError
from simulator.host import drop, filesystem_of
from simulator.traces.record import Ended, Record, first_line_of
from simulator.traces.recording.attend import attend
from simulator.traces.recording.costs import costs_of_calls, mean_of, start_ns

CALLS = (
    "%file,%desc,%process,%network,%ipc,?nanosleep,?clock_nanosleep,?futex,?pause,"
    "?rt_sigsuspend,?rt_sigtimedwait,?io_uring_enter,?msync,?sync,?io_setup,?io_submit,"
    "?io_getevents,?io_pgetevents,?process_vm_readv,?process_vm_writev"
)
"""What is traced: all calls about files and descriptors, and those that wait. A call that is left
out costs nothing, and its time is the program's computing, which waiting is not."""
_SECCOMP, _FINE = (5, 3), (5, 8)
"""Versions of strace from which on it can leave out calls in the kernel, and write nanoseconds."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """Options of a recording."""

    command: tuple[str, ...]
    once: bool = False
    """Only under strace."""
    cache: str = "as-is"
    data: tuple[Path, ...] = ()
    """What leaves the page cache, with ``cache`` ``drop``."""
    plain: int = 1
    """How often it is run without strace, unless ``once``."""

    @property
    def runs(self) -> int:
        """How often the command is run."""
        return 1 + (0 if self.once else self.plain) + (self.cache == "warm")


class Session:
    """The runs of a command."""

    def __init__(self, wish: RecordOptions, say: Say) -> None:
        """Check that everything is there; InputError if not, before anything runs."""
        if sys.platform != "linux":
            raise InputError("nwtsim trace record: strace is of Linux; record on Linux")
        if shutil.which("strace") is None:
            raise InputError(
                "strace is not installed; install it, on Debian with: apt install strace"
            )
        if shutil.which(wish.command[0]) is None:
            raise InputError(f"{wish.command[0]}: no such program; name one, like ./program")
        self._wish, self._say = wish, say
        self._data = data_of(wish.command, wish.data) if wish.cache == "drop" else []
        self._standard = _Standard(again=wish.runs > 1)
        self.version = _version()
        self._strace = strace_words(self.version, names=self._standard.files)

    def record(self, log: Path) -> Record:
        """Run the command, at last under strace, which writes to ``log``."""
        wish, say = self._wish, self._say
        costs = [costs_of_calls(self._strace)]
        if wish.cache == "warm":
            say("run to warm the page cache ...")
            attend(wish.command)
            self._standard.rewind()
        plain: list[Ended] = []
        for _ in range(0 if wish.once else wish.plain):
            plain.append(self._run("without strace", wish.command))
            self._standard.rewind()
        untraced = middle_of(plain) if plain else None
        words = (*self._strace, "-o", str(log), *wish.command)
        traced = self._run("under strace", words, traced=True)
        with log.open("rb") as file:
            first = first_line_of(file.readline(1 << 16))
        if not first:
            raise InputError(f"strace wrote nothing of {wish.command[0]}; see what it printed")
        if untraced is not None and untraced.status != traced.status:
            say(
                f"warning: ended with {untraced.status} without strace and with {traced.status}"
                " under it: the log is of another run"
            )
        costs.append(costs_of_calls(self._strace))
        mean = mean_of(costs)
        return Record(
            command=wish.command,
            cwd=str(Path.cwd()),
            cache=wish.cache,
            host=platform.node() or "unknown",
            kernel=f"{platform.system()} {platform.release()}",
            filesystem=filesystem_of(Path.cwd()),
            strace=".".join(map(str, self.version)),
            date=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            first_line=first,
            traced=traced,
            untraced=untraced,
            costs=mean.calls,
            child_ns=mean.child,
            fault_ns=mean.page,
            far_ns=mean.far,
            counted_ns=mean.counted,
            start_ns=start_ns(),
            runs=max(1, len(plain)),
        )

    def _run(self, how: str, words: Sequence[str], *, traced: bool = False) -> Ended:
        if self._wish.cache == "drop":
            evict(self._data)
        ended = attend(words, traced=traced)
        told = f", exit status {ended.status}" if ended.status else ""
        self._say(f"{how}: {ended.elapsed_ns / 1e9:.3f} s{told}")
        return ended


def middle_of(runs: Sequence[Ended]) -> Ended:
    """Return the run of the middle time, with the user time's part of all processor time.

    The kernel tells the two apart by a clock of 1 to 10 ms, which is coarse for one quick run.

    >>> quick, slow = Ended(90, 10, 80, 0, 0, 0), Ended(100, 40, 60, 0, 0, 0)
    >>> one = middle_of([slow, quick, Ended(95, 40, 50, 0, 0, 0)])
    >>> one.elapsed_ns, one.user_ns, one.system_ns
    (95, 29, 61)
    """
    one = sorted(runs, key=lambda each: each.elapsed_ns)[len(runs) // 2]
    user = sum(each.user_ns for each in runs)
    both = user + sum(each.system_ns for each in runs)
    whole = one.user_ns + one.system_ns
    mine = round(whole * user / both) if both else 0
    return replace(one, user_ns=mine, system_ns=whole - mine)


def strace_words(version: tuple[int, ...], *, names: bool = False) -> tuple[str, ...]:
    """Return the command of strace, as far as this version of it can do it.

    ``names``: it asks the kernel for the names of descriptors, as is needed for those that were
    open before the program began.

    >>> strace_words((4, 26))[:4]
    ('strace', '-f', '-ttt', '-T')
    """
    times = ("-ttt", "-T")
    if version >= _FINE:
        times = ("--absolute-timestamps=unix,ns", "--syscall-times=ns")
    filtered = ("--seccomp-bpf",) if version >= _SECCOMP else ()
    shown = ("-e", f"trace={CALLS}", "-e", "abbrev=!io_submit")
    return ("strace", "-f", *filtered, *times, *(["-y"] if names else []), *shown)


def _version() -> tuple[int, ...]:
    done = subprocess.run(["strace", "-V"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


class _Standard:
    """Standard input and output, which every run is to find as the first one does."""

    def __init__(self, *, again: bool) -> None:
        """``again``: there is more than one run; InputError if the input can be read only once."""
        kinds = {number: _mode(number) for number in (0, 1)}
        self._regular = [number for number, mode in kinds.items() if stat.S_ISREG(mode)]
        if again and (stat.S_ISFIFO(kinds[0]) or stat.S_ISSOCK(kinds[0])):
            raise InputError(
                "standard input is a pipe, which the second run would find empty; write < FILE (or"
                " < /dev/null), or --once"
            )
        self._at = {number: os.lseek(number, 0, os.SEEK_CUR) for number in self._regular}
        self._size = {number: os.fstat(number).st_size for number in self._regular if number}

    @property
    def files(self) -> bool:
        """Whether one of them is a file."""
        return bool(self._regular)

    def rewind(self) -> None:
        """Restore them as they were before the run."""
        for number in self._regular:
            if number in self._size:
                os.ftruncate(number, self._size[number])
            os.lseek(number, self._at[number], os.SEEK_SET)


def _mode(number: int) -> int:
    try:
        return os.fstat(number).st_mode
    except OSError:
        return 0


def data_of(words: Sequence[str], named: Sequence[Path]) -> list[Path]:
    """Return files and folders that a command reads: those ``named``, or words of the command.

    InputError if there is none.
    """
    found = list(named) or [Path(word) for word in words[1:] if os.path.lexists(word)]
    if not found:
        raise InputError(
            "--cache drop: no word of the command is a file or a folder; say with --data which"
            " files are to leave the page cache"
        )
    for one in found:
        if not one.exists():
            raise InputError(f"--data {one}: there is no such file or folder")
    return found


def evict(data: Sequence[Path]) -> int:
    """Write files to their device and drop their pages; return how many files there were.

    InputError if one cannot be opened, or stays in memory.
    """
    count = 0
    for path in _files(data):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise InputError(f"--cache drop: {path}: {error.strerror}") from None
        try:
            stays = drop(descriptor)
        finally:
            os.close(descriptor)
        if stays:
            raise InputError(
                f"--cache drop: {path} stays in the page cache: a process uses it, or its"
                " file system is in memory; write --cache as-is"
            )
        count += 1
    return count


def _files(data: Sequence[Path]) -> Iterator[Path]:
    for one in data:
        if one.is_dir():
            for folder, _, names in os.walk(one):
                yield from (Path(folder, name) for name in sorted(names) if _plain(folder, name))
        elif one.is_file():
            yield one


def _plain(folder: str, name: str) -> bool:
    path = Path(folder, name)
    return path.is_file() and not path.is_symlink()

"""Logs as batches of rows, in one pass: blocks, tokens, processes, rows.

Blocks are made into tokens by several threads ahead of the one that follows the processes. Memory
grows with the names that differ and with what is open, not with the log. Rows of requests
(``io_submit``) may change until their completions are read: one batch is kept back for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.processors import processors
from simulator.progress import progress_bar
from simulator.traces.errors import WRONG, DamagedTraceError, TraceError
from simulator.traces.formats import detect, truss_times
from simulator.traces.merge import MergedBlock, MergedSource, families
from simulator.traces.mixed import Mixed
from simulator.traces.sources import Block, Source, size_of
from simulator.traces.syscalls import new_follower, new_scanner
from simulator.traces.tokens import THREADS, ForkReturns, Scanned, TokenQueue
from simulator.traces.unread import MUCH, unknown_of

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import pyarrow

    from simulator.traces.scanner import Scanner

BATCH = 1 << 16
"""Rows in a batch."""
TOKENS = 1 << 11
"""Tokens that a scanner makes at once."""
SEVERAL = 3
"""Calls whose times contradict those before them that make a log one of such times."""
CLOCKS = {"EPOCH": "epoch", "WALL": "of the day", "STEPS": "since the line before"}


class Trace:
    """Logs that are being read."""

    def __init__(
        self, paths: Sequence[Path], *, cwd: str | None, lenient: bool, progress: bool | None
    ) -> None:
        if not paths:
            raise TraceError("no log was named; name at least one")
        self.paths = list(paths)
        self.about: dict[str, Any] = {"sources": [], "format": None}
        self.unknown: dict[str, dict[str, int]] = {}
        self._lenient = lenient
        self._progress = progress
        self._follower = new_follower(BATCH, lenient=lenient)
        if cwd is not None:
            if not cwd.startswith("/"):
                raise TraceError(
                    f"--cwd {cwd}: not absolute; write it from the root, like /home/me"
                )
            self._follower.begin_in(cwd.encode())
        self.fork_returns = ForkReturns()
        # How tokens are made of the log that is being read.
        self._scanners: list[Scanner] = []
        self._truss: tuple[int, bool, int | None] | None = None
        self._mixed = Mixed(b"")
        self._output_lines = self._skipped = 0

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows; afterwards ``about`` and ``unknown`` are complete."""
        from simulator.traces.columns import Batches

        batches = Batches(self._follower)
        total = sum(size_of(path) for path in self.paths)
        with (
            scanning_threads() as pool,
            progress_bar(total, unit="byte", wanted=self._progress) as advance,
        ):
            done = shown = 0

            def reach(at: int) -> None:
                nonlocal shown
                advance(at - shown)
                shown = at

            for family in families(self.paths):
                with closing(self._open(family)) as source:
                    for _ in self._log(source, pool, lambda at, done=done: reach(done + at)):
                        if (batch := batches.next()) is not None:
                            yield batch
                    done += source.size
                    reach(done)
        while self._follower.rows:
            if (batch := batches.next()) is not None:
                yield batch
        self._conclude()

    def _open(self, family: list[Path]) -> Source | MergedSource:
        if len(family) == 1:
            return Source(family[0], lenient=self._lenient)
        return MergedSource(family, lenient=self._lenient)

    # -- one log --------------------------------------------------------------------------

    def _log(
        self, source: Source | MergedSource, pool: ThreadPoolExecutor | None, advance: Any
    ) -> Iterator[None]:
        """Follow one log; yields when the rows are full."""
        follower = self._follower
        blocks = source.blocks()
        first = next(blocks, None)
        if first is None:
            raise TraceError(f"{source.path} is empty; a log has at least one line")
        start = bytes(first.data[: min(first.stop, 1 << 16)])
        found = detect(source.path, start)
        self._prepare(found, start)
        queue = TokenQueue(self, source, chain([first], blocks), pool)
        calls, lines = follower.call_count, follower.table_lines
        torn: DamagedTraceError | None = None
        while (part := queue.take()) is not None:
            if part.block.cut and part.last:
                part.scanner.check_cut()
            at = 0
            while at < part.count:
                at = follower.follow(part.scanner, at)
                if at < 0:
                    if not self._is_output(part):
                        raise self._damaged(source, part, follower.damaged, follower.damage)
                    at = follower.damaged + 1
                    continue
                if (token := follower.take_torn()) >= 0:
                    torn = self._damaged(source, part, token, "TORN")
                if follower.asks >= 0:
                    pid = follower.asks
                    parent = self.fork_returns.parent(
                        pid, part, at, queue.peek, follower.is_cloning
                    )
                    follower.tell(pid, parent)
                elif at < part.count:
                    yield
            if part.last:
                follower.add_steps(part.scanner.steps)
                advance(source.position())
            queue.give_back(part)
        while not follower.end_log():
            yield
        self._check_times(torn)
        self._end_log(source, found, calls, lines)

    def _end_log(self, source: Source | MergedSource, found: str, calls: int, lines: int) -> None:
        """Note what a log was; TraceError if it had no call. ``calls``, ``lines``: before it."""
        follower = self._follower
        if follower.call_count == calls and (not self._lenient or follower.clock is None):
            raise TraceError(
                f"{source.path} has only the summary that strace -c writes; trace with -C, which"
                " writes the calls as well, or without -c"
                if follower.table_lines > lines
                else f"{source.path} has no system call; trace one command at least"
            )
        self._scanners.clear()
        self._output_lines += self._mixed.lines
        self.about["sources"].append(
            {
                "path": str(source.path),
                "compression": source.compression,
                "format": found,
                "times": CLOCKS.get(follower.clock or ""),
            }
        )
        self._skipped += source.skipped

    def _prepare(self, found: str, start: bytes) -> None:
        """Choose the scanners of a format."""
        self._mixed = Mixed(start)
        self._follower.begin(found == "truss")
        self._truss = None
        if found == "truss":
            base, numbers, deltas = truss_times(start)
            self._truss = numbers, deltas, base

    def _check_times(self, torn: DamagedTraceError | None) -> None:
        """Refuse times that contradict durations; those of steps were made anew of durations."""
        follower = self._follower
        if torn is None or follower.torn_ns <= MUCH * follower.within:
            return
        if follower.clock != "STEPS" and follower.torn_calls < SEVERAL:
            return  # The clock was set.
        if follower.clock != "STEPS" and not self._lenient:
            raise torn
        name = "rebuilt times" if follower.clock == "STEPS" else "contradicting times"
        self.unknown[name] = {"calls": follower.torn_calls}

    def _damaged(
        self, source: Source | MergedSource, part: Scanned, token: int, wrong: str
    ) -> DamagedTraceError:
        number, start, end = part.scanner.line_of(token)
        read = part.block.data[start:end][:400]
        path, line = source.path, part.block.line + number
        if isinstance(part.block, MergedBlock):
            path, line = part.block.origins[number]
        return DamagedTraceError(path, line, WRONG[wrong], bytes(read))

    def _is_output(self, part: Scanned) -> bool:
        """Count a line that cannot be read, and is of the program's output."""
        if self._truss is not None or self._follower.damage != "UNREADABLE":
            return False
        _, start, end = part.scanner.line_of(self._follower.damaged)
        found = self._mixed.is_output(bytes(part.block.data[start:end]))
        self._output_lines += found
        return found

    def _conclude(self) -> None:
        follower = self._follower
        formats = sorted({source["format"] for source in self.about["sources"]})
        clocks = sorted({source["times"] or "none" for source in self.about["sources"]})
        self.about |= {
            "format": ", ".join(formats),
            "times": ", ".join(clocks) if clocks != ["none"] else None,
            "durations": bool(follower.durations),
            "epoch": "1970-01-01T00:00:00Z" if clocks == ["epoch"] else None,
            "calls": follower.call_count,
            "processes": follower.numbers,
            # Of a program that was traced from its begin it is known which are threads.
            "groups": follower.groups if follower.roots <= len(self.about["sources"]) else None,
            "summary_lines": follower.table_lines,
        }
        self.unknown |= unknown_of(follower)
        self.unknown["skipped"]["lines"] += self._skipped
        if output := self._output_lines:
            self.unknown["program's output"] = {"lines": output}

    # -- tokens ---------------------------------------------------------------------------

    def scan(self, block: Block) -> list[Scanned]:
        """Make tokens of a block; called in a thread of its own."""
        parts: list[Scanned] = []
        start = line = steps = 0
        while True:
            try:
                scanner = self._scanners.pop()
            except IndexError:
                scanner = new_scanner(TOKENS, self._truss)
            scanner.hold(block.data)
            count = scanner.scan(start, block.stop, line, steps)
            while self._truss is None and (unread := scanner.unread()):
                if not self._mixed.mend(block.data, unread, block.stop):
                    break
                count = scanner.scan(start, block.stop, line, steps)
            start, line, steps = scanner.at, scanner.lines, scanner.steps
            parts.append(Scanned(block, scanner, count, start >= block.stop))
            if start >= block.stop:
                return parts

    def recycle(self, scanner: Scanner) -> None:
        """Take back a scanner, for the next tokens."""
        scanner.release()
        self._scanners.append(scanner)


def scanning_threads() -> AbstractContextManager[ThreadPoolExecutor | None]:
    """Return the threads that make tokens, or none."""
    if processors() <= 2:
        return nullcontext()
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(min(THREADS, processors() - 1))


def read(
    paths: Sequence[Path],
    *,
    cwd: str | None = None,
    lenient: bool = False,
    progress: bool | None = False,
) -> Trace:
    """Read logs; what is wrong with them is raised as soon as it is met.

    ``cwd`` is the directory in which the first process began; ``lenient`` passes over what is
    damaged, and counts it; ``progress`` None shows a bar if standard error is a terminal.
    """
    return Trace(paths, cwd=cwd, lenient=lenient, progress=progress)

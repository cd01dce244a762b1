"""``nwtsim trace record``: a program traced, with what is needed to take the tracer out again.

Run COMMAND as it is, and then under strace, and write the log and, beside it, LOG.record.json: how
long the command takes without strace, and what strace adds to a call on this machine, measured now.
'nwtsim replay', 'advise' and 'trace import' find that file by themselves, and take out what strace
itself takes. The command's input and output are its own; what nwtsim says goes to standard error.
It asks before it runs a command twice. Ctrl-C ends the command, and leaves no half of a log.

Examples:
  nwtsim trace record -- ./program input.dat         writes program.strace and its record
  nwtsim trace record --yes -o job.strace -- python3 job.py
  nwtsim trace record --once -- make install         not to be run twice: only under strace
  nwtsim trace record --runs 5 -- ./quick            a quick program: what it computes, surer
  nwtsim trace record --cache drop --data input -- ./program      input is not in memory
  nwtsim trace record --cache warm -- ./program input.dat         input is: run once more before
  nwtsim advise program.strace --on scratch.yaml     then: what would make it faster
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.errors import InputError
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.traces.record import Record
    from simulator.traces.recording.session import RecordOptions

QUICK_NS = 10**9
"""A run of less has too few ticks of the kernel's clock."""

USAGE = "nwtsim trace record [options] [-o LOG] -- COMMAND [ARGUMENT ...]"
OPTIONS = {
    "command_words COMMAND +": "the program and its arguments",
    "-o --out LOG file": "the log to write (default: PROGRAM.strace in this folder)",
    "--once": "run it only under strace; how long it takes without is then not known",
    "--runs N 1..1000": "run it N times without strace (default: 1): the kernel's clock tells what"
    " a program computes in 200 ms by 8 ms or so, and N runs by that over the root of N",
    "--yes": "do not ask: it may be run twice",
    "--cache HOW as-is|warm|drop=as-is": "the page cache before each run: as-is (default); warm:"
    " the command is run once more before; drop: files that the command names, or --data, leave it",
    "--data PATH file*": "with --cache drop: a file or folder that leaves the page cache (may be"
    " repeated)",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    from simulator.output import placing
    from simulator.report import terminal
    from simulator.traces.record import PACKED, beside
    from simulator.traces.recording.session import RecordOptions, Session

    words = tuple(arguments.command_words)
    if arguments.data and arguments.cache != "drop":
        raise InputError("--data is for --cache drop; add that, or omit --data")
    log = arguments.out or Path(f"{Path(words[0]).name}.strace")
    if log.suffix in PACKED:
        raise InputError(f"{log}: the log is written plain; name it {log.stem}, and pack it later")
    if arguments.once and arguments.runs is not None:
        raise InputError("--runs is of runs without strace, and --once is none; omit one of them")
    wish = RecordOptions(
        words, arguments.once, arguments.cache, tuple(arguments.data), plain=arguments.runs or 1
    )
    session = Session(wish, terminal.say)
    _ask(wish, yes=arguments.yes)
    with placing(log) as part, placing(beside(log)) as written:
        record = session.record(part)
        written.write_text(record.to_json(), encoding="utf-8")
    terminal.say(_told(record, log, beside(log)))
    return 0


def _ask(wish: RecordOptions, *, yes: bool) -> None:
    """Ask whether a command may be run more than once; InputError if it may not."""
    if wish.runs == 1 or yes:
        return
    times = {2: "twice", 3: "three times"}.get(wish.runs, f"{wish.runs} times")
    command = command_line(*wish.command)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"{command} would be run {times}, and there is no terminal to ask; write --yes if that"
            " is good, or --once to run it only under strace"
        )
    question = f"{command} will be run {times}, the last time under strace. Go on? [y/N] "
    print(question, end="", flush=True, file=sys.stderr)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError("nothing was run; --once runs it only under strace")


def _told(record: Record, log: Path, beside: Path) -> str:
    """Return what was measured and written, and what to do next, in words."""
    from simulator.units import format_time

    plain, data = record.costs["plain"], record.costs["data"]
    each = [format_time(round(one.inside + one.outside)) for one in (plain, data)]
    lines = [f"strace adds {each[0]} to a call, {each[1]} to a read or write (measured)"]
    lines.append(f"wrote {log} and {beside}")
    if record.untraced is not None and record.runs == 1 and record.untraced.elapsed_ns < QUICK_NS:
        lines.append(
            "what so quick a program computes is known by some ms; --runs 5 makes it surer"
        )
    lines.append(f"next: {command_line('nwtsim', 'advise', log, '--on', 'MACHINE')}")
    return "\n".join(lines)

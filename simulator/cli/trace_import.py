"""``nwtsim trace import``: logs into a store."""

from __future__ import annotations

import argparse
from typing import Any

from simulator.cli import options

_TEXT = """\
Read logs of strace or truss, plain or compressed by gzip, bzip2, xz or zstd, and write one row for
each call to a Parquet file: time, process, file, offset, bytes. Files are found by following
descriptors. Several logs are independent of each other; the files of one strace -ff (LOG.PID) are
merged by their times."""

_EXAMPLES = """\
  nwtsim trace import job.log -o job.parquet
  nwtsim trace import job.log.gz --cwd /home/me/job -o job.parquet
  nwtsim trace import job.log.* -o job.parquet           the files of strace -ff -o job.log"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument(
        "logs", metavar="LOG", nargs="+", type=options.file, help="a log of strace or truss"
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", type=options.file, required=True, help="the store to write"
    )
    parser.add_argument(
        "--cwd", metavar="DIR", help="the directory in which the first process began"
    )
    options.flag(parser, "--lenient", "skip damaged lines, and count them")
    options.add(parser, "progress")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    from simulator.output import show
    from simulator.traces.logs import is_darshan, read_logs
    from simulator.traces.store import load_without_numpy, write

    trace = read_logs(
        arguments.logs,
        cwd=arguments.cwd,
        lenient=arguments.lenient,
        progress=arguments.progress,
    )
    if arguments.alone and not is_darshan(arguments.logs[0]):
        load_without_numpy()
    rows = write(trace, arguments.out)
    show(import_text(trace.about, trace.unknown, rows, str(arguments.out)))
    return 0


def import_text(
    about: dict[str, Any], unknown: dict[str, dict[str, int]], rows: int, out: str
) -> str:
    """Report what was detected, what was written, and what the logs do not contain."""
    from simulator.traces.unread import processes_text
    from simulator.wording import counted

    times = about["times"] or "no times"
    durations = "durations" if about["durations"] else "no durations"
    lines = [
        f"detected {about['format']}: times {times}, {durations},"
        f" {processes_text(about, about['processes'])}",
        f"wrote {counted(rows, 'call')} to {out}",
    ]
    if about.get("summary_lines"):
        lines.append(
            f"skipped: the summary that strace -C wrote, {counted(about['summary_lines'], 'line')}"
        )
    lines += [
        f"not in the log: {name}: "
        + ", ".join(f"{count:,} {what}" for what, count in counts.items())
        for name, counts in unknown.items()
        if any(counts.values())
    ]
    return "\n".join(lines) + "\n"

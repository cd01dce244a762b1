"""``nwtsim trace import``: logs into a store."""

from __future__ import annotations

import argparse
from typing import Any

from simulator.cli import options

TEXT = """\
Read logs of strace or truss, plain or compressed by gzip, bzip2, xz or zstd, and write one row for
each call to a Parquet file: time, process, file, offset, bytes. Files are found by following
descriptors. Several logs are independent of each other; the files of one strace -ff (LOG.PID) are
merged by their times."""

EXAMPLES = """\
  nwtsim trace import job.log -o job.parquet
  nwtsim trace import job.log.gz --cwd /home/me/job -o job.parquet
  nwtsim trace import job.log.* -o job.parquet           the files of strace -ff -o job.log"""


OPTIONS = {
    "logs LOG file+": "a log of strace or truss",
    "-o --out FILE file!": "the store to write",
    "--cwd DIR": "the directory in which the first process began",
    "--lenient": "skip damaged lines, and count them",
    "progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    from simulator.output import show
    from simulator.traces.logs import is_darshan, read_logs
    from simulator.traces.store import load_without_numpy, write

    trace = read_logs(arguments.logs, **options.values(arguments, "cwd lenient progress"))
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

"""``nwtsim trace import``: logs into a store.

Read logs of strace or truss, plain or compressed by gzip, bzip2, xz or zstd, and write one row for
each call to a Parquet file: time, process, file, offset, bytes. Files are found by following
descriptors. Several logs are independent of each other; the files of one strace -ff (LOG.PID) are
merged by their times.

A scheduler's log in the Standard Workload Format (.swf, .swf.gz) is checked, and a workload is
written that submits its jobs to a queue.

Examples:
  nwtsim trace import job.log -o job.parquet
  nwtsim trace import job.log.gz --cwd /home/me/job -o job.parquet
  nwtsim trace import job.log.* -o job.parquet           the files of strace -ff -o job.log
  nwtsim trace import centre.swf -o centre.yaml          a scheduler's log, for a queue
"""

from __future__ import annotations

import argparse
from typing import Any

from simulator.cli import options

OPTIONS = {
    "logs LOG file+": "a log of strace or truss, or of a scheduler",
    "-o --out FILE file!": "the store to write; of a scheduler's log the workload, FILE.yaml",
    "--cwd DIR": "the directory in which the first process began",
    "--lenient": "skip damaged lines, and count them",
    "progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    if any(str(log).lower().endswith(JOB_LOGS) for log in arguments.logs):
        return _import_jobs(arguments)
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


JOB_LOGS = (".swf", ".swf.gz")


def _import_jobs(arguments: argparse.Namespace) -> int:
    """Check a scheduler's log, and write a workload of its jobs."""
    import os

    from simulator.errors import InputError
    from simulator.output import placing, show
    from simulator.workload.joblog import read_job_log, summary_text, workload_text

    log, *others = arguments.logs
    if others:
        raise InputError(f"{others[0]}: a scheduler's log is read alone; give one")
    if arguments.out.suffix not in {".yaml", ".yml"}:
        about = "not the name of a workload file, which is made of a scheduler's log"
        raise InputError(f"{arguments.out}: {about}; write one that ends in .yaml")
    if arguments.lenient or arguments.cwd:
        raise InputError("--lenient, --cwd: are for logs of system calls; omit them")
    read = read_job_log(log)
    beside = os.path.relpath(log, arguments.out.parent)
    with placing(arguments.out) as part:
        part.write_text(workload_text(read, arguments.out.stem, beside), encoding="utf-8")
    show(f"{summary_text(read)}wrote {arguments.out}\n")
    return 0


def import_text(
    about: dict[str, Any], unknown: dict[str, dict[str, int]], rows: int, out: str
) -> str:
    """Report what was detected, what was written, and what the logs do not contain."""
    from simulator.report.trace import unknown_counts
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
    lines += [f"not in the log: {kind}: {counts}" for kind, counts in unknown_counts(unknown)]
    return "\n".join(lines) + "\n"

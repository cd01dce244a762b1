"""``nwtsim trace workload``: a trace as a workload that can be run and edited.

Write a trace as a workload: a YAML file with the path to the files, and beside it a CSV file with
one line per call (client, operation, file, offset, size, and the computing before it). Both can be
edited. 'nwtsim run MACHINE FILE.yaml' has the same result as 'nwtsim replay', on machines whose
metadata are free, or with --on MACHINE.

Examples:
  nwtsim trace workload job.log -o job.yaml       writes job.yaml and job.calls.csv
  nwtsim run nwt job.yaml
  nwtsim sweep nwt job.yaml --vary 'workload.jobs.0.calls.think=0 %,50 %,100 %' --out results
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli import options

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

OPTIONS = {
    "logs LOG file+": "logs of strace or truss, a store, or a Darshan log with DXT segments",
    "-o --out FILE.yaml file!": "the workload to write; its calls are written beside it, to"
    " FILE.calls.csv",
    "--on MACHINE": "a machine file, or a shipped name: the traced time of metadata operations is"
    " left out where its first file system has a cost for them (without it, it counts as"
    " computing)",
    "reading exclude-dir progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    import re

    from simulator.errors import InputError
    from simulator.output import placing, show
    from simulator.replay.replay import read_log, was_cached
    from simulator.report.replay import excluded
    from simulator.report.trace import unknown_counts
    from simulator.wording import counted
    from simulator.workload.callfile import write_calls

    out = arguments.out
    if out.suffix not in {".yaml", ".yml"}:
        raise InputError(f"{out}: not the name of a workload file; write one that ends in .yaml")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", out.stem).strip("-.") or "trace"
    calls = out.with_name(f"{name}.calls.csv")
    machine = _machine(arguments.on) if arguments.on else None
    with placing(out) as part, placing(calls) as table:
        log = read_log(
            arguments.logs,
            machine,
            **options.values(arguments, "cwd lenient progress"),
            exclude=arguments.exclude_dir,
        )
        traced = log.observed.traced
        if not traced.clients:
            raise InputError(f"{arguments.logs[0]}: the trace has no calls")
        with table.open("w", encoding="utf-8", newline="") as file:
            write_calls(traced, file)
        title = f"traced: {', '.join(path.name for path in arguments.logs)}"
        about = ", ".join(map(" ".join, unknown_counts(log.unknown, " and ")))
        cached = machine is not None and was_cached(log, machine, None)
        told = " ".join(filter(None, [log.lead, log.tracing]))
        text = workload_text(name, title, calls.name, about, tracer=told, prestage=cached)
        part.write_text(text, encoding="utf-8")
    clients, rows = counted(len(traced.clients), "client"), counted(len(traced.table), "row")
    left = excluded(log.observed.excluded, arguments.exclude_dir)
    show(f"{told}\n" if told else "")
    show(f"wrote {out} and {calls}: {clients}, {rows}{left and '; '}{left}\n")
    return 0


def _machine(name: str) -> Machine:
    from simulator.config.formats import MACHINE
    from simulator.run import load

    return load(MACHINE, name, ())


def workload_text(
    name: str,
    title: str,
    calls: str,
    unknown: str = "",
    *,
    prestage: bool = False,
    filesystem: str | None = None,
    path: str | None = None,
    tracer: str = "",
) -> str:
    """Return the workload file of listed calls; ``calls`` is the name of theirs.

    ``unknown`` is what the log does not have, ``tracer`` says what it has too much.
    """
    import yaml

    from simulator.report.lined import printable

    def said(text: str) -> str:
        return yaml.safe_dump(text, default_flow_style=True, width=10**6, allow_unicode=True)[
            :-1
        ].removesuffix("\n...")

    notes = [
        "# A traced job: docs/traces.md, 'Replay'. The calls are in the file beside this one.",
        *([f"# Not in the log, and so not here: {unknown}."] if unknown else []),
        *([f"# {tracer}"] if tracer else []),
    ]
    lines = [
        *notes,
        "format: workload/2",
        f"name: {name}",
        f"title: {said(printable(title))}",
        "jobs:",
        f"  - name: {said(name)}",
        "    calls:",
        f"      file: {said(calls)}",
        f"      prestage: {str(prestage).lower():<10}# true: what was there before is in the stores"
        " when it starts",
        "      think: 100 %        # of the computing between the calls; 0 % leaves it out",
        "      # buffer: 8 MB      # gathers the calls on each file in a buffer",
        f"      filesystem: {said(filesystem)}"
        if filesystem is not None
        else "      # filesystem: NAME  # the machine's first if left out",
        f"      path: {said(path)}"
        if path is not None
        else "      # path: NAME        # how files are reached; its first if left out",
    ]
    return "\n".join(lines) + "\n"

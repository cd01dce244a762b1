"""What a sweep needs of files: settings with full paths, digests, and which problems are errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator.config.errors import Problem
from simulator.config.machine_file import Machine
from simulator.config.settings import Setting
from simulator.config.variants import FileText
from simulator.config.workload_file import Workload


def resolved_for(
    machine: str, workload: str, settings: Sequence[Setting], files: Sequence[FileText | None]
) -> list[Setting]:
    """Return settings with full paths; ConfigError as of :func:`simulator.run.with_full_paths`.

    ``files``: the texts of the machine's and the workload's file, if they have been read already.
    """
    from simulator.run import Text, with_full_paths

    read, work = (
        name if text is None else Text(*text)
        for name, text in zip((machine, workload), files, strict=True)
    )
    return with_full_paths(settings, read, work)


def digest_of_both(machine: Machine, workload: Workload) -> str:
    """Return the digest of a machine and a workload that fit together, with its files of calls."""
    from simulator.config.identity import digest_of

    if any(True for job in workload.jobs for _ in job.lists()):
        from simulator.config.lowering.plan import make_plan

        return make_plan(machine, workload).digest
    return digest_of(machine, workload)


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that are no warnings."""
    return [one for one in problems if one.severity == "error"]

"""What a sweep needs of a file format: how files are read, what fits, and how a point is run.

The machine's file says which format it is; all that differs between formats is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.config.errors import Problem
from simulator.config.load import Kind
from simulator.config.settings import Setting
from simulator.config.systems import OLD_FORMATS, format_in, written_format
from simulator.config.variants import FileText


@dataclass(frozen=True, slots=True)
class Rules:
    """One pair of formats."""

    machine: Kind[Any]
    workload: Kind[Any]
    together: Callable[[Any, Any], list[Problem]]
    """What does not fit: errors, and warnings."""
    digest: Callable[[Any, Any], str]
    """Of a machine and a workload that fit together."""


def rules_of(machine: str, text: FileText | None = None) -> Rules:
    """Return the rules of a machine file; ``text`` if it has been read already."""
    written = format_in(text[0]) if text else written_format(machine, "machine")
    return _composed() if written in ("machine/2", *OLD_FORMATS) else _nwt()


def resolved_for(
    machine: str, workload: str, settings: Sequence[Setting], files: Sequence[FileText | None]
) -> list[Setting]:
    """Return settings with full paths; ConfigError for names that the files do not have."""
    if rules_of(machine, files[0]).machine.version == 1:
        from simulator.config.settings import resolve_setting

        return [resolve_setting(*setting) for setting in settings]
    from simulator.config.knobs import are_full, resolved

    if are_full(settings):
        return list(settings)
    from simulator.run import Text, load_inputs

    read, work = (
        name if text is None else Text(*text)
        for name, text in zip((machine, workload), files, strict=True)
    )
    inputs = load_inputs(read, work)
    return resolved(settings, inputs.machine, inputs.workload)


def _nwt() -> Rules:
    from simulator.config import check_together, digest
    from simulator.config.load import MACHINE, WORKLOAD

    return Rules(MACHINE, WORKLOAD, check_together, digest)


def _composed() -> Rules:
    from simulator.config.fitting import fit
    from simulator.config.formats import MACHINE, WORKLOAD

    return Rules(MACHINE, WORKLOAD, fit, _digest)


def _digest(machine: Any, workload: Any) -> str:
    from simulator.config.identity import digest_of

    if any(job.calls is not None for job in workload.jobs):  # Files of calls belong to it.
        from simulator.config.lowering.plan import make_plan

        return make_plan(machine, workload).digest
    return digest_of(machine, workload)


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that are no warnings."""
    return [one for one in problems if one.severity == "error"]

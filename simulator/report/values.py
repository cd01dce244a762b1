"""A machine as a reader wants it: its diagram, then every value with where it comes from."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from simulator.config.doubts import machine_doubts
from simulator.config.errors import ConfigError
from simulator.config.fit_file import Fit
from simulator.config.load import load_file, written_format
from simulator.config.lowering.listed import read_listed
from simulator.config.machine_file import Machine
from simulator.config.requirement_file import Requirement
from simulator.config.schema import KINDS
from simulator.config.sources import Document, provenance
from simulator.config.workload_file import Workload
from simulator.report.page import Page, Plain, Section, Table, table_of_texts
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.config.knobs import Knob
    from simulator.config.sources import Stated


_NAMED = ("nodes", "parts", "stores", "buffer_caches", "filesystems", "services", "sites")
"""Sections whose values have names without that of the section; ``policy`` is that of jobs."""


_KEYS = ("path", "value", "source", "detail", "note")
"""Names of the fields of a value, in a record."""


def machine_page(machine: Document, drawn: str) -> Page:
    """Return a machine's diagram, and its values with their sources."""
    listed = provenance(machine)
    title = f": {machine.title}" if machine.title else ""
    references = [f"  {key}: {text}" for key, text in machine.references.items()]
    boxes = [Plain(one) for one in drawn.split("\n\n") if one]
    sections = [
        Section("", boxes, leads=True, name="diagram"),
        Section("", [_table(listed)], leads=True, name="values"),
        Section("", [summary(listed)], leads=True, name="sources"),
        Section("references", [Plain("\n".join(references))]),
    ]
    return Page(f"{machine.name}{title}", [], [], sections, lambda: _machine_record(machine))


def knobs_page(knobs: Mapping[str, Knob]) -> Page:
    """Return the values that ``nwtsim run`` can set."""
    rows = [[f"--{name}", str(one.value), one.path] for name, one in knobs.items()]
    values = table_of_texts(["option", "now", "path"], rows, "lll", "value")
    return Page("", [], [], [Section("", [values], leads=True)])


def _machine_record(machine: Document) -> dict[str, Any]:
    """Return a machine's values and their sources for programs."""
    return {
        "machine": machine.name,
        "title": machine.title,
        "values": [dict(zip(_KEYS, one, strict=True)) for one in provenance(machine)],
        "references": machine.references,
    }


def summary(listed: list[Stated]) -> str:
    """Count values by where they come from.

    >>> from simulator.config.sources import Stated
    >>> summary([Stated("pe.small", "162", "paper", "2.1", "")])
    '1 value: 1 from the paper'
    """
    phrases = {
        "paper": "from the paper",
        "literature": "from literature",
        "unstated": "unsourced",
    }
    kinds: list[str] = [one.kind for one in listed]
    counts = {kind: kinds.count(kind) for kind in (*phrases, *kinds)}
    told = [f"{count} {phrases.get(kind, kind)}" for kind, count in counts.items() if count]
    return f"{counted(len(listed), 'value')}: {', '.join(told)}"


def _table(listed: list[Stated]) -> Table:
    """List the values, each section under a line of its own."""
    rows = []
    for section, values in groupby(listed, key=lambda one: one.path.partition(".")[0]):
        rows.append([section, "", "", ""])
        for one in values:
            key = one.path.partition(".")[2] if section in _NAMED else one.path
            rows.append([f"  {key}", one.value, f"{one.kind} {one.detail}".rstrip(), one.note])
    return table_of_texts(["value", "", "source", "note"], rows, "llll")


def check_file(name: str) -> str:
    """Read a machine, workload, fit or requirement, and say in one line what it is.

    Before that line stand warnings about a machine, one on each. ConfigError lists everything that
    is wrong with the file, CallFileError what is wrong with the calls that it lists. Shipped names
    are as good as files.
    """
    for kind in KINDS:
        if written_format(name, kind.noun) == kind.format:
            return _good(name, load_file(kind, name), kind.noun, kind.format)  # type: ignore[misc]
    failed: list[ConfigError] = []
    for kind in KINDS:
        try:
            return _good(name, load_file(kind, name), kind.noun, kind.format)  # type: ignore[misc]
        except ConfigError as error:
            failed.append(error)
    raise _better(failed) from None


def _good(name: str, read: Document, noun: str, written: str) -> str:
    if isinstance(read, Workload):
        for number, job in enumerate(read.jobs):
            for at, calls in job.lists():
                read_listed(read, ("jobs", number, *at), calls)
    if isinstance(read, Fit):
        from simulator.study.fits import prepare

        prepare(read)
    if isinstance(read, Requirement):
        from simulator.sizing.alternatives import every_loads

        every_loads(name)
    doubts = [*read.origin.warnings, *(machine_doubts(read) if isinstance(read, Machine) else [])]
    what = f"{noun} {read.name} of {written}"
    return "\n".join([*map(str, doubts), f"{name}: ok ({what}, {summary(provenance(read))})"])


def _better(failed: list[ConfigError]) -> ConfigError:
    """Choose the complaints about the kind that the author of a file had in mind.

    A file of another kind is refused at its ``format``, with nothing else said about it.
    """
    for error in failed:
        if [problem.message.split(";")[0] for problem in error.problems] == ["is missing"]:
            return error  # Nothing else is wrong with it.
    told = [error for error in failed if not _only_its_format(error)]
    if told:  # If it does not say what it is: whichever it is nearest to.
        near = [error for error in told if "did you mean" in str(error)]
        if not near and all("and no " in str(error) for error in told):  # No file, and no name.
            about = "there is no such file, and nothing of that name comes with the program"
            said = replace(told[0].problems[0], message=f"{about}; 'nwtsim list' lists what does")
            return ConfigError([said])
        return min(near or told, key=lambda error: len(error.problems))
    (problem,) = failed[0].problems
    *_, last = formats = [kind.format for kind in KINDS]
    offered = f"{', '.join(formats[:-1])} or {last}"
    return ConfigError([replace(problem, message=problem.message.replace(formats[0], offered))])


def _only_its_format(error: ConfigError) -> bool:
    return [problem.key for problem in error.problems] == ["format"]

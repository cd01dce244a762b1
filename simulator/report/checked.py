"""What is right or wrong with a file, of whichever kind it is."""

from __future__ import annotations

from dataclasses import replace

from simulator.config.document import Document
from simulator.config.errors import ConfigError
from simulator.config.formats import KINDS
from simulator.config.load import load_file
from simulator.config.lowering.listed import read_listed
from simulator.config.sources import provenance
from simulator.config.textfile import written_format
from simulator.config.workload_file import Workload
from simulator.report.values import summary


def check_file(name: str) -> str:
    """Read a machine or workload, and say in one line what it is.

    ConfigError lists everything that is wrong with it, CallFileError what is wrong with the calls
    that it lists. Shipped names are as good as files.
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
    raise _better(*failed) from None


def _good(name: str, read: Document, noun: str, written: str) -> str:
    if isinstance(read, Workload):
        for number, job in enumerate(read.jobs):
            if job.calls is not None:
                read_listed(read, number)
    what = f"{noun} {read.name} of {written}"
    return f"{name}: ok ({what}, {summary(provenance(read))})"


def _better(as_machine: ConfigError, as_workload: ConfigError) -> ConfigError:
    """Choose the complaints about the kind that the author of a file had in mind.

    A file of the other kind is refused at its ``format``, with nothing else said about it.
    """
    for error in (as_machine, as_workload):
        if [problem.message.split(";")[0] for problem in error.problems] == ["is missing"]:
            return error  # Nothing else is wrong with it.
    no_machine, no_workload = _only_its_format(as_machine), _only_its_format(as_workload)
    if no_machine and no_workload:
        (problem,) = as_machine.problems
        if "nwtsim convert" in problem.message:
            return as_machine
        return ConfigError([replace(problem, message=f"{problem.message} or {KINDS[1].format}")])
    if no_machine == no_workload:  # It does not say what it is: whichever it is nearer to.
        return min(as_machine, as_workload, key=lambda error: len(error.problems))
    return as_workload if no_machine else as_machine


def _only_its_format(error: ConfigError) -> bool:
    return [problem.key for problem in error.problems] == ["format"]

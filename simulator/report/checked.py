"""What is right or wrong with a file, of whichever kind it is."""

from __future__ import annotations

from dataclasses import replace

from simulator.config.errors import ConfigError
from simulator.config.fit_file import Fit
from simulator.config.load import load_file, written_format
from simulator.config.lowering.listed import read_listed
from simulator.config.schema import KINDS
from simulator.config.sources import Document, provenance
from simulator.config.workload_file import Workload
from simulator.report.values import summary


def check_file(name: str) -> str:
    """Read a machine, workload or fit, and say in one line what it is.

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
    raise _better(failed) from None


def _good(name: str, read: Document, noun: str, written: str) -> str:
    if isinstance(read, Workload):
        for number, job in enumerate(read.jobs):
            for at, calls in job.lists():
                read_listed(read, ("jobs", number, *at), calls)
    if isinstance(read, Fit):
        from simulator.study.fits import prepare

        prepare(read)
    what = f"{noun} {read.name} of {written}"
    return f"{name}: ok ({what}, {summary(provenance(read))})"


def _better(failed: list[ConfigError]) -> ConfigError:
    """Choose the complaints about the kind that the author of a file had in mind.

    A file of another kind is refused at its ``format``, with nothing else said about it.
    """
    for error in failed:
        if [problem.message.split(";")[0] for problem in error.problems] == ["is missing"]:
            return error  # Nothing else is wrong with it.
    told = [error for error in failed if not _only_its_format(error)]
    if told:  # If it does not say what it is: whichever it is nearest to.
        return min(told, key=lambda error: len(error.problems))
    (problem,) = failed[0].problems
    *_, last = formats = [kind.format for kind in KINDS]
    offered = f"{', '.join(formats[:-1])} or {last}"
    return ConfigError([replace(problem, message=problem.message.replace(formats[0], offered))])


def _only_its_format(error: ConfigError) -> bool:
    return [problem.key for problem in error.problems] == ["format"]

"""Which assumed and calibrated values of a study its file of assumptions forgets."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from simulator.config.formats import WORKLOAD
from simulator.config.sources import unproven
from simulator.run import load
from simulator.study.assumed import Assumptions
from simulator.study.ledger import load_study_file
from simulator.study.plausible import machine_of
from simulator.study.study import load_study


def forgotten(assumptions: Assumptions) -> list[str]:
    """Return the paths of values that are neither varied, nor fitted again, nor left with a reason.

    Of the machine, or those of all sites, and assumed ones of the workloads that the file names.
    """
    named = [path for one in assumptions.dimensions for path in one.paths]
    named += [path for one in assumptions.refits for path in one.paths]
    named += [path for one in assumptions.left for path in one.paths]
    if assumptions.by_calibration:
        listed = load_study(assumptions.study).calibration["parameters"]
        named += [str(one["path"]).removesuffix(".write").removesuffix(".read") for one in listed]
    patterns = [one.replace("machine.", "") for one in named]
    every = [*_of_machines(assumptions), *_of_workloads(assumptions)]
    return [path for path in every if not any(fnmatchcase(path, one) for one in patterns)]


def _of_machines(assumptions: Assumptions) -> Iterator[str]:
    study = load_study_file(assumptions.study)
    for site in tuple(assumptions.sites) or ("",):
        listed = unproven(machine_of(study, site))
        for one in (*listed["assumed"], *listed["calibrated"]):
            yield f"{site}:{one.path}" if site else one.path


def _of_workloads(assumptions: Assumptions) -> Iterator[str]:
    for name in assumptions.workloads:
        for one in unproven(load(WORKLOAD, name))["assumed"]:
            yield f"workload.{one.path}"

"""Runs whose results are frozen, to the nanosecond, the byte and the count.

``inputs/<study>.json`` has the cases of a study: the texts of a machine and a workload, seed and
run; ``results/<study>.json.gz`` what a run of each gave. They began as the runs of the four
simulators of version 1, each of one study, and say that the one simulator gives what those gave.
They change only when a model changes on purpose: ``python -m tests.golden.freeze`` writes them, and
CHANGELOG.md says why.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.plan import Plan
from tests.twins.plans.faults import check

HERE = Path(__file__).resolve().parent
ENGINES = {
    "nwt": ("native", "reference"),
    "sr8000": ("native", "reference"),
    "orion": ("reference",),
    "ninf": ("reference",),
}
"""Study -> the engines that carry it out; results are frozen from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that a run needs; its name is unique within its study."""

    study: str
    name: str
    machine: str
    """The text of a file."""
    workload: str
    """Likewise; a file of calls that it names is in this folder."""
    seed: int
    noisy: bool
    """Whether service times vary."""
    run: int
    runs: int
    """How many runs belong together; 0: each is by itself."""
    recorded: bool
    """Whether each call is kept."""
    spans: bool
    """Whether each service of the timeline is kept."""
    slow: bool
    """Whether it takes more than some tenths of a second on the reference engine."""

    def plan(self) -> Plan:
        """Lower the texts; the two must fit together."""
        machine, workload = _machine(self.machine), _workload(self.workload)
        errors = [one for one in fit(machine, workload) if one.severity == "error"]
        assert not errors, errors
        plan = make_plan(machine, workload, seed=self.seed, noisy=self.noisy)
        plan = plan.with_run(self.run, self.runs)
        check(plan)
        return plan


@functools.cache
def _machine(text: str) -> Any:
    return parse_machine(text, str(HERE / "machine.yaml"))


@functools.cache
def _workload(text: str) -> Any:
    return parse_workload(text, str(HERE / "workload.yaml"))


# -- many of them in one file ----------------------------------------------------------------


def cases_of(study: str, folder: Path = HERE) -> dict[str, Case]:
    """Return the cases of a study by their names."""
    record = json.loads((folder / "inputs" / f"{study}.json").read_text(encoding="utf-8"))
    found = {}
    for name, case in record["cases"].items():
        texts = {
            noun: "\n".join(record[f"{noun}s"][case[noun]]) + "\n"
            for noun in ("machine", "workload")
        }
        found[name] = Case(study=study, name=name, **{**case, **texts})
    return found


def record_of_cases(several: Iterable[Case]) -> dict[str, Any]:
    """Return the file of a study; texts that several cases have stand there once, by a digest."""
    texts: dict[str, dict[str, list[str]]] = {"machines": {}, "workloads": {}}
    cases = {}
    for one in several:
        record = asdict(one)
        del record["study"], record["name"]
        for noun in ("machine", "workload"):
            text = record[noun]
            key = hashlib.sha256(text.encode()).hexdigest()[:12]
            texts[f"{noun}s"][key] = text.splitlines()
            record[noun] = key
        cases[one.name] = record
    return {"cases": cases, **texts}

"""Lists of the machines, workloads and studies that come with nwtsim."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from simulator.config.errors import ConfigError
from simulator.report.forms import json_text

WIDTH = 80
KINDS = ("machines", "workloads", "requirements", "studies")
_LEGENDS = {
    "machines": "sourced: values from papers, data sheets, manuals or measurements",
    "studies": "fitted: printed numbers to which values of the machine were fitted",
}


class Listed(NamedTuple):
    """One file that comes with nwtsim."""

    name: str
    title: str
    counts: Mapping[str, int]
    """Numbers of values of a machine by their sources; of a study, of its numbers and claims."""


def listed(kind: str) -> list[Listed]:
    """List the machines, workloads, requirements or studies, in the order of their names."""
    if kind == "studies":
        from simulator.study.studies import study_names

        return [_study(name) for name in study_names()]
    if kind == "requirements":
        from simulator.config.load import load_file
        from simulator.config.requirement_file import REQUIREMENT

        read = (load_file(REQUIREMENT, name) for name in REQUIREMENT.shipped())
        return [Listed(one.name, one.title, {}) for one in read]
    one = _machine if kind == "machines" else _workload
    return [one(name) for name in _names(kind[:-1].upper())]


def fitting(machine: str) -> list[Listed]:
    """List the workloads that fit a machine, by its file or name."""
    from simulator.config.fitting import fit
    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.run import load

    made = load(MACHINE, machine)
    found = []
    for name in _names("WORKLOAD"):
        try:
            problems = fit(made, load(WORKLOAD, name), noisy=True)
        except ConfigError:
            continue
        if all(one.severity != "error" for one in problems):
            found.append(_workload(name))
    return found


def shipped_text(found: Mapping[str, Sequence[Listed]]) -> str:
    """Write the lists for people."""
    blocks = []
    for kind, some in found.items():
        width = max((len(one.name) for one in some), default=0)
        lines = [_line(one, width) for one in some]
        legend = f" ({_LEGENDS[kind]})" if kind in _LEGENDS else ""
        blocks.append("\n".join([f"{kind}{legend}:", *(lines or ["  none"])]))
    return "\n\n".join(blocks) + "\n"


def _line(one: Listed, width: int) -> str:
    said = ", ".join(f"{count} {what}" for what, count in one.counts.items() if count)
    text = f"  {one.name:<{width}}  {one.title}{f' ({said})' if said else ''}"
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * (width + 4))


def shipped_json(found: Mapping[str, Sequence[Listed]]) -> str:
    """Write the lists for programs."""
    record: dict[str, Any] = {
        kind: [{"name": one.name, "title": one.title, **one.counts} for one in some]
        for kind, some in found.items()
    }
    return json_text(record)


def _names(kind: str) -> list[str]:
    from simulator.config import formats

    return sorted(getattr(formats, kind).shipped())


def _machine(name: str) -> Listed:
    from simulator.config.formats import MACHINE
    from simulator.config.sources import provenance
    from simulator.run import load

    made = load(MACHINE, name)
    kinds = Counter(one.kind for one in provenance(made))
    sources = sum(kinds[kind] for kind in ("paper", "literature", "measured"))
    counts = {
        "sourced": sources,
        "fitted": kinds["calibrated"],
        "assumed": kinds["assumed"] + kinds["unstated"],
    }
    return Listed(name, made.title, counts)


def _workload(name: str) -> Listed:
    from simulator.config.formats import WORKLOAD
    from simulator.study.studies import read_own

    text = WORKLOAD.shipped()[name].read_text(encoding="utf-8")
    return Listed(name, read_own(text).get("title", ""), {})


def _study(name: str) -> Listed:
    from simulator.study.study_file import CALIBRATED, load_study_file

    study = load_study_file(name)
    listed = [one.contradicted for some in (study.figures, study.claims) for one in some]
    counts = {
        "numbers": len(study.figures),
        "of them fitted": sum(one.role == CALIBRATED for one in study.figures),
        "claims": len(study.claims),
        "contradicted": sum(map(bool, listed)),
    }
    return Listed(name, study.title, counts)

"""The inputs of a case as it is frozen: texts of the old formats after settings, seed and run."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import yaml

from simulator.config import load
from simulator.config.convert.calls import CALLS, SERVER
from simulator.config.convert.parallel_io import ARRAY, PARALLEL
from simulator.config.convert.workstations import KINDS
from simulator.config.identity import values_of
from simulator.config.load import Kind
from simulator.config.settings import Setting
from tests.golden.case import Case

OLD_KINDS: dict[str, tuple[Kind[Any], Kind[Any]]] = {
    "sr8000": (PARALLEL, ARRAY),
    "orion": (KINDS[0], KINDS[1]),
    "ninf": (SERVER, CALLS),
}
"""Study -> its formats of machines and workloads, where these can still be run."""

STUDIES = ("nwt", *OLD_KINDS)
"""All that have frozen files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that a run of a case needs."""

    study: str
    name: str
    machine: str
    """The text of a file."""
    workload: str
    """Likewise; a file of calls that it names is in ``old/workloads``."""
    seed: int | None
    run: int
    runs: int
    spans: bool
    slow: bool


class _Dumper(yaml.SafeDumper):
    """Writes texts without quotes wherever they can be read again: all values are texts."""

    yaml_implicit_resolvers: dict[str, Any] = {}


def inputs_of(case: Case) -> Inputs:
    """Read the files of a case and apply its settings; ConfigError if they are wrong."""
    machine, workload = OLD_KINDS[case.study]
    return Inputs(
        study=case.study,
        name=case.name,
        machine=_resolved(machine, str(case.machine_file), case.settings),
        workload=_resolved(workload, str(case.workload_file), case.settings),
        seed=case.seed,
        run=case.run,
        runs=case.runs,
        spans=case.spans,
        slow=case.slow,
    )


def _resolved(kind: Kind[Any], file: str, settings: tuple[Setting, ...]) -> str:
    """The text of a file with settings in it, without sources and comments."""
    own = (one for one in settings if one[0].startswith(f"{kind.noun}."))
    return _written(kind, file, tuple(own))


@functools.cache
def _written(kind: Kind[Any], file: str, settings: tuple[Setting, ...]) -> str:
    text, name = load.read_file(kind, file)
    section, _, plain = kind.parse(text, name, settings)
    plain.pop("references", None)
    written = yaml.dump(
        plain,
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=None,
        allow_unicode=True,
        width=1000,
    )
    again = kind.parse(written, name, ())[0]
    if _values(again) != _values(section):
        raise ValueError(f"{file} with {settings} is not the same when it is read again")
    return written


def _values(section: Any) -> dict[str, Any]:
    values: dict[str, Any] = values_of(section)
    del values["references"]
    return values


# -- many of them in one file ----------------------------------------------------------------


def to_json(study: str, several: Iterable[Inputs]) -> dict[str, Any]:
    """The inputs of a study; texts that several cases have stand there once, by their digest."""
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
    return {"study": study, "cases": cases, **texts}


def from_json(record: dict[str, Any]) -> dict[str, Inputs]:
    """Name -> the inputs, as :func:`to_json` has written them."""
    found = {}
    for name, case in record["cases"].items():
        texts = {
            noun: "\n".join(record[f"{noun}s"][case[noun]]) + "\n"
            for noun in ("machine", "workload")
        }
        found[name] = Inputs(study=record["study"], name=name, **{**case, **texts})
    return found

"""The forms that a number of a file takes until a request is served (CONTRIBUTING.md)."""

from __future__ import annotations

import dataclasses
import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.config.formats import MACHINE, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.kinds.parts.disk.reference import Disk
from simulator.reference.part import Load
from simulator.run import run_plan

TEXT, RATE = "36.125 MB/s", 36_125_000.0
FILE = f"""\
format: machine/2
name: one
parts: {{drive: {{kind: disk, rate: {TEXT}}}}}
filesystems: {{home: [drive]}}
"""
WORK = """\
format: workload/2
name: write
files: {log: {size: 1 MB}}
jobs: [{name: writer, record: 1 MB, phases: [{do: write, file: log}]}]
"""
FORMS = {
    "simulator.config.yamltree": "node",
    "simulator.config.rates": "section",
    "simulator.kinds.parts.disk.spec": "row",
    "simulator.service": "row",
}
"""Modules of the objects that hold the number, and their forms; the plan is made of the rows."""


def values_of(one: Any) -> Iterator[Any]:
    """Yield the values of an object of ours."""
    if dataclasses.is_dataclass(one):
        yield from (getattr(one, field.name, None) for field in dataclasses.fields(one))
    elif hasattr(one, "__dict__"):
        yield from vars(one).values()


def holders() -> set[str]:
    """Return the modules of the classes whose objects hold the number, as text or read."""
    ours = (one for one in gc.get_objects() if str(type(one).__module__).startswith("simulator."))
    return {
        type(one).__module__
        for one in ours
        if not isinstance(one, type)
        if any(isinstance(value, str | float) and value in (TEXT, RATE) for value in values_of(one))
    }


def test_what_holds_a_number_when_a_request_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    found: set[str] = set()
    serve = Disk.serve

    def looking(disk: Disk, load: Load, start_ns: int) -> int:
        found.update(holders())
        return serve(disk, load, start_ns)

    monkeypatch.setattr(Disk, "serve", looking)
    gc.collect()
    read = MACHINE.parse(FILE, "one.yaml", ())
    plan = make_plan(read[0], parse_workload(WORK))
    run_plan(plan, engine="reference")
    assert found == set(FORMS)


def test_the_page_has_eight_forms(root: Path) -> None:
    page = (root / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### Forms")[2]
    forms = re.findall(r"^\| (\w+) \|", page, re.MULTILINE)[1:]
    assert len(forms) == 8
    assert {"text", "plan", *FORMS.values()} <= set(forms)

"""Machine and workload files drawn from the definitions of their sections, on both engines.

What a file can say is drawn by the section that reads it (:mod:`tests.draws.sections`), what is
refused is left out, and what is accepted is carried out by both engines, to the nanosecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from simulator.config.events import Event
from simulator.config.machine_file import Machine
from simulator.config.quantities import Leaf
from simulator.config.section import Choice, Items, Named, Section, Shape, fields_of, keys_in
from simulator.config.workload_file import Workload
from simulator.kinds import names
from simulator.kinds.dice import Dice
from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.plan.services import needs_reference
from simulator.reference.run import run_reference
from simulator.report.blocks import block_diagram
from tests.draws.machine_files import draw_machine_file
from tests.draws.mended import mended_machine, mended_plan
from tests.draws.queuefiles import draw_queue_files
from tests.draws.registry import kinds_of, registered
from tests.draws.workload_files import draw_workload_file
from tests.engines.compare import complaint
from tests.twins.plans.faults import faults

QUICK, MANY, MOST = 30, 200, 5_000
OPEN = re.compile(r"path home(\.usual)?: tier \d+ decides place 0")
"""Not decided yet: a path that stripes over the group that the processes are on themselves."""
OF_SERVICES = {"link", "processor", "timeshare"}
"""Kinds of parts that serve nothing but calls of services and their messages."""
LEAST = 0.85
"""How many of the drawn files are accepted in the end; others have lost all their jobs."""


@dataclass
class Drawn:
    """A machine and a workload that were drawn, and what has to be done."""

    seed: int
    machine: Machine
    workload: Workload
    plan: Plan


def drawn_of(seed: int, folder: Path) -> Drawn | None:
    """Return the files of a seed; None if nothing of the workload fits the machine."""
    dice = Dice(Random(seed))
    machine = mended_machine(draw_machine_file(dice))
    if machine is None:  # Nothing of it was right.
        return None
    found = mended_plan(draw_workload_file(dice, machine, folder, seed), machine)
    return found and Drawn(seed, machine, *found)


def all_of(seeds: range, folder: Path) -> list[Drawn]:
    found = [drawn_of(seed, folder) for seed in seeds]
    taken = [one for one in found if one is not None]
    assert len(taken) >= LEAST * len(seeds)
    return taken


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> list[Drawn]:
    return all_of(range(QUICK), tmp_path_factory.mktemp("calls"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> list[Drawn]:
    return all_of(range(MANY), tmp_path_factory.mktemp("calls"))


def both_agree(one: Drawn) -> None:
    """Carry out a plan on both engines; the reference engine twice if it has services."""
    assert [found for found in faults(one.plan) if not OPEN.search(found)] == [], one.seed
    assert block_diagram(one.machine)
    of_services = {part.kind for part in one.plan.parts} & OF_SERVICES
    second = run_reference if of_services or needs_reference(one.plan) else run_native
    assert not complaint({"reference": run_reference, "second": second}, one.plan), one.seed


def test_what_is_accepted_runs_alike_on_both_engines(quick: list[Drawn]) -> None:
    for one in quick:
        both_agree(one)


@pytest.mark.slow
def test_hundreds_of_files_run_alike_on_both_engines(many: list[Drawn]) -> None:
    for one in many:
        both_agree(one)


# -- what is drawn --------------------------------------------------------------------------------


def possible(shape: Shape, done: set[type[Section]]) -> Iterator[tuple[str, ...]]:
    """Yield what files can say: (section, key), and (section, key, word) where there are words."""
    if isinstance(shape, Choice):
        for one in shape.options.values():
            yield from possible(one, done)
    elif isinstance(shape, Named | Items):
        yield from possible(shape.item, done)
    elif isinstance(shape, type) and shape not in done:
        done.add(shape)
        for key in keys_in(shape):
            yield shape.__name__, key.name
            if isinstance(key.shape, Leaf):
                words = key.shape.schema.get("enum", ())
                yield from ((shape.__name__, key.name, word) for word in words)
            yield from possible(key.shape, done)


def said(value: Any) -> Iterator[tuple[str, ...]]:
    """Yield what a file says, likewise."""
    if isinstance(value, Section):
        for key in value.given:
            one = getattr(value, key)
            yield type(value).__name__, key
            if isinstance(one, str):
                yield type(value).__name__, key, one
        for key in fields_of(type(value)):
            yield from said(getattr(value, key))
    elif isinstance(value, dict | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from said(one)


def tags(words: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Return those words that say what kind of thing a section is: of a part, a phase, ..."""
    return {one for one in words if len(one) == 3 and one[1] in ("kind", "do")}


def all_said(drawn: list[Drawn]) -> set[tuple[str, ...]]:
    return {one for each in drawn for file in (each.machine, each.workload) for one in said(file)}


def all_possible() -> set[tuple[str, ...]]:
    done: set[type[Section]] = {Event}
    found = {one for file in (Machine, Workload) for one in possible(file, done)}
    found -= {("Machine", "events"), ("Workload", "events")}  # drawn in plans
    logs = {one for one in found if one[0] == "JobLog"}  # files: tests/config/test_queue_plans.py
    return found - logs - {("Job", "log"), ("Compute", "of_run")}


@pytest.mark.slow
def test_every_kind_of_part_phase_and_service_is_drawn(many: list[Drawn]) -> None:
    assert tags(all_possible()) - tags(all_said(many)) == set()


@pytest.mark.slow
def test_every_kind_of_tier_is_drawn(many: list[Drawn]) -> None:
    tiers = fields_of(Machine)["filesystems"].item  # type: ignore[union-attr]
    shape: Any = fields_of(tiers)["tiers"]  # type: ignore[arg-type]
    kinds = {one.__name__ for one in shape.item.options.values()}
    assert kinds - {one[0] for one in all_said(many)} == set()


@pytest.mark.slow
def test_what_plans_of_no_services_lack_is_drawn_in_files(many: list[Drawn]) -> None:
    """Kinds that tests/selftest/test_drawn_plans.py leaves out."""
    seen = {kind for one in many for kind in kinds_of(one.plan)}
    assert {("part", kind) for kind in names("parts", "reference")} - seen == set()
    assert {("phase", kind) for kind in registered()["phase"]} - seen == set()


@pytest.mark.slow
def test_every_key_and_word_of_files_is_drawn(many: list[Drawn], tmp_path: Path) -> None:
    """Some are rare: then more files are drawn."""
    lacking = all_possible() - all_said(many)
    for seed in range(200):  # What queues have.
        if made := draw_queue_files(seed, tmp_path):
            lacking -= {one for file in made[:2] for one in said(file)}
    for seed in range(MANY, MOST):
        if not lacking:
            break
        one = drawn_of(seed, tmp_path)
        lacking -= all_said([one] if one else [])
    assert lacking == set()

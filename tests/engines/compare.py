"""Engines compared on composed plans: whole results, to the nanosecond and the byte."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import traceback
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from simulator.kinds import PLUGINS
from simulator.plan.plan import Plan
from tests.draws.plans.shrink import shrunk
from tests.draws.plans.source import source
from tests.twins.plans.faults import faults

Run: TypeAlias = Callable[..., Any]
"""An engine: a plan in, a result out; ``timeline``, ``debug``, ``record`` and ``samples`` are its
options."""

Engines: TypeAlias = Mapping[str, Run]
SCALARS = frozenset((int, str, float, bool, type(None)))
FURTHER = "exceeds the limits of a run"
"""What both engines say of a plan that they do not begin with."""
MOST = 12
SAMPLES = 16
"""Bins of curves: few, so that most runs are long enough to merge some."""
MOST_TEXT = 300


def outcome(run: Run, plan: Plan, *, check: bool = True) -> dict[str, Any]:
    """The whole result but the engine's name; which processes wait for what, or what is broken.

    Or that it passes a limit: which one first, engines need not agree on; or that it does not end.

    An engine may refuse what a user's own kinds (``NWTSIM_PLUGINS``) need, but nothing else.
    ``check``: the identities of the run too.
    Engines that are imported from source raise errors of classes of their own, so errors are
    known by their names.
    """
    try:
        result = run(plan, timeline=True, debug=check, record=True, samples=SAMPLES)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the plan has found
        if type(error).__name__ == "LimitError" or FURTHER in str(error):
            return {"limit": "the run goes further than a run may"}
        if type(error).__name__ == "RefusedError" and PLUGINS in os.environ:
            return {"refused": str(error)}
        if type(error).__name__ == "EndlessError":
            return {"endless": "it has more events than any run that ends"}
        if type(error).__name__ != "BlockedError":
            return {"broken": traceback.format_exc()}
        return {"blocked": str(error).split("; ")}
    record = plain(result)
    return {name: one for name, one in record.items() if name not in ("engine", "why")}


def plain(value: Any) -> Any:
    """Return a result as dicts, lists and numbers."""
    if type(value) in SCALARS:
        return value
    if dataclasses.is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in _names_of(type(value))}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, array):
        return value.tolist()
    return [plain(one) for one in value]


@functools.cache
def _names_of(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in dataclasses.fields(kind) if one.compare)


NOTHING = "(nothing)"


def differences(left: Any, right: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield where two records differ: the path, and both values."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in left | right:
            inner = left.get(key, NOTHING), right.get(key, NOTHING)
            yield from differences(*inner, f"{path}.{key}".lstrip("."))
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield f"the length of {path}", len(left), len(right)
        for number, pair in enumerate(itertools.zip_longest(left, right, fillvalue=NOTHING)):
            yield from differences(*pair, f"{path}[{number}]")
    elif left != right or type(left) is not type(right):
        yield path, left, right


def complaint(engines: Engines, plan: Plan) -> str:
    """What is wrong with what the engines make of a plan; nothing if all is well."""
    first = next(iter(engines))  # the others' results are to be the same
    answers = {name: outcome(run, plan, check=name == first) for name, run in engines.items()}
    return complaint_of(answers)


def taken(answers: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the answers of engines that did not refuse a plan."""
    return {name: one for name, one in answers.items() if "refused" not in one}


def complaint_of(answers: Mapping[str, dict[str, Any]]) -> str:
    """What is wrong with the engines' records of one plan; nothing if all is well."""
    lines = [
        f"{name} is broken: {one['broken']}" for name, one in answers.items() if "broken" in one
    ]
    (first, wanted), *others = taken(answers).items()
    for name, answer in () if lines else others:
        found = list(itertools.islice(differences(wanted, answer), MOST + 1))
        if found:
            lines.append(f"{first} and {name} differ:")
            lines += [f"  {path}: {short(one)}, {short(two)}" for path, one, two in found[:MOST]]
            lines += ["  and elsewhere"] if len(found) > MOST else []
    return "\n".join(lines)


def short(value: Any) -> str:
    """Return a value as text of a line."""
    text = repr(value)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} ..."


def assert_equal(engines: Engines, plan: Plan, *, shrink: bool = True) -> None:
    """Fail if the engines differ, with the smallest plan found on which they do."""
    wrong = faults(plan)
    assert not wrong, wrong
    said = complaint(engines, plan)
    if said and shrink:
        plan = shrunk(plan, lambda one: bool(complaint(engines, one)))
        said = complaint(engines, plan)
    assert not said, f"{said}\n{source(plan)}"

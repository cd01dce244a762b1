"""A plan as Python that makes it again: what a failed comparison prints."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from simulator.plan import events, jobs, parts, paths
from simulator.plan.codes import kind_of, name_of
from simulator.plan.jobs import Operations
from simulator.plan.plan import Plan
from simulator.runtime import iosteps
from simulator.runtime.lengths import FixedLengths, ListedLengths
from simulator.service import ServiceSpec, SizePoint
from tests.draws.registry import drawn_parts

MODULES = (events, jobs, parts, paths, iosteps)


def listed(*rows: tuple[Any, ...]) -> Operations:
    """Return operations from rows: name, file, offset, size, gap, column, path."""
    table = Operations()
    for name, file, offset, size, gap, column, path in rows:
        table.add(kind_of(name), file, offset, size, gap=gap, column=column, path=path)
    return table


def source(plan: Plan) -> str:
    """Return a plan as an expression; :func:`plan_from` reads it."""
    return _text(plan, 0)


def plan_from(text: str) -> Plan:
    """Return the plan of an expression that :func:`source` wrote."""
    names = {name: one for module in MODULES for name, one in vars(module).items()}
    known = [Plan, ServiceSpec, SizePoint, FixedLengths, ListedLengths, listed]
    known += [one.spec for one in drawn_parts().values() if one.spec is not None]
    names |= {one.__name__: one for one in known} | {"inf": math.inf}
    plan = eval(text, names)
    assert isinstance(plan, Plan)
    return plan


def _text(value: Any, depth: int) -> str:
    indent = "    " * (depth + 1)
    if isinstance(value, Operations):
        lines = [f"{indent}{row}," for row in _rows(value)]
        return "\n".join(["listed(", *lines, f"{indent[4:]})"]) if lines else "listed()"
    if dataclasses.is_dataclass(value):
        fields = [f"{name}={_text(one, depth + 1)}" for name, one in _changed(value)]
        name = type(value).__name__
        if isinstance(value, Plan):
            return "\n".join([f"{name}(", *(f"{indent}{one}," for one in fields), ")"])
        return f"{name}({', '.join(fields)})"
    if isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]) and depth < 2:
        lines = [f"{indent}{_text(one, depth + 1)}," for one in value]
        return "\n".join(["(", *lines, f"{indent[4:]})"])
    if isinstance(value, tuple):
        return f"({''.join(f'{_text(one, depth + 1)}, ' for one in value)})"
    if isinstance(value, frozenset):
        return f"frozenset({sorted(value)!r})"
    return repr(value)


def _rows(table: Operations) -> list[tuple[Any, ...]]:
    columns = (table.file, table.offset, table.size, table.gap, table.column, table.path)
    return [(name_of(kind), *rest) for kind, *rest in zip(table.kind, *columns, strict=True)]


def _changed(value: Any) -> list[tuple[str, Any]]:
    """The fields of a row that are not what they would be anyway."""
    found = []
    for one in dataclasses.fields(value):
        if not one.init:
            continue
        usual = one.default
        if one.default_factory is not dataclasses.MISSING:
            usual = one.default_factory()
        if getattr(value, one.name) != usual:
            found.append((one.name, getattr(value, one.name)))
    return found

"""Drawn plans made larger, up to the limits of a run: times, and sizes, multiplied."""

from __future__ import annotations

from array import array
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any, TypeVar

from simulator.plan.codes import (
    LOCKS,
    PAUSE,
    READ,
    REQUEST,
    SEEK,
    SEND,
    STREAM,
    STRIPE,
    WRITE,
    plain,
)
from simulator.plan.errors import MOST
from simulator.plan.plan import Plan

RATES = ("rate", "copy_rate", "bus_rate", "sustained", "collecting")
SIZED = (REQUEST, STRIPE, LOCKS)
Part = TypeVar("Part")


def magnified(plan: Plan, rng: Random) -> Plan:
    """Return one in eight plans with other magnitudes, and the others as they are."""
    if rng.random() >= 1 / 8:
        return plan
    what = rng.choice(("times", "times", "sizes", "both"))
    if what != "sizes":
        plan = slower(plan, (1 << rng.randint(20, 56)) + rng.choice((0, 1, -1)))
        plan = replace(plan, parts=tuple(_as_files_say(one) for one in plan.parts))
    if what != "times" and may_grow(plan):
        most = 20 if plan.stores else 54
        plan = larger(plan, 1 << rng.randint(8, most), faster=rng.random() < 0.7)
    return plan


# -- times --------------------------------------------------------------------------------------


def slower(plan: Plan, factor: int) -> Plan:
    """Return a plan in which everything takes so many times as long."""
    gaps = array("q", (_most(gap * factor) for gap in plan.operations.gap))
    kinds, sizes = plan.operations.kind, plan.operations.size
    idle = array(
        "q",
        (
            _most(size * factor) if kind == PAUSE else size
            for kind, size in zip(kinds, sizes, strict=True)
        ),
    )
    table = replace(plan.operations, gap=gaps, size=idle)
    parts = {
        field.name: _slower(getattr(plan, field.name), factor)
        for field in fields(plan)
        if field.name not in ("operations", "asked")
    }
    asked = plan.asked
    if asked is not None:
        more = array("q", (_most(one * factor) for one in asked.groups.more))
        asked = replace(asked, groups=replace(asked.groups, more=more))
    return replace(plan, **parts, operations=table, asked=asked)


def _slower(value: Any, factor: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_slower(one, factor) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {}
    for field in fields(value):
        old = getattr(value, field.name)
        if not field.init:
            continue
        if field.name.endswith("_ns") or field.name in ("times", "costs"):
            changed[field.name] = _times(old, factor)
        elif field.name in RATES:
            whole = isinstance(old, int)  # 0: it has none of its own.
            changed[field.name] = old and (max(1, old // factor) if whole else old / factor)
        elif isinstance(old, tuple) or is_dataclass(old):
            changed[field.name] = _slower(old, factor)
    return replace(value, **changed)


def _as_files_say(part: Any) -> Any:
    """Give a flash device a rate for writes that is as large as its sustained one, at least 1."""
    sustained, now = getattr(part.spec, "sustained", 0), part.service_of(writes=True)
    if now.rate >= sustained:
        return part
    return replace(part, writes=replace(now, rate=float(sustained)))


def _times(old: Any, factor: int) -> Any:
    if isinstance(old, tuple):
        return tuple(_times(one, factor) for one in old)
    return _most(old * factor) if old > 0 else old


def _most(value: int) -> int:
    return min(value, MOST)


# -- sizes --------------------------------------------------------------------------------------


def may_grow(plan: Plan) -> bool:
    """Return whether all sizes of a plan can be multiplied: streams and buffers have their own."""
    phases = (phase for one in plan.processes for phase in one.phases)
    return not plan.buffers and all(phase.kind != STREAM for phase in phases)


def larger(plan: Plan, factor: int, *, faster: bool) -> Plan:
    """Return a plan in which everything has so many times the bytes; ``faster``: in equal time."""
    plan = replace(
        plan,
        files=tuple(_more(one, factor, "length", "size", "base", "room") for one in plan.files),
        tiers=tuple(
            _more(one, factor, "header", *(("size",) if one.kind in SIZED else ()))
            for one in plan.tiers
        ),
        stores=tuple(_more(one, factor, "block") for one in plan.stores),
        parts=tuple(
            replace(one, spec=_more(one.spec, factor, *_sizes_of(one.spec))) if one.spec else one
            for one in plan.parts
        ),
        processes=tuple(
            replace(
                _more(one, factor, "memory"),
                phases=tuple(_phase(phase, factor) for phase in one.phases),
            )
            for one in plan.processes
        ),
    )
    table = replace(plan.operations, offset=array("q"), size=array("q"))
    for kind, offset, size in zip(
        plan.operations.kind, plan.operations.offset, plan.operations.size, strict=True
    ):
        of_file = plain(kind) in (READ, WRITE, SEEK)
        table.offset.append(_most(offset * factor) if of_file else offset)
        table.size.append(_most(size * factor) if of_file or kind == SEND else size)
    parts = tuple(_faster(one, factor) for one in plan.parts) if faster else plan.parts
    return replace(plan, operations=table, parts=parts)


def _sizes_of(spec: Any) -> list[str]:
    """Units as well: a request of 10**9 of them takes both engines minutes."""
    return [name for name in ("capacity", "unit", "step") if hasattr(spec, name)]


def _phase(phase: Any, factor: int) -> Any:
    phase = _more(phase, factor, "size")
    if phase.draw is not None and phase.draw.step:
        phase = replace(phase, draw=_more(phase.draw, factor, "base", "step", "end"))
    return phase


def _more(row: Part, factor: int, *names: str) -> Part:
    changed: dict[str, Any] = {name: _most(getattr(row, name) * factor) for name in names}
    return replace(row, **changed)  # type: ignore[type-var]


def _faster(value: Any, factor: int) -> Any:
    changed: dict[str, Any] = {}
    for field in fields(value):
        old = getattr(value, field.name)
        if field.name in RATES:
            changed[field.name] = old * factor
        elif is_dataclass(old):
            changed[field.name] = _faster(old, factor)
    return replace(value, **changed) if changed else value

"""The parts of a sweep put together: the same folder as if it had been run as a whole.

A part is a folder that ``nwtsim sweep --shard`` has written, on whatever machine. Points are told
by their numbers in the grid; a point in several folders must have the same digest and figures.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.config.axis import Axis
from simulator.errors import InputError
from simulator.study.figures import figures_of
from simulator.study.folder import (
    MANIFEST,
    Folder,
    Found,
    Identity,
    difference,
    document,
    identities,
    points_in,
    row_text,
)
from simulator.study.grid import Grid, Shard, Sweep, read_shard
from simulator.study.replications import Replications
from simulator.study.sweep import Swept, left_out, rows_of

MOST_SHOWN = 8
"""Missing parts that are shown; more are counted."""


class MergeError(InputError):
    """Folders that cannot be put together."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A folder with a part of a sweep, finished or not."""

    folder: Path
    identity: Identity
    """Of the whole sweep."""
    shard: Shard | None
    """None: all of it."""
    size: int
    """Points of the whole sweep."""
    sweep: Sweep | None
    """None: it is not finished."""

    @property
    def numbers(self) -> range:
        """The numbers of its points."""
        return self.shard.part(self.size) if self.shard else range(self.size)

    def points(self) -> Iterator[Found]:
        """Read the points that are done."""
        return points_in(self.folder, self.numbers, finished=self.sweep is not None)


def merge_sweep(folders: Sequence[Path], out: Path, *, force: bool = False) -> Swept:
    """Put the points of all folders into ``out``; MergeError if they are not those of one sweep.

    Nothing is written before it is known that all points are there.
    """
    parts = list(map(_read_part, dict.fromkeys(folders)))
    first = parts[0]
    if strangers := [one for one in parts if one.identity != first.identity]:
        others = f" and {len(strangers) - 1:,} more" if len(strangers) > 1 else ""
        about = difference(first.identity, strangers[0].identity)
        raise MergeError(
            f"{strangers[0].folder}{others} has points of another sweep than {first.folder},"
            f" {about}; merge the parts of one sweep, all run with the same versions"
        )
    if out.resolve() in [one.folder.resolve() for one in parts]:
        raise MergeError(f"{out} is one of the parts; name another folder for the whole")
    _check_points(parts)
    sweep = next(one.sweep for one in parts if one.sweep is not None)
    with Folder(out, first.identity, range(first.size), force=force) as kept:
        for number, record in itertools.chain.from_iterable(one.points() for one in parts):
            if number not in kept:
                row = {column: record[column] for column in sweep.figures}
                kept.add([(number, row_text(record["digest"], json.dumps(row)))])
    rows = rows_of(sweep, kept)
    return Swept(sweep, first.identity, rows, computed=0, noise=_left_out(sweep))


def _left_out(sweep: Sweep) -> tuple[float, float]:
    """Return the noise that points leave out; none if the machine's file is not here."""
    try:
        grid = Grid(sweep)
        return left_out(grid.point(0)) if sweep.size else (0.0, 0.0)
    except InputError:
        return 0.0, 0.0


def _read_part(folder: Path) -> _Part:
    found = [one for one in identities(folder) if isinstance(one, dict)]
    if not found:
        raise MergeError(
            f"{folder} has no points of a sweep; name folders that 'nwtsim sweep --shard' has made"
        )
    try:
        whole = {key: value for key, value in found[0].items() if key != "shard"}
        shard = read_shard(found[0]["shard"]) if "shard" in found[0] else None
        size = math.prod(map(len, whole["grid"].values()))
        manifest = document(folder / MANIFEST)
        sweep = None if manifest is None else _sweep(manifest, whole)
    except (AttributeError, InputError, KeyError, TypeError, ValueError) as error:
        raise MergeError(f"{folder / MANIFEST} cannot be read; run this part again") from error
    return _Part(folder, whole, shard, size, sweep)


def _sweep(manifest: dict[str, Any], identity: Identity) -> Sweep:
    """Read what was run from a manifest."""
    return Sweep(
        machine=manifest["machine"],
        workload=manifest["workload"],
        settings=tuple((path, value) for path, value in manifest["settings"]),
        axes=tuple(
            Axis(
                one["name"],
                one["path"],
                tuple(one["values"]),
                None if one["numbers"] is None else tuple(one["numbers"]),
                one["unit"],
            )
            for one in manifest["axes"]
        ),
        seed=identity["seed"],
        engine=identity["engine"],
        limits="limits" in identity,
        replications=_replications(identity),
        phases=tuple(identity.get("phases", ())),
    )


def _replications(identity: Identity) -> Replications | None:
    """Read how often each point was run."""
    found = identity.get("replications")
    return None if found is None else Replications(**found)


def _figures(identity: Identity) -> tuple[str, ...]:
    phases = identity.get("phases", ())
    return figures_of("limits" in identity, "replications" in identity, phases)


def _check_points(parts: Sequence[_Part]) -> None:
    """Raise MergeError unless every point is there, and the same wherever it is."""
    known = array("q", [0]) * parts[0].size
    """Of each point that is there, 64 bits of a hash of its record; never 0."""
    columns = (*_figures(parts[0].identity), "digest")
    for part in parts:
        for number, record in part.points():
            text = json.dumps([record[column] for column in columns])
            start = hashlib.sha256(text.encode("ascii")).digest()[:8]
            mark = int.from_bytes(start, "big", signed=True) or 1
            if known[number] not in (0, mark):
                raise MergeError(_contradiction(parts, part, number))
            known[number] = mark
    missing = known.count(0)
    if missing or all(one.sweep is None for one in parts):
        raise MergeError(
            f"{missing:,} of {len(known):,} points are missing: {_missing(parts, known)}; run the"
            " command of each such part (again), and then merge"
        )


def _contradiction(parts: Sequence[_Part], part: _Part, number: int) -> str:
    """Return the message that folders differ at a point."""
    other = next(one for one in parts if any(found[0] == number for found in one.points()))
    sweep = other.sweep or part.sweep
    name = sweep.name(sweep.varied(number)) if sweep else f"number {number + 1}"
    return f"{other.folder} and {part.folder} differ at the point {name}; run one of them again"


def _missing(parts: Sequence[_Part], known: array[int]) -> str:
    """Return the words for which parts lack points, and for the first of these points."""
    told = []
    for part in parts:
        there = sum(known[number] != 0 for number in part.numbers)
        if part.sweep is None or there < len(part.numbers):
            which = f"part {part.shard} in {part.folder}" if part.shard else str(part.folder)
            told.append(f"{which} is not finished ({there:,} of {len(part.numbers):,} points)")
    counts = sorted({part.shard.of for part in parts if part.shard})
    for of in counts[:1] if len(counts) == 1 else ():
        named = {part.shard.number for part in parts if part.shard}
        told += [
            f"part {Shard(number, of)} is in no folder"
            for number in range(1, of + 1)
            if number not in named and Shard(number, of).part(len(known))
        ]
    sweep = next((part.sweep for part in parts if part.sweep), None)
    if sweep is not None and 0 in known:
        number = known.index(0)
        told = told[:MOST_SHOWN] + ([f"{len(told) - MOST_SHOWN:,} more"] * (len(told) > MOST_SHOWN))
        told.append(f"the first point missing is {sweep.name(sweep.varied(number))}")
    return "; ".join(told)

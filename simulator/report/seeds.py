"""A study with many seeds, in a few lines or as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.study.seeds import SeedCount, Seeds

_HOW = {
    "stratified": "Runs that divide the distributions evenly (as `nwtsim reproduce` makes them)",
    "free": "Runs that draw freely",
}


def render_seeds(seeds: Seeds, form: str) -> str:
    """Return the counts as ``table`` or ``json`` text."""
    if form == "json":
        return json.dumps(seeds.to_json(), indent=2) + "\n"
    return f"{seeds_text(seeds)}\n"


def seeds_text(seeds: Seeds) -> str:
    """Say with how many seeds all cells are inside, and which cells are not."""
    head = (
        f"The number of seeds, of {seeds.count} (from {seeds.first} on), "
        f"with which the means of all {len(seeds.cells)} cells are in the range of the paper's "
        "runs, each cell being run as often as in the paper:"
    )
    return "\n".join([head, "", *(_line(one, seeds.count) for one in seeds.counts)])


def _line(one: SeedCount, count: int) -> str:
    cells = sorted(one.outside.items(), key=lambda item: -item[1])
    outside = ", ".join(f"{name} {times}" for name, times in cells)
    more = f"; outside, with how many seeds: {outside}" if outside else ""
    return f"- {_HOW[one.manner]}: {one.all_inside} of {count}{more}."

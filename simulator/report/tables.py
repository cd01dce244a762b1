"""The published tables of the NWT beside the simulator's, as a table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence

from tabulate import tabulate

from simulator.study.reproduce import CellResult, Reproduction
from simulator.study.study import Claim


def render_tables(reproduction: Reproduction, form: str) -> str:
    """The reproduction as ``table``, ``json`` or ``csv`` text."""
    if form == "json":
        return json.dumps(reproduction.to_json(), indent=2, ensure_ascii=False) + "\n"
    if form == "csv":
        return _csv(reproduction)
    return _tables(reproduction)


def _csv(reproduction: Reproduction) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ("mean_MBps", "min_MBps", "max_MBps")
    rates = [f"{whose}_{name}" for whose in ("paper", "simulated") for name in names]
    writer.writerow(["id", "table", *rates, "role", "verdict"])
    for cell in (one.to_json() for one in reproduction.cells):
        simulated = (round(rate, 4) for rate in cell["simulated"].values())
        numbers = [*cell["paper"].values(), *simulated]
        writer.writerow([cell["id"], cell["table"], *numbers, cell["role"], cell["verdict"]])
    return text.getvalue()


def _tables(reproduction: Reproduction) -> str:
    study = reproduction.study
    rates = "Rates in MB/s (10^6 bytes per second): mean and range of the runs."
    blocks = [f"{study.title}\n{study.paper}\n{rates}"]
    for number, title in study.tables.items():
        cells = [cell for cell in reproduction.cells if cell.cell.table == number]
        blocks.append(f"Table {number}: {title}\n{_cell_table(cells)}")
    claims = [
        (c.claim.id, "holds" if c.holds else "FAILS", c.claim.text) for c in reproduction.claims
    ]
    blocks.append("Claims of the paper\n" + tabulate(claims, tablefmt="plain"))
    blocks += [sentence for c in reproduction.claims if (sentence := explain(c.claim, c.figures))]
    inside = sum(cell.inside for cell in reproduction.cells)
    holding = sum(claim.holds for claim in reproduction.claims)
    blocks.append(
        f"{inside} of {len(reproduction.cells)} cells inside the range of the paper's runs, "
        f"{holding} of {len(reproduction.claims)} claims hold "
        f"(seed {reproduction.seed}, {reproduction.engine} engine). "
        f"{fitted_values(reproduction)}; "
        f"{len(reproduction.assumed)} are assumed: nwtsim show {study.machine}."
    )
    return "\n\n".join(blocks) + "\n"


def fitted_values(reproduction: Reproduction) -> str:
    """Return how many values were fitted, and to what: the wording of every page."""
    every = len(reproduction.calibrated)
    means = len(reproduction.study.calibration["parameters"])
    return (
        f"{every} values of the machine are fitted, {means} to the means of the cells and "
        f"{every - means} to the spread of the runs only"
    )


def _cell_table(cells: Sequence[CellResult]) -> str:
    rows = []
    for one in cells:
        cell = one.cell
        rows.append(
            [
                cell.id,
                f"{cell.mean:.1f}",
                f"{cell.low:.1f} - {cell.high:.1f}",
                f"{one.mean:.1f}",
                f"{min(one.rates):.1f} - {max(one.rates):.1f}",
                f"{(one.mean / cell.mean - 1) * 100:+.1f} %",
                cell.role,
                "inside" if one.inside else "OUTSIDE",
            ]
        )
    head = ["cell", "paper", "range", "simulated", "range", "error", "role", "verdict"]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt="simple")


def explain(claim: Claim, figures: Mapping[str, float]) -> str:
    """Say in words what a claim's figures mean, for the one that is the heart of the paper."""
    if claim.id != "nwt-c6":
        return ""
    return (
        "Why output was slow: the length in front of a record is rewritten after its data, and\n"
        "that write waits until the data that have left the buffer are on disk. At least\n"
        f"{figures['least_disk_share_rewritten']:.0%} of the time of every such cell goes to the "
        "disk; with the length predicted,\n"
        f"{figures['most_disk_share_predicted']:.0%}: then the clock stops when the data are in "
        "the SSU."
    )

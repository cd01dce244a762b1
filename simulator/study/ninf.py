"""The Ninf study: its figures and claims from simulated runs (reference engine, a few seconds)."""

from __future__ import annotations

from collections.abc import Callable
from statistics import pvariance
from typing import TYPE_CHECKING, Literal

from tabulate import tabulate

from simulator.config.sources import unproven
from simulator.study.ledger import FigureResult, Ledger, SentenceResult, load_study_file
from simulator.study.ninf_claims import RULES, load
from simulator.study.ninf_runs import CLIENTS, FEW, MANY, SIZES, NinfRuns, mean, rate

if TYPE_CHECKING:
    from simulator.config.server import Servers
    from simulator.simulate import EngineName

NAME = "ninf"
RUNS = 3
"""Of each cell, where nobody says otherwise."""

FIGURES: dict[str, Callable[[NinfRuns], float]] = {
    "cross-sparc": lambda runs: runs.crossover("supersparc", "murata"),
    "cross-alpha-murata": lambda runs: runs.crossover("alpha", "murata"),
    "cross-alpha-original": lambda runs: runs.crossover("alpha", "original"),
    "bandwidth-least": lambda runs: min(one.throughput for one in runs.pairs().values()) / 1e6,
    "bandwidth-most": lambda runs: max(one.throughput for one in runs.pairs().values()) / 1e6,
    "few-most": lambda runs: 100 * max(runs.ratios(FEW).values()),
    "few-least": lambda runs: 100 * min(runs.ratios(FEW).values()),
    "many-most": lambda runs: 100 * max(runs.ratios(MANY).values()),
    "many-least": lambda runs: 100 * min(runs.ratios(MANY).values()),
    "load": lambda runs: load(runs.lan(1400, 16, "4pe")),
    "gap-mean": lambda runs: sum(runs.gaps_s()) / len(runs.gaps_s()),
    "gap-variance": lambda runs: pvariance(runs.gaps_s()),
}


def reproduce_ninf(
    runs: int | None, seed: int, engine: EngineName, progress: bool = False
) -> Ledger:
    """Repeat the study; there is only the reference engine for it, whatever ``engine`` says."""
    from tqdm import tqdm

    del engine
    study = load_study_file(NAME)
    made = NinfRuns(runs or RUNS, seed)
    bar = tqdm(
        [*study.figures, *study.claims], desc="ninf", disable=not progress, leave=False
    )
    simulated: dict[str, float] = {}
    decided: dict[str, tuple[bool, dict[str, float]]] = {}
    for one in bar:
        if one.id in FIGURES:
            simulated[one.id] = FIGURES[one.id](made)
        elif one.id in RULES:
            decided[one.id] = RULES[one.id](made)
    return Ledger(
        study=study,
        figures=tuple(FigureResult(one, simulated[one.id]) for one in study.figures),
        claims=tuple(SentenceResult(one, *decided[one.id]) for one in study.claims),
        assumed=_stated(made.machine, "assumed"),
        calibrated=_stated(made.machine, "calibrated"),
        seed=seed,
        engine="reference",
        blocks=(_lan_table(made), _wan_table(made), _choice_table(made)),
    )


def _stated(machine: Servers, kind: Literal["assumed", "calibrated"]) -> tuple[dict[str, str], ...]:
    return tuple(
        {"path": one.path, "value": one.value, "detail": one.detail, "note": one.note}
        for one in unproven(machine)[kind]
    )


# -- for people ---------------------------------------------------------------------------------


def _table(title: str, head: list[str], rows: list[list[str]]) -> str:
    return f"{title}\n{tabulate(rows, headers=head, disable_numparse=True, tablefmt='simple')}"


def _lan_table(runs: NinfRuns) -> str:
    rows = []
    for n in SIZES:
        for c in CLIENTS:
            one, four = runs.lan(n, c, "1pe"), runs.lan(n, c, "4pe")
            cells = [f"{rate(one) / 1e6:.1f}", f"{rate(four) / 1e6:.1f}"]
            cells += [f"{100 * rate(four) / rate(one):.0f} %"]
            for results in (one, four):
                cells.append(f"{100 * mean(results, lambda r: r.utilisation('j90')):.0f} %")
                cells.append(f"{load(results):.1f}")
            rows.append([str(n), str(c), *cells])
    head = ["n", "clients", "1 PE", "4 PEs", "4 to 1", "use 1", "load 1", "use 4", "load 4"]
    return _table("LAN: Mflop/s of a client, use of the J90, mean load average", head, rows)


def _wan_table(runs: NinfRuns) -> str:
    rows = []
    for c in (4, 16):
        for place, results in (
            ("LAN", runs.lan(1000, c, "4pe")),
            ("one far site", runs.wan(1000, c)),
            ("four far sites", runs.sites(1000, c)),
        ):
            rows.append(
                [
                    str(c),
                    place,
                    f"{rate(results) / 1e6:.2f}",
                    f"{mean(results, lambda r: r.served_rate()) / 1e6:.1f}",
                    f"{100 * mean(results, lambda r: r.utilisation('j90')):.0f} %",
                    f"{load(results):.2f}",
                ]
            )
    head = ["clients", "where", "of a client", "in all", "use", "load"]
    return _table("Linpack n = 1000, 4-PE library: Mflop/s", head, rows)


def _choice_table(runs: NinfRuns) -> str:
    rows = []
    groups = list(dict.fromkeys(call.group for call in runs.choice("load")[0].calls))
    for choose in ("load", "compute", "bandwidth", "estimate"):
        results = runs.choice(choose)
        times = [
            mean(results, lambda r, g=group: r.mean_s(lambda call: call.elapsed_ns, g))  # type: ignore[misc]
            for group in groups
        ]
        rows.append([choose, *(f"{time:.1f}" for time in times)])
    return _table("A metaserver chooses among four servers: seconds of a call", ["by", *groups], rows)

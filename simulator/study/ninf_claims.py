"""The claims of the Ninf paper, each decided by simulated runs.

Every function takes the runs and returns whether the claim holds and the figures that decide it.
The rules stand in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import geometric_mean
from typing import TYPE_CHECKING, TypeAlias

from simulator.study.ninf_runs import (
    CLIENTS,
    FEW,
    LARGEST,
    MANY,
    SIZES,
    NinfRuns,
    elapsed_s,
    mean,
    rate,
)

if TYPE_CHECKING:
    from simulator.result.numerical import NumericalResult

Figures: TypeAlias = dict[str, float]
Verdict: TypeAlias = tuple[bool, Figures]

CROSSOVERS = {
    "cross-sparc": ("supersparc", "murata"),
    "cross-alpha-murata": ("alpha", "murata"),
    "cross-alpha-original": ("alpha", "original"),
}
"""Client and local library of each published crossover, by the id of its figure."""
KINDS = ("supersparc", "ultrasparc", "alpha")
FASTER_LINE: tuple[tuple[str, str], ...] = (("machine.parts.ocha-line.rate", "0.38 MB/s"),)
MORE_PES: tuple[tuple[str, str], ...] = (("machine.parts.j90-pes.pes", "8"),)
ONE_AT_A_TIME: tuple[tuple[str, str], ...] = (("machine.services.j90.at_once", "1"),)
NO_FAVOUR: tuple[tuple[str, str], ...] = (("machine.services.j90.favoured", "false"),)


def use(results: list[NumericalResult]) -> float:
    """Share of the J90's PE time that was used."""
    return mean(results, lambda one: one.utilisation("j90"))


def load(results: list[NumericalResult]) -> float:
    """Mean of the J90's load averages."""
    return mean(results, lambda one: one.servers["j90"].load_mean)


def _c1(runs: NinfRuns) -> Verdict:
    figures: Figures = {}
    holds = True
    for id_, (client, library) in CROSSOVERS.items():
        paper = runs.published(id_)
        found = runs.crossover(client, library)
        beyond = [runs.gain(client, library, n) for n in range(found, LARGEST + 1, 100)]
        half = runs.gain(client, library, round(paper / 2))
        figures |= {
            f"crossover_{client}_{library}": found,
            f"least_gain_beyond_{client}_{library}": min(beyond),
            f"gain_at_half_{client}_{library}": half,
        }
        holds &= abs(found / paper - 1) <= 0.1 and min(beyond) > 1 > half
    return holds, figures


def _c2(runs: NinfRuns) -> Verdict:
    figures: Figures = {}
    for n in SIZES:
        rates = [runs.single(kind, n).rate for kind in KINDS]
        figures[f"fastest_over_slowest_{n}"] = max(rates) / min(rates)
    holds = max(figures.values()) <= 1.15
    own = [runs.local_ns(kind, "murata", 1000) for kind in KINDS]
    figures["own_speeds_fastest_over_slowest"] = max(own) / min(own)
    return holds and figures["own_speeds_fastest_over_slowest"] > 3, figures


def _c3(runs: NinfRuns) -> Verdict:
    pairs = runs.pairs()
    figures = {f"MBps_{pair}": call.throughput / 1e6 for pair, call in pairs.items()}
    holds = all(1.8 <= one <= 6.5 for one in figures.values())
    for server in ("alpha", "j90"):
        times = [call.elapsed_ns for pair, call in pairs.items() if pair.endswith(f"-{server}")]
        figures[f"slowest_over_fastest_{server}"] = max(times) / min(times)
        holds &= max(times) / min(times) <= 1.25
    return holds, figures


def _c4(runs: NinfRuns) -> Verdict:
    sixteen, eight = runs.lan(1400, 16, "4pe"), runs.lan(1400, 8, "4pe")
    piled = runs.open(1400, 16, "4pe")
    kept = mean(sixteen, _served) / mean(eight, _served)
    unended = sum(call.ended_ns < 0 for one in sixteen for call in one.calls)
    figures = {
        "load_mean": load(sixteen),
        "load_peak": mean(sixteen, lambda one: one.servers["j90"].load_peak),
        "served_16_over_8_clients": kept,
        "calls_without_end": unended,
        "calls_out_after_5_min_if_trials_went_on": mean(piled, calls_out),
    }
    return unended == 0 and kept >= 0.9 and 25 <= figures["load_mean"] <= 35, figures


def calls_out(one: NumericalResult) -> int:
    """Calls that are out at the end of the time for starts."""
    return sum(call.ended_ns > one.stock_ns for call in one.calls)


def _served(one: NumericalResult) -> float:
    return one.served_rate()


def _c5(runs: NinfRuns) -> Verdict:
    few, many = runs.ratios(FEW), runs.ratios(MANY)
    figures = {f"percent_n{n}_c{c}": 100 * ratio for (n, c), ratio in (few | many).items()}
    holds = all(1 < one <= 1.75 for one in few.values())
    return holds and all(0.84 <= one <= 1.13 for one in many.values()), figures


def _c6(runs: NinfRuns) -> Verdict:
    cells = [(n, c) for n in SIZES for c in CLIENTS]
    gaps = [_wait(runs.lan(*cell, "4pe")) / _wait(runs.lan(*cell, "1pe")) - 1 for cell in cells]
    worst = max(gaps, key=abs)
    unfavoured = [_wait(runs.lan(1400, 16, library, *NO_FAVOUR)) for library in ("1pe", "4pe")]
    figures = {
        "largest_difference": worst,
        "seconds_1pe_n1400_c16": _wait(runs.lan(1400, 16, "1pe")),
        "seconds_4pe_n1400_c16": _wait(runs.lan(1400, 16, "4pe")),
        "seconds_1pe_without_favour": unfavoured[0],
        "seconds_4pe_without_favour": unfavoured[1],
    }
    return abs(worst) <= 0.1 and unfavoured[1] > 1.1 * unfavoured[0], figures


def _wait(results: list[NumericalResult]) -> float:
    """Response and waiting time of a call together, in seconds."""
    return mean(results, lambda one: one.mean_s(lambda call: call.response_ns + call.waiting_ns))


def _c7(runs: NinfRuns) -> Verdict:
    cells = [(n, c) for n in SIZES for c in CLIENTS]
    serial = {cell: runs.ratio(*cell, *ONE_AT_A_TIME) for cell in cells}
    shared = [runs.ratio(*cell) for cell in cells]
    figures = {
        "serial_over_1pe_mean": geometric_mean(serial.values()),
        "serial_over_1pe_least": min(serial.values()),
        "shared_over_1pe_mean": geometric_mean(shared),
        "shared_over_1pe_least": min(shared),
        "serial_over_1pe_n1400_c16": serial[1400, 16],
    }
    better = min(figures["serial_over_1pe_mean"], figures["shared_over_1pe_mean"])
    least = min(figures["serial_over_1pe_least"], figures["shared_over_1pe_least"])
    return better > 1.05 and least >= 0.84, figures


def _c8(runs: NinfRuns) -> Verdict:
    far, near = runs.wan(1000, 16), runs.lan(1000, 16, "4pe")
    line = rate(runs.wan(1000, 16, *FASTER_LINE)) / rate(far)
    pes = rate(runs.wan(1000, 16, *MORE_PES)) / rate(far)
    figures = {
        "use_wan": use(far),
        "load_wan": load(far),
        "use_lan": use(near),
        "load_lan": load(near),
        "gain_of_twice_the_line": line,
        "gain_of_twice_the_PEs": pes,
    }
    quiet = use(far) < 0.25 and load(far) < 2 and use(near) > 0.9 and load(near) > 20
    return quiet and 1.8 <= line <= 2.2 and pes <= 1.05, figures


def _c9(runs: NinfRuns) -> Verdict:
    figures: Figures = {}
    holds = True
    for n in SIZES:
        one, many = runs.wan(n, 1), runs.wan(n, 16)
        line = mean(many, lambda result: result.link_utilisation("ocha-line"))
        figures |= {f"c16_over_c1_n{n}": rate(many) / rate(one), f"line_use_n{n}": line}
        holds &= rate(many) / rate(one) <= 0.2 and line > 0.9
    return holds, figures


def _c10(runs: NinfRuns) -> Verdict:
    figures: Figures = {}
    for clients in (4, 16):
        one, four = runs.wan(1000, clients), runs.sites(1000, clients)
        figures[f"sites_over_site_c{clients}"] = mean(four, _served) / mean(one, _served)
        figures[f"Mflops_site_c{clients}"] = mean(one, _served) / 1e6
        figures[f"Mflops_sites_c{clients}"] = mean(four, _served) / 1e6
    return min(figures["sites_over_site_c4"], figures["sites_over_site_c16"]) >= 2, figures


def _c11(runs: NinfRuns) -> Verdict:
    figures = {
        f"wan_over_lan_c{c}": rate(runs.ep(c, "ocha")) / rate(runs.ep(c, "etl")) for c in CLIENTS
    }
    same = all(abs(one - 1) < 0.02 for one in figures.values())
    many = runs.ep(16, "ocha")
    figures["use_c16"] = use(many)
    figures["line_use_c16"] = mean(many, lambda one: one.link_utilisation("ocha-line"))
    return same and figures["use_c16"] > 0.95 and figures["line_use_c16"] < 0.01, figures


def _c12(runs: NinfRuns) -> Verdict:
    choices = ("load", "compute", "bandwidth", "estimate")
    times = {choose: elapsed_s(runs.choice(choose)) for choose in choices}
    figures = {f"call_s_by_{choose}": time for choose, time in times.items()}
    for choose in ("load", "estimate"):
        figures[f"Mops_by_{choose}"] = mean(runs.choice(choose), _served) / 1e6
    best = times["estimate"]
    both = min(times["compute"], times["bandwidth"])
    return best < times["load"] / 2 and best < 0.9 * both, figures


CLAIMS: dict[str, Callable[[NinfRuns], Verdict]] = {
    "ninf-c1": _c1,
    "ninf-c2": _c2,
    "ninf-c3": _c3,
    "ninf-c4": _c4,
    "ninf-c5": _c5,
    "ninf-c6": _c6,
    "ninf-c7": _c7,
    "ninf-c8": _c8,
    "ninf-c9": _c9,
    "ninf-c10": _c10,
    "ninf-c11": _c11,
    "ninf-c12": _c12,
}

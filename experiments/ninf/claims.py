"""The figures that decide the claims of the Ninf paper, from simulated runs.

Every function takes the runs and returns its figures; their conditions are in the study's file.
Rates of whole calls are in Mflop/s or Mop/s, throughputs in MB/s, times in seconds; the rest are
ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import geometric_mean, pstdev
from typing import TYPE_CHECKING, TypeAlias

from .runs import (
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

CROSSOVERS = {
    "cross-sparc": ("supersparc", "murata"),
    "cross-alpha-murata": ("alpha", "murata"),
    "cross-alpha-original": ("alpha", "original"),
}
"""Client and local library of each published crossover, by the id of its figure."""
LIBRARIES = ("1pe", "4pe")
KINDS = ("supersparc", "ultrasparc", "alpha")
ONE_AT_A_TIME: tuple[tuple[str, str], ...] = (("machine.services.j90.at_once", "1"),)
WAN_CLIENTS = (4, 16)
"""Of the slides that compare one site with several."""


def use(results: list[NumericalResult]) -> float:
    """Return the used share of the J90's PE time."""
    return mean(results, lambda one: one.utilisation("j90"))


def load(results: list[NumericalResult]) -> float:
    """Return the mean of the J90's load averages."""
    return mean(results, lambda one: one.servers["j90"].load_mean)


def load_peak(results: list[NumericalResult]) -> float:
    """Return the largest of the J90's load averages, averaged over the runs."""
    return mean(results, lambda one: one.servers["j90"].load_peak)


def calls_out(one: NumericalResult) -> int:
    """Return the number of calls under way at the end of the time for starts."""
    return sum(call.ended_ns > one.stock_ns for call in one.calls)


def together_mbps(results: list[NumericalResult], clients: int) -> float:
    """Return the throughput of all clients together, the sum of their means, in MB/s."""
    return clients * mean(results, lambda one: one.mean_throughput()) / 1e6


def _served(one: NumericalResult) -> float:
    return one.served_rate()


def _c1(runs: NinfRuns) -> Figures:
    figures: Figures = {}
    for id_, (client, library) in CROSSOVERS.items():
        found = runs.crossover(client, library)
        beyond = [runs.gain(client, library, n) for n in range(found, LARGEST + 1, 100)]
        half = runs.gain(client, library, round(runs.published(id_) / 2))
        figures |= {
            f"crossover_{client}_{library}": found,
            f"least_gain_beyond_{client}_{library}": min(beyond),
            f"gain_at_half_{client}_{library}": half,
        }
    return figures


def _c2(runs: NinfRuns) -> Figures:
    figures: Figures = {}
    for n in SIZES:
        rates = [runs.single(kind, n).rate for kind in KINDS]
        figures[f"fastest_over_slowest_{n}"] = max(rates) / min(rates)
    own = [runs.local_ns(kind, "murata", 1000) for kind in KINDS]
    return figures | {"own_speeds_fastest_over_slowest": max(own) / min(own)}


def _c3(runs: NinfRuns) -> Figures:
    pairs = runs.pairs()
    figures = {f"MBps_{pair}": call.throughput / 1e6 for pair, call in pairs.items()}
    for server in ("alpha", "j90"):
        times = [call.elapsed_ns for pair, call in pairs.items() if pair.endswith(f"-{server}")]
        figures[f"slowest_over_fastest_{server}"] = max(times) / min(times)
    return figures


def _c4(runs: NinfRuns) -> Figures:
    sixteen, eight = runs.loaded(16), runs.loaded(8)
    return {
        "load_mean": load(sixteen),
        "load_peak": load_peak(sixteen),
        "served_16_over_8_clients": mean(sixteen, _served) / mean(eight, _served),
    }


def _c5(runs: NinfRuns) -> Figures:
    few, many = runs.ratios(FEW), runs.ratios(MANY)
    named = {"few": few, "many": many}
    return {
        f"percent_{name}_n{n}_c{c}": 100 * ratio
        for name, ratios in named.items()
        for (n, c), ratio in ratios.items()
    }


def _c6(runs: NinfRuns) -> Figures:
    cells = [(n, c) for n in SIZES for c in CLIENTS]
    figures: Figures = {}
    for step in ("response", "waiting"):
        times = [[_step(runs, *cell, lib, step) for lib in LIBRARIES] for cell in cells]
        ratios = [four / one for one, four in times]
        figures[f"{step}_4pe_over_1pe_mean"] = geometric_mean(ratios)
        figures[f"{step}_largest_ratio"] = max(max(one, 1 / one) for one in ratios)
        figures |= {
            f"{step}_s_{lib}_n1400_c16": s for lib, s in zip(LIBRARIES, times[-1], strict=True)
        }
    return figures


def _step(runs: NinfRuns, n: int, clients: int, library: str, step: str) -> float:
    """Return the mean time of a step of a call on the LAN, in seconds."""
    return mean(runs.lan(n, clients, library), lambda one: one.step_s(step))


def _c7(runs: NinfRuns) -> Figures:
    shared = [runs.ratio(n, c) for n in SIZES for c in CLIENTS]
    figures = {
        "shared_over_1pe_mean": geometric_mean(shared),
        "shared_over_1pe_least": min(shared),
    }
    for c in (4, 16):
        serial = [runs.ratio(n, c, *ONE_AT_A_TIME) for n in SIZES]
        figures[f"serial_over_1pe_mean_c{c}"] = geometric_mean(serial)
        figures[f"serial_over_1pe_least_c{c}"] = min(serial)
    return figures


def _c8(runs: NinfRuns) -> Figures:
    far, near = runs.wan(1000, 16), runs.lan(1000, 16, "4pe")
    return {
        "use_wan": use(far),
        "load_wan": load(far),
        "use_lan": use(near),
        "load_lan": load(near),
        "gain_of_twice_the_line": rate(runs.wan(1000, 16, runs.twice_the_line())) / rate(far),
        "gain_of_twice_the_PEs": rate(runs.wan(1000, 16, runs.twice_the_pes())) / rate(far),
    }


def _c9(runs: NinfRuns) -> Figures:
    figures: Figures = {}
    for n in SIZES:
        fall = rate(runs.wan(n, 16)) / rate(runs.wan(n, 1))
        on_lan = rate(runs.lan(n, 16, "4pe")) / rate(runs.lan(n, 1, "4pe"))
        line = mean(runs.wan(n, 16), lambda result: result.link_utilisation("ocha-line"))
        figures |= {
            f"c16_over_c1_n{n}": fall,
            f"over_that_on_the_lan_n{n}": fall / on_lan,
            f"line_use_n{n}": line,
        }
    return figures


def _c10(runs: NinfRuns) -> Figures:
    figures: Figures = {}
    for clients in WAN_CLIENTS:
        one, four = runs.wan(1000, clients), runs.sites(1000, clients)
        figures[f"sites_over_site_c{clients}"] = mean(four, _served) / mean(one, _served)
        figures[f"Mflops_site_c{clients}"] = mean(one, _served) / 1e6
        figures[f"Mflops_sites_c{clients}"] = mean(four, _served) / 1e6
    return figures


def _c11(runs: NinfRuns) -> Figures:
    figures = {
        f"wan_over_lan_c{c}": rate(runs.ep(c, "ocha")) / rate(runs.ep(c, "etl")) for c in CLIENTS
    }
    many = runs.ep(16, "ocha")
    figures["use_c16"] = use(many)
    figures["line_use_c16"] = mean(many, lambda one: one.link_utilisation("ocha-line"))
    return figures


def _c12(runs: NinfRuns) -> Figures:
    choices = ("load", "compute", "bandwidth", "estimate")
    times = {choose: elapsed_s(runs.choice(choose)) for choose in choices}
    figures = {f"call_s_by_{choose}": time for choose, time in times.items()}
    for choose in choices[:-1]:
        figures[f"estimate_over_{choose}"] = times["estimate"] / times[choose]
    return figures


def _c13(runs: NinfRuns) -> Figures:
    figures: Figures = {}
    site = {n: together_mbps(runs.wan(n, 4), 4) for n in SIZES}
    sites = {n: together_mbps(runs.sites(n, 4), 4) for n in SIZES}
    for n in SIZES:
        figures |= {f"MBps_site_n{n}": site[n], f"MBps_sites_n{n}": sites[n]}
        figures[f"sites_over_site_n{n}"] = sites[n] / site[n]
    figures["site_most_over_least"] = _spread(site.values())
    figures["sites_most_over_least"] = _spread(sites.values())
    return figures


def _c14(runs: NinfRuns) -> Figures:
    figures: Figures = {}
    for where, made in (("site", runs.wan), ("sites", runs.sites)):
        few, many = (together_mbps(made(1000, c), c) for c in WAN_CLIENTS)
        figures |= {f"MBps_{where}_c4": few, f"MBps_{where}_c16": many}
        figures[f"{where}_c16_over_c4"] = many / few
    return figures


def _c15(runs: NinfRuns) -> Figures:
    gaps = runs.gaps_s()
    return {"gap_mean_s": sum(gaps) / len(gaps), "gap_deviation_s": pstdev(gaps)}


def _spread(values: Iterable[float]) -> float:
    """Return the largest over the smallest."""
    known = list(values)
    return max(known) / min(known)


CLAIMS: Mapping[str, Callable[[NinfRuns], Figures]] = {
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
    "ninf-c13": _c13,
    "ninf-c14": _c14,
    "ninf-c15": _c15,
}
"""The figures of each claim, by its id."""

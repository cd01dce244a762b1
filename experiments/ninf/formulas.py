"""Formulas for Ninf: a throughput for each kind of server, speeds, and a closed queue.

A call moves its bytes and computes. Both take PEs of the J90, which are shared, so that ``j`` calls
there finish at the rate ``min(j / T, 4 / D)``: ``T`` is the time of a call alone, ``D`` its time on
one PE. Clients wait 6 s between calls. Together that is the machine repairman's model: numbers of
calls follow a product, whatever the distribution of times. A site's line is such a queue too, which
finishes its rate over the bytes of a call.

Not modelled: waiting for acceptance and start, peaks, the knowledge of a metaserver, caches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import geometric_mean
from typing import NamedTuple, TypeAlias

from simulator.kinds.services.numerical_server.problems import EmbarrassinglyParallel, Linpack

from ..validation.null_model import Constant, NullModel
from .runs import CLIENTS, FEW, LARGEST, MANY, SIZES

Figures: TypeAlias = Mapping[str, float]

PES = 4
TRY_S, CHANCE = 3.0, 0.5
THINK_S = TRY_S / CHANCE
"""Time between calls (slide "Conditions with many clients")."""
ONE_PE = 190.0
"""Rate of the 1-PE library in Mflop/s, an eighth of that with 8 PEs (Linpack report, 1995)."""
LINE = 0.19
"""MB/s of a far site's line of 1.5 Mbit/s; assumed, as for the simulator."""
EP = 2.5
"""Mop/s of EP on one PE; assumed, as for the simulator."""
SITES = 4
CROSSINGS = {"supersparc_murata": 300, "alpha_murata": 800, "alpha_original": 500}
"""Client and library, and the printed n from which a call is faster."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A closed queue: clients return to a place where they share a rate."""

    each_s: float
    """Completed calls per second."""
    present: float
    """Mean number of calls present."""

    @property
    def stay_s(self) -> float:
        """Mean time of a call in the queue (Little's law)."""
        return self.present / self.each_s


def queue(clients: int, think_s: float, rate: Callable[[int], float]) -> Queue:
    """Return the closed queue; ``rate(j)`` is the throughput with ``j`` calls present.

    >>> one = queue(1, 3.0, lambda j: 1.0)  # 3 s away, 1 s there
    >>> one.each_s, one.present, one.stay_s
    (0.25, 0.25, 1.0)
    """
    weights = [1.0]
    for j in range(1, clients + 1):
        weights.append(weights[-1] * (clients - j + 1) / think_s / rate(j))
    whole = sum(weights)
    done = sum(rate(j) * weights[j] for j in range(1, clients + 1)) / whole
    return Queue(done, sum(j * one for j, one in enumerate(weights)) / whole)


class Speeds(NamedTuple):
    """The fitted constants."""

    j90_MBps: float
    """Throughput of a call to the J90, with all of its PEs."""
    others_MBps: float
    """Throughput of a call to another server."""
    alone: float
    """Speedup of the 4-PE library over one PE, for one call."""
    shared: float
    """Fraction of four PEs that the 4-PE library uses with concurrent calls."""
    supersparc_murata: float
    """Mflop/s of a client itself, as in the next two."""
    alpha_murata: float
    alpha_original: float

    def moving_s(self, n: int) -> float:
        """Return the transfer time of a call to the J90."""
        return _megabytes(n) / self.j90_MBps

    def alone_s(self, n: int, library: str) -> float:
        """Return the time of a call to an idle J90."""
        speed = ONE_PE * (self.alone if library == "4pe" else 1)
        return self.moving_s(n) + _mflop(n) / speed

    def work_s(self, n: int, library: str) -> float:
        """Return the time of a call on one PE, with concurrent calls."""
        computing = _mflop(n) / ONE_PE
        return (
            self.moving_s(n)
            + {
                "1pe": computing,
                "4pe": computing / self.shared,
                "serial": PES * computing / self.alone,  # One call has all four PEs.
            }[library]
        )

    def lan(self, n: int, clients: int, library: str) -> Queue:
        """Return the J90 with clients near it; ``serial``: the 4-PE library, one call at a time."""
        alone, work = self.alone_s(n, "1pe" if library == "1pe" else "4pe"), self.work_s(n, library)
        return queue(clients, THINK_S, lambda j: min(j / alone, PES / work))

    def threads(self, n: int) -> float:
        """Return the threads of a call with the 4-PE library: 1 in transfer, 4 while computing."""
        moving, work = self.moving_s(n), self.work_s(n, "4pe")
        return work / (moving + (work - moving) / PES)

    def ratio(self, n: int, clients: int, library: str = "4pe") -> float:
        """Return performance of a call with the 4-PE library over that with the 1-PE library."""
        return self.lan(n, clients, "1pe").stay_s / self.lan(n, clients, library).stay_s

    def percents(self, clients: tuple[int, ...]) -> Mapping[tuple[int, int], float]:
        """Return the ratios in per cent, by n and clients."""
        return _percents(self, clients)

    def load(self, n: int, clients: int) -> float:
        """Return the mean of threads at the J90 with the 4-PE library."""
        return self.lan(n, clients, "4pe").present * self.threads(n)

    def line(self, n: int, clients: int, rate: float = LINE) -> Queue:
        """Return the line of a far site; at the J90 calls are alone."""
        alone = self.alone_s(n, "4pe")
        return queue(clients, THINK_S + alone, lambda _j: rate / _megabytes(n))

    def far_s(self, n: int, clients: int, rate: float = LINE) -> float:
        """Return the time of a call from a far site."""
        return self.line(n, clients, rate).stay_s + self.alone_s(n, "4pe")

    def together_MBps(self, n: int, clients: int) -> float:
        """Return the sum of throughputs of a site's clients: bytes over transfer time."""
        moving = self.line(n, clients).stay_s + self.moving_s(n)
        return clients * _megabytes(n) / moving

    def own(self, name: str) -> float:
        """Return the Mflop/s of a client with a library, one of :data:`CROSSINGS`."""
        return float(getattr(self, name))

    def crossing(self, own: str) -> float:
        """Return the n at which a call takes as long as local execution.

        Operations over bytes, ``(2/3 n^2 + 2 n) / (8 n + 20)``, then equal the transfer rate times
        the time saved per operation.
        """
        less = 1 / self.own(own) - 1 / (ONE_PE * self.alone)
        if less <= 0:
            return math.inf
        b = 8 / (self.j90_MBps * less) - 2
        return (b + math.sqrt(b * b + 20 / 3 * (b + 2))) * 3 / 4

    def gain(self, own: str, n: int) -> float:
        """Return the speedup of a call over local execution."""
        return _mflop(n) / self.own(own) / self.alone_s(n, "4pe")


@lru_cache(maxsize=64)
def _percents(speeds: Speeds, clients: tuple[int, ...]) -> Mapping[tuple[int, int], float]:
    """Compute the cells whose extremes are printed, cached for both."""
    return {(n, c): 100 * speeds.ratio(n, c) for c in clients for n in SIZES}


def _megabytes(n: int) -> float:
    problem = Linpack(n)
    size: int = problem.bytes_in + problem.bytes_out
    return size / 1e6


def _mflop(n: int) -> float:
    operations: int = Linpack(n).operations
    return operations / 1e6


# -- claims -------------------------------------------------------------------------------------


def _c1(speeds: Speeds) -> Figures:
    figures: dict[str, float] = {}
    for own, printed in CROSSINGS.items():
        found = speeds.crossing(own)
        first = LARGEST if math.isinf(found) else math.ceil(found)
        beyond = [speeds.gain(own, n) for n in range(first, LARGEST + 1, 100)]
        figures |= {
            f"crossover_{own}": found,
            f"least_gain_beyond_{own}": min(beyond, default=0.0),
            f"gain_at_half_{own}": speeds.gain(own, printed // 2),
        }
    return figures


def _c2(_speeds: Speeds) -> Figures:
    """No formula of a call contains the client's machine; the UltraSPARC's own speed is unknown."""
    return {f"fastest_over_slowest_{n}": 1.0 for n in SIZES}


def _c3(speeds: Speeds) -> Figures:
    to_j90 = ("supersparc-j90", "ultrasparc-j90", "alpha-j90")
    to_others = ("supersparc-ultra", "supersparc-alpha", "ultrasparc-alpha")
    return {
        **{f"MBps_{pair}": speeds.j90_MBps for pair in to_j90},
        **{f"MBps_{pair}": speeds.others_MBps for pair in to_others},
        **{f"slowest_over_fastest_{server}": 1.0 for server in ("alpha", "j90")},
    }


def _c4(speeds: Speeds) -> Figures:
    sixteen, eight = (speeds.lan(1400, clients, "4pe") for clients in (16, 8))
    return {"served_16_over_8_clients": sixteen.each_s / eight.each_s}


def _c5(speeds: Speeds) -> Figures:
    return {
        f"percent_{name}_n{n}_c{c}": percent
        for name, clients in (("few", FEW), ("many", MANY))
        for (n, c), percent in speeds.percents(clients).items()
    }


def _c7(speeds: Speeds) -> Figures:
    shared = [speeds.ratio(n, c) for n in SIZES for c in CLIENTS]
    figures = {
        "shared_over_1pe_mean": geometric_mean(shared),
        "shared_over_1pe_least": min(shared),
    }
    for c in (4, 16):
        serial = [speeds.ratio(n, c, "serial") for n in SIZES]
        figures[f"serial_over_1pe_least_c{c}"] = min(serial)
        if c == 4:
            figures["serial_over_1pe_mean_c4"] = geometric_mean(serial)
    return figures


def _c8(speeds: Speeds) -> Figures:
    n, clients = 1000, 16
    far, near = speeds.line(n, clients), speeds.lan(n, clients, "4pe")
    alone = speeds.alone_s(n, "4pe")
    twice = speeds.far_s(n, clients) / speeds.far_s(n, clients, 2 * LINE)
    return {
        "use_wan": far.each_s * speeds.work_s(n, "4pe") / PES,
        "load_wan": far.each_s * alone * speeds.threads(n),
        "use_lan": near.each_s * speeds.work_s(n, "4pe") / PES,
        "load_lan": speeds.load(n, clients),
        "gain_of_twice_the_line": twice,
        "gain_of_twice_the_PEs": 1.0,  # A call is alone at the J90, and its library has 4 threads.
    }


def _c9(speeds: Speeds) -> Figures:
    figures: dict[str, float] = {}
    for n in SIZES:
        fall = speeds.far_s(n, 1) / speeds.far_s(n, 16)
        near = [speeds.lan(n, clients, "4pe").stay_s for clients in (1, 16)]
        figures |= {
            f"c16_over_c1_n{n}": fall,
            f"over_that_on_the_lan_n{n}": fall / (near[0] / near[1]),
            f"line_use_n{n}": speeds.line(n, 16).each_s * _megabytes(n) / LINE,
        }
    return figures


def _c10(speeds: Speeds) -> Figures:
    return {
        f"sites_over_site_c{c}": SITES
        * speeds.line(1000, c // SITES).each_s
        / speeds.line(1000, c).each_s
        for c in (4, 16)
    }


def _c11(_speeds: Speeds) -> Figures:
    problem = EmbarrassinglyParallel(24)
    computing = problem.operations / (EP * 1e6)
    moving = (problem.bytes_in + problem.bytes_out) / (LINE * 1e6)
    figures: dict[str, float] = {}
    for c in CLIENTS:
        made = queue(c, THINK_S, lambda j: min(j, PES) / computing)
        figures[f"wan_over_lan_c{c}"] = made.stay_s / (made.stay_s + moving)
    figures["use_c16"] = made.each_s * computing / PES
    figures["line_use_c16"] = made.each_s * moving
    return figures


def _c13(speeds: Speeds) -> Figures:
    site = {n: speeds.together_MBps(n, 4) for n in SIZES}
    sites = {n: SITES * speeds.together_MBps(n, 1) for n in SIZES}
    return {
        **{f"sites_over_site_n{n}": sites[n] / site[n] for n in SIZES},
        "site_most_over_least": max(site.values()) / min(site.values()),
        "sites_most_over_least": max(sites.values()) / min(sites.values()),
    }


def _c14(speeds: Speeds) -> Figures:
    few, many = (speeds.together_MBps(1000, c) for c in (4, 16))
    each_few, each_many = (speeds.together_MBps(1000, c) for c in (1, 4))
    return {"site_c16_over_c4": many / few, "sites_c16_over_c4": each_many / each_few}


def model() -> NullModel[Speeds]:
    """Return the formulas of Ninf."""
    return NullModel(
        study="ninf",
        about="a throughput of the J90 and one of other servers, the 4-PE library's gain alone and "
        "its share of four PEs when calls share them, and three clients' own speeds; many "
        "clients are a closed queue (the machine repairman's model)",
        given="the clients' 6 s between calls, 4 PEs, 190 Mflop/s of a PE, 0.19 MB/s of a far "
        "site's line and EP's 2.5 Mop/s, as in the simulator",
        constants=(
            Constant("throughput of the J90, MB/s", 2.0),
            Constant("throughput of other servers, MB/s", 6.0),
            Constant("4-PE library over one PE, alone", 3.0),
            Constant("share of four PEs, when shared", 0.9),
            Constant("SuperSPARC, Mflop/s", 25.0),
            Constant("Alpha, Murata's library, Mflop/s", 80.0),
            Constant("Alpha, original library, Mflop/s", 50.0),
        ),
        kind=Speeds,
        figures={
            "cross-sparc": lambda speeds: speeds.crossing("supersparc_murata"),
            "cross-alpha-murata": lambda speeds: speeds.crossing("alpha_murata"),
            "cross-alpha-original": lambda speeds: speeds.crossing("alpha_original"),
            "bandwidth-least": lambda speeds: min(speeds.j90_MBps, speeds.others_MBps),
            "bandwidth-most": lambda speeds: max(speeds.j90_MBps, speeds.others_MBps),
            "few-most": lambda speeds: max(speeds.percents(FEW).values()),
            "few-least": lambda speeds: min(speeds.percents(FEW).values()),
            "many-most": lambda speeds: max(speeds.percents(MANY).values()),
            "many-least": lambda speeds: min(speeds.percents(MANY).values()),
            "load": lambda speeds: speeds.load(1400, 16),
        },
        claims={
            "ninf-c1": _c1,
            "ninf-c2": _c2,
            "ninf-c3": _c3,
            "ninf-c4": _c4,
            "ninf-c5": _c5,
            "ninf-c7": _c7,
            "ninf-c8": _c8,
            "ninf-c9": _c9,
            "ninf-c10": _c10,
            "ninf-c11": _c11,
            "ninf-c13": _c13,
            "ninf-c14": _c14,
        },
    )

"""Tables of the Ninf study: reconstructions of the paper's lost figures, from the runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simulator.report.lined import ruled
from simulator.result.numerical import NumericalResult

from .claims import calls_out, load, load_peak, together_mbps, use
from .runs import CLIENTS, SIZES, NinfRuns, mean, rate

CHOICES = {
    "load": "load alone",
    "compute": "load and problem",
    "bandwidth": "bandwidth alone",
    "estimate": "load, problem and bandwidth",
}
"""Choices of a server, in words."""


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"{title}\n{ruled(head, rows)}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def lan_table(runs: NinfRuns) -> str:
    """Return performance, utilisation and load on the LAN, for both libraries."""
    rows = []
    for n in SIZES:
        for c in CLIENTS:
            one, four = runs.lan(n, c, "1pe"), runs.lan(n, c, "4pe")
            cells = [f"{rate(one) / 1e6:.1f}", f"{rate(four) / 1e6:.1f}"]
            cells.append(_percent(rate(four) / rate(one)))
            for results in (one, four):
                cells += [_percent(use(results))]
                cells += [f"{load(results):.1f}", f"{load_peak(results):.1f}"]
            rows.append([str(n), str(c), *cells])
    head = ["n", "clients", "1 PE", "4 PEs", "4 to 1"]
    head += [f"{what} {pes}" for pes in (1, 4) for what in ("util.", "load", "peak")]
    return _table(
        "LAN: Mflop/s of a client, utilization of the J90, mean and peak of its load average",
        head,
        rows,
    )


def wait_table(runs: NinfRuns) -> str:
    """Return response and waiting times with both libraries."""
    rows = []
    for c in CLIENTS:
        cells = [
            f"{mean(runs.lan(1400, c, library), lambda one, s=step: one.step_s(s)):.3f}"  # type: ignore[misc]
            for step in ("response", "waiting")
            for library in ("1pe", "4pe")
        ]
        rows.append([str(c), *cells])
    head = ["clients", "response 1", "response 4", "waiting 1", "waiting 4"]
    return _table(
        "LAN, n = 1400: seconds until a call is accepted (response), and until it runs (waiting)",
        head,
        rows,
    )


def open_table(runs: NinfRuns) -> str:
    """Return the outcome of trials that continue during calls."""
    rows = []
    for c in CLIENTS:
        made = runs.open(1400, c)
        rows.append([str(c), f"{mean(made, _load_at_end):.1f}", f"{mean(made, calls_out):.0f}"])
    return _table(
        "LAN, n = 1400, 4 PEs, if trials went on during a call: load and outstanding calls "
        "after 5 minutes",
        ["clients", "load", "outstanding"],
        rows,
    )


def _load_at_end(one: NumericalResult) -> float:
    return one.servers["j90"].loads[-1]


def wan_table(runs: NinfRuns) -> str:
    """Return a table of equal clients near, behind one line, and behind four."""
    rows = []
    for c in (4, 16):
        for place, results in (
            ("LAN", runs.lan(1000, c, "4pe")),
            ("one far site", runs.wan(1000, c)),
            ("four far sites", runs.sites(1000, c)),
        ):
            moved = mean(results, lambda one: one.mean_throughput())
            rows.append(
                [
                    str(c),
                    place,
                    f"{rate(results) / 1e6:.2f}",
                    f"{moved / 1e6:.3f}",
                    f"{together_mbps(results, c):.3f}",
                    f"{mean(results, lambda one: one.served_rate()) / 1e6:.1f}",
                    _percent(use(results)),
                    f"{load(results):.2f}",
                ]
            )
    head = [
        "clients",
        "where",
        "Mflop/s of a call",
        "MB/s",
        "MB/s in all",
        "Mflop/s in all",
        "utilization",
        "load",
    ]
    return _table("Linpack n = 1000, 4-PE library, near and far", head, rows)


def ep_table(runs: NinfRuns) -> str:
    """Return EP on the LAN and behind a line."""
    rows = []
    for c in CLIENTS:
        near, far = runs.ep(c, "etl"), runs.ep(c, "ocha")
        both = [f"{rate(one) / 1e6:.3f}" for one in (near, far)]
        rest = [cell for one in (near, far) for cell in (_percent(use(one)), f"{load(one):.1f}")]
        rows.append([str(c), *both, *rest])
    head = ["clients", "LAN", "WAN", "util. LAN", "load LAN", "util. WAN", "load WAN"]
    return _table(
        "EP, n = 24: Mop/s of a client, utilization of the J90, mean load average", head, rows
    )


def choice_table(runs: NinfRuns) -> str:
    """Return mean times of calls by the choice of servers."""
    groups = list(dict.fromkeys(call.job for call in runs.choice("load")[0].calls))
    rows = []
    for choose, words in CHOICES.items():
        results = runs.choice(choose)
        times = [
            mean(results, lambda one, g=group: one.step_s("elapsed", g))  # type: ignore[misc]
            for group in groups
        ]
        done = mean(results, lambda one: len(one.calls))
        rows.append([words, *(f"{time:.1f}" for time in times), f"{done:.0f}"])
    head = ["by", *groups, "calls in 1 h"]
    return _table("A metaserver chooses among four servers: seconds of a call", head, rows)


TABLES: tuple[Callable[[NinfRuns], str], ...] = (
    lan_table,
    wait_table,
    open_table,
    wan_table,
    ep_table,
    choice_table,
)
"""Tables in the order of printing."""

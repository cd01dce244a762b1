"""Lesson 5: messages and servers, on Orion (1992) and Ninf (1997)."""

from __future__ import annotations

import functools
from statistics import fmean
from typing import TYPE_CHECKING

import nwtsim

from .chart import Chart, Point
from .exercises import Exercise, Lesson, Numbers, Said

if TYPE_CHECKING:
    from simulator.result.numerical import NumericalCall, NumericalResult
    from simulator.result.services import MeshResult

SIDES = (100, 200, 300, 400, 500, 700, 1000, 1400)
"""Points along a side of the meshes of the first picture."""
INTERVALS_MS = (0.5, 1, 2, 5, 10, 20, 50, 100)
SEEDS = range(1998, 2002)
"""Runs of a mesh differ in when servers poll; means are over these."""
CLIENTS = (1, 2, 4, 8, 16)
PAIRS = {
    "supersparc": (("ultra", "murata"), ("alpha", "murata"), ("j90", "4pe")),
    "ultrasparc": (("alpha", "murata"), ("j90", "4pe")),
    "alpha": (("j90", "4pe"),),
}
"""Clients, and the servers they call, with the library there."""
NAMES = {"supersparc": "SuperSPARC", "alpha": "Alpha"}


def lesson(student: str) -> Lesson:
    """Return the exercises, with numbers that belong to this name."""
    return Lesson("messages", student, EXERCISES)


# -- Orion ------------------------------------------------------------------------------------


def mesh(side: int, nodes: int, seed: int = 1998, **machine: str) -> MeshResult:
    """Simulate a mesh of ``side`` x ``side`` points on some nodes, on a machine so changed."""
    settings: dict[str, str | int] = {
        "workload.jobs.0.processes": nodes,
        "workload.jobs.0.phases.0.rows": side,
        "workload.jobs.0.phases.0.columns": side,
    }
    keys = {"interval": "services.messages.interval", "memory": "parts.processor.resident"}
    settings |= {f"machine.{keys[name]}": value for name, value in machine.items()}
    (found,) = nwtsim.run("orion", "orion-mesh", settings, seed=seed).meshes
    return found


@functools.cache
def loop_ms(side: int, nodes: int, **machine: str) -> float:
    """Simulate it; the milliseconds of a loop, in the mean of several runs."""
    seeds = SEEDS if nodes > 1 else SEEDS[:1]
    return fmean(mesh(side, nodes, seed, **machine).loop_ns for seed in seeds) / 1e6


def speedup(side: int, nodes: int) -> float:
    """Simulate it; how many times as fast as one node the nodes are."""
    return loop_ms(side, 1) / loop_ms(side, nodes)


def speedups() -> Chart:
    """Draw how many times as fast several nodes are, with the two numbers of the paper."""
    known = nwtsim.published("orion")
    curves = {
        f"{nodes} nodes": [(side * side / 1000, speedup(side, nodes)) for side in SIDES]
        for nodes in (2, 4)
    }
    printed = [(known["break-even"] / 1000, 1.0), (200.0, known["speedup-200000"])]
    title = "Four nodes are slower than one with 40,000 points, and 3.5 times as fast with 200,000"
    return Chart(title, "points / 1000", "times as fast as one node", curves, printed)


def polling() -> Chart:
    """Draw how much longer than the shortest a loop is, over the interval of polls.

    The paper's best interval is marked on the curve.
    """
    times = {float(one): loop_ms(1000, 4, interval=f"{one} ms") for one in INTERVALS_MS}
    least = min(times.values())
    longer = {one: 100 * (ms / least - 1) for one, ms in times.items()}
    best = nwtsim.published("orion")["best-interval"]
    title = "A loop is shortest if servers look for messages every 10 ms or so"
    curves, printed = {"4 nodes": list(longer.items())}, [(best, longer[best])]
    return Chart(title, "ms between polls", "% longer than the shortest", curves, printed)


def shares(side: int) -> dict[str, float]:
    """Return the milliseconds of a loop on four nodes, in the mean of the nodes."""
    found = mesh(side, 4)
    loops = len(found.loop_ends_ns) - 1  # The first is not counted.
    return {
        "computing": fmean(one.compute_ns for one in found.nodes) / loops / 1e6,
        "messages": fmean(one.communication_ns for one in found.nodes) / loops / 1e6,
    }


def pages(side: int, nodes: int, memory: str = "16 MB") -> bool:
    """Simulate it; whether points have to be brought from disk in each loop."""
    found = mesh(side, nodes, memory=memory)
    return any("processor.paging" in one.spent for one in found.nodes)


def fits(nodes: int, memory: str = "16 MB") -> int:
    """Return the points of the largest square mesh that does not page, by simulated runs."""
    low, high = 1, 8192
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pages(middle, nodes, memory) else (middle, high)
    return low * low


def paging() -> Said:
    """Say how many points fit in memory, on 1, 2 and 4 nodes."""
    lines = [f"nodes: {nodes}, points that fit: {fits(nodes):,}" for nodes in (1, 2, 4)]
    printed = nwtsim.published("orion")["paging-1-node"]
    return Said("\n".join([*lines, f"printed for 1 node: {printed:,.0f}"]))


# -- Ninf -------------------------------------------------------------------------------------


@functools.cache
def serve(calls: str, clients: int = 1, line: str = "", **phase: str | int) -> NumericalResult:
    """Simulate calls of Ninf's clients; ``line`` is the rate of Ochanomizu's line."""
    settings: dict[str, str | int] = {
        f"workload.jobs.*.phases.*.{key}": value for key, value in phase.items() if key != "on"
    }
    settings["workload.jobs.*.processes"] = clients
    settings["workload.jobs.*.on"] = f"{phase.get('on', 'supersparc')}-client"
    settings |= {"machine.parts.ocha-line.rate": line} if line else {}
    found = nwtsim.run("ninf", calls, settings, seed=1998).numerical
    assert found is not None
    return found


def call(n: int, client: str = "supersparc", line: str = "", **phase: str) -> NumericalCall:
    """Simulate one call that solves n equations, with nobody else there."""
    return serve("ninf-single", 1, line, n=n, on=client, **phase).calls[0]


def far_s(n: int, line: float) -> float:
    """Simulate one call from Ochanomizu over a line of so many MB/s; seconds."""
    return call(n, site="ocha", line=f"{line} MB/s").elapsed_ns / 1e9


def gain(client: str, library: str, n: int) -> float:
    """Return how many times as fast as computing by itself a client is that calls the J90."""
    return nwtsim.ninf.local_s(client, library, n) / (call(n, client).elapsed_ns / 1e9)


def gains() -> Chart:
    """Draw what a call gains over the number of equations; crosses: where the paper found 1."""
    known = nwtsim.published("ninf")
    numbers = (100, 200, 300, 500, 800, 1200)
    who = {
        "SuperSPARC": ("supersparc", "murata", "cross-sparc"),
        "Alpha, its library": ("alpha", "original", "cross-alpha-original"),
        "Alpha, Murata's": ("alpha", "murata", "cross-alpha-murata"),
    }
    curves = {
        name: [(n, gain(client, library, n)) for n in numbers]
        for name, (client, library, _) in who.items()
    }
    printed: list[Point] = [(known[id_], 1.0) for _, _, id_ in who.values()]
    title = "From 300 to 800 equations on a call of the J90 is faster than computing by oneself"
    up = "times as fast by a call"
    return Chart(title, "equations", up, curves, printed, logarithmic=True)


def speeds(client: str) -> Chart:
    """Draw what a client reaches by itself and by a call of the J90, over the equations."""
    numbers = (100, 200, 300, 500, 800, 1200)
    libraries = ("murata", "original") if client == "alpha" else ("murata",)
    curves: dict[str, list[Point]] = {
        "a call of the J90": [(n, call(n, client).rate / 1e6) for n in numbers]
    }
    for library in libraries:
        times = [(n, nwtsim.ninf.local_s(client, library, n)) for n in numbers]
        curves[f"itself, {library}"] = [(n, operations(n) / s / 1e6) for n, s in times]
    title = f"{NAMES[client]}: a call gains with the equations, computing by oneself does not"
    return Chart(title, "equations", "Mflop/s", curves)


def operations(n: int) -> float:
    """Return the operations that solving n equations takes, as the paper counts them."""
    return 2 / 3 * n**3 + 2 * n**2


def pairs() -> Said:
    """Show the MB/s that calls of 1000 equations move, for each pair that was measured."""
    moved = {
        f"{client} calls {server}": call(1000, client, server=server, library=library)
        for client, servers in PAIRS.items()
        for server, library in servers
    }
    known = nwtsim.published("ninf")
    lines = [f"{name:22} {one.throughput / 1e6:4.1f} MB/s" for name, one in moved.items()]
    printed = f"printed: {known['bandwidth-least']:g} to {known['bandwidth-most']:g} MB/s"
    return Said("\n".join([*lines, printed]))


@functools.cache
def near(n: int, clients: int, library: str) -> NumericalResult:
    """Simulate ten minutes of clients in the building of the J90."""
    return serve("ninf-lan", clients, n=n, library=library, duration="10 min")


def percent(n: int, clients: int) -> float:
    """Return what a call with 4 PEs reaches, in percent of one with 1 PE."""
    four, one = (near(n, clients, library).mean_rate() for library in ("4pe", "1pe"))
    return 100 * four / one


def libraries() -> Chart:
    """Draw 4 PEs against 1 PE over the clients; crosses: the printed largest and smallest."""
    known = nwtsim.published("ninf")
    curves = {f"n = {n}": [(c, percent(n, c)) for c in CLIENTS] for n in (600, 1000, 1400)}
    few, many = 2.0, 128**0.5
    printed = [(few, known[one]) for one in ("few-most", "few-least")]
    printed += [(many, known[one]) for one in ("many-most", "many-least")]
    title = "Four PEs for a call help while clients are few, and not any more with eight"
    return Chart(title, "clients", "percent of 1 PE", curves, printed)


def load(n: int, clients: int, library: str = "4pe") -> float:
    """Simulate it; the mean of the load averages of the J90."""
    return near(n, clients, library).servers["j90"].load_mean


def loads() -> Said:
    """Compare the load of 16 clients that solve 1400 equations with the printed one."""
    found, known = near(1400, 16, "4pe").servers["j90"], nwtsim.published("ninf")
    ours = f"simulated: {found.load_mean:.0f} in the mean, {found.load_peak:.0f} at its peak"
    return Said(f"{ours}\nprinted: {known['load']:g}, without saying which")


def building() -> Said:
    """Show calls from the J90's building: Mflop/s of a call, use of its PEs, its load average."""
    rows = ["   n  clients    Mflop/s, 1 and 4 PEs   % of the PEs used    load average"]
    for n in (600, 1000, 1400):
        for clients in CLIENTS:
            both = [near(n, clients, library) for library in ("1pe", "4pe")]
            rates = "".join(f"{one.mean_rate() / 1e6:10.1f}" for one in both)
            uses = "".join(f"{100 * one.utilisation('j90'):9.0f}" for one in both)
            loads = "".join(f"{one.servers['j90'].load_mean:8.1f}" for one in both)
            rows.append(f"{n:4}  {clients:7}    {rates}  {uses}  {loads}")
    return Said("\n".join(rows))


def sites() -> Said:
    """Show what 4 and 16 clients far away get done together, all at one site and at four."""
    rows = ["   n  clients   sites  Mflop/s    MB/s   % of the PEs used"]
    for n in (600, 1000, 1400):
        for clients in (4, 16):
            made = {1: serve("ninf-wan", clients, n=n)}
            made[4] = serve("ninf-wan-sites", clients // 4, n=n)
            for count, one in made.items():
                moved = clients * one.mean_throughput() / 1e6
                done, use = one.served_rate() / 1e6, 100 * one.utilisation("j90")
                rows.append(f"{n:4}  {clients:7} {count:7} {done:8.1f} {moved:7.2f} {use:10.0f}")
    return Said("\n".join(rows))


def random_numbers() -> Said:
    """Show calls that send almost nothing (EP), near the J90 and far from it.

    Mop/s of a call, and the percent of the PEs that are used.
    """
    lines = []
    for clients in CLIENTS:
        both = (serve("ninf-ep", clients, site=one, duration="10 min") for one in ("etl", "ocha"))
        (near_by, used), (away, used_away) = (
            (one.mean_rate() / 1e6, 100 * one.utilisation("j90")) for one in both
        )
        found = f"{near_by:.2f} near ({used:.0f} %), {away:.2f} far away ({used_away:.0f} %)"
        lines.append(f"{clients:2} clients: {found}")
    return Said("\n".join(lines))


def places() -> Chart:
    """Draw the Mflop/s of a call near the J90, and from one and from four far sites."""
    counts = (4, 8, 16)
    curves = {
        "near": [(c, near(1000, c, "4pe").mean_rate() / 1e6) for c in counts],
        "four far sites": [(c, serve("ninf-wan-sites", c // 4).mean_rate() / 1e6) for c in counts],
        "one far site": [(c, serve("ninf-wan", c).mean_rate() / 1e6) for c in counts],
    }
    title = "Clients at one far site divide its line among them"
    return Chart(title, "clients", "Mflop/s of a call", curves, logarithmic=True)


# -- exercises --------------------------------------------------------------------------------


def faster(numbers: Numbers) -> float:
    """Simulate a mesh on four nodes and on one."""
    return speedup(numbers["side"], 4)


def longer(numbers: Numbers) -> float:
    """Simulate frequent polls; by how many percent a loop is longer than with 10 ms."""
    often, usual = (loop_ms(1000, 4, interval=f"{ms} ms") for ms in (numbers["ms"], 10))
    return 100 * (often / usual - 1)


def largest(numbers: Numbers) -> float:
    """Simulate meshes of several sizes; the points of the largest that fits."""
    return fits(numbers["nodes"], f"{numbers['MB']} MB")


def far(numbers: Numbers) -> float:
    """Simulate one call over a line; seconds."""
    return far_s(numbers["n"], numbers["line"])


def loaded(numbers: Numbers) -> float:
    """Simulate clients near the J90; the mean of its load averages."""
    return load(numbers["n"], numbers["clients"])


EXERCISES = (
    Exercise(
        "How many times as fast as one node are four, with a mesh of {side} x {side} points?",
        "times",
        "messages.speedup({side}, 4) simulates it; or read it off the first picture.",
        "Simulated: {answer} as fast. Messages cost some 40 to 50 ms of a loop whatever the mesh;"
        " computing grows with its points.",
        lambda rng: {"side": 20 * rng.randrange(6, 60)},
        faster,
        relative=0.05,
    ),
    Exercise(
        "A poll takes 0.1 ms of the processor. By how many percent is a loop of 1000 x 1000 points"
        " on four nodes longer if the servers look every {ms} ms instead of every 10?",
        "percent",
        "messages.loop_ms(1000, 4, interval='{ms} ms') simulates it. To estimate it: which share of"
        " its time is the processor taken away?",
        "Simulated: {answer}. While a node computes, polls take 0.1 of every {ms} ms; messages are"
        " found earlier, which gives a little of it back.",
        lambda rng: {"ms": rng.choice((0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2))},
        longer,
        absolute=2,
    ),
    Exercise(
        "Each of {nodes} nodes has {MB} MB for its points, of 8 bytes each. How many points may a"
        " square mesh have before it has to page?",
        "points",
        "Divide the memory of all nodes by the bytes of a point. messages.fits({nodes}, '{MB} MB')"
        " tries it.",
        "Simulated: {answer}. A little less than {nodes} x {MB} MB / 8 B, since each node also"
        " holds the rows and columns of its neighbours around its block.",
        lambda rng: {"nodes": rng.choice((2, 4)), "MB": rng.randrange(8, 33)},
        largest,
        relative=0.02,
    ),
    Exercise(
        "A client far away calls the J90 to solve {n} equations, over a line of {line} MB/s that it"
        " has for itself. How many seconds does the call take?",
        "s",
        "The matrix has 8 n^2 bytes. Which step takes longest? messages.far_s({n}, {line})"
        " simulates it.",
        "Simulated: {answer}. The matrix alone needs 8 x {n}^2 B / {line} MB/s on the line; what"
        " remains is the start of the program, the conversion of numbers and computing.",
        lambda rng: {
            "n": 100 * rng.randrange(6, 17),
            "line": rng.choice((0.05, 0.1, 0.15, 0.2, 0.3, 0.4)),
        },
        far,
        relative=0.1,
    ),
    Exercise(
        "{clients} clients near the J90 solve {n} equations each by the library with 4 PEs. Which"
        " load average does it have in the mean?",
        "threads",
        "A call has four threads while it computes, one while numbers are converted and none while"
        " they are transferred. messages.load({n}, {clients}) simulates it.",
        "Simulated: {answer}. A client waits for its call, so there are never more than {clients}"
        " calls, and some of them are being transferred.",
        lambda rng: {"clients": rng.randrange(6, 17), "n": rng.choice((600, 1000, 1400))},
        loaded,
        relative=0.1,
    ),
)

"""Small machines and arrays for tests of parallel input and output."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from simulator.config.ioplan import make_io_plan
from simulator.config.parallel import ArrayIo, ParallelIo

if TYPE_CHECKING:
    from simulator.engine.ioplan import IoPlan

METHODS_OF = {
    "unix": ("auto", "unix", "offsets"),
    "view": ("auto", "unix", "offsets", "list", "stride", "sieving"),
    "collective": ("auto", "disk-directed", "server-directed", "two-phase"),
}


def machine(**changes: Any) -> ParallelIo:
    """Four nodes with round numbers; changes as ``ionode__prefetch=0``."""
    values: dict[str, Any] = {
        "format": "parallel-io/1",
        "name": "small",
        "nodes": 4,
        "crossbar": {"port_rate": 1e9, "latency": 10, "header": 10},
        "library": {
            "call_overhead": 1000,
            "item_overhead": 3,
            "item_size": 16,
            "stride_size": 32,
            "copy_rate": 2e9,
            "transfer_buffer": 400,
            "sieve_buffer": 1000,
            "exchange_buffer": 800,
            "lock_overhead": 7,
            "barrier_overhead": 9,
        },
        "features": {},
        "ionode": {
            "request_overhead": 100,
            "piece_overhead": 5,
            "copy_rate": 1e9,
            "servers": 1,
            "buffer_cache": 10_000,
            "block": 100,
            "prefetch": 2,
        },
        "raid": {
            "rate": 1e8,
            "overhead": 500,
            "seek": 3000,
            "turn": 2000,
            "cache": 1000,
            "bus_rate": 5e8,
            "bus_overhead": 20,
        },
        "striping": {"block": 100, "subfiles": 4},
    }
    for path, value in changes.items():
        *sections, key = path.split("__")
        at = values
        for section in sections:
            at = at[section]
        at[key] = value
    return ParallelIo.model_validate(values)


def array(**changes: Any) -> ArrayIo:
    """Two processes read 20 rows of two pieces of 25 bytes."""
    values: dict[str, Any] = {
        "format": "array-io/1",
        "name": "rows",
        "array": {"size": 1000, "piece": 25},
        "processes": 2,
        "operation": "read",
        "interface": "view",
    }
    for path, value in changes.items():
        *sections, key = path.split("__")
        at = values
        for section in sections:
            at = at[section]
        at[key] = value
    return ArrayIo.model_validate(values)


def any_io_plan(rng: Random) -> IoPlan:
    """A random machine with a random array: small, but with every way there is."""
    nodes = rng.randint(1, 5)
    pick = rng.choice
    asked: dict[str, Any] = {"block": pick([50, 100, 160, 1000])}
    if rng.random() < 0.5:
        asked["subfiles"] = rng.randint(1, nodes)
    else:
        asked["order"] = tuple(rng.sample(range(nodes), rng.randint(1, nodes)))
    block = pick([50, 100, 128])
    there = machine(
        nodes=nodes,
        crossbar__port_rate=pick([1e8, 1e9, 1e11]),
        crossbar__latency=pick([0, 10]),
        crossbar__header=pick([1, 10]),
        library__call_overhead=pick([0, 1, 1000, 50_000]),
        library__transfer_buffer=pick([60, 400, 5000]),
        library__sieve_buffer=pick([150, 1000]),
        library__exchange_buffer=pick([100, 800]),
        library__lock_overhead=pick([0, 7]),
        library__barrier_overhead=pick([0, 9]),
        features__stride_io=rng.random() < 0.7,
        features__list_io=rng.random() < 0.7,
        features__collective=True,
        features__file_lock=rng.random() < 0.7,
        ionode__request_overhead=pick([0, 1, 100]),
        ionode__piece_overhead=pick([0, 5]),
        ionode__copy_rate=pick([1e8, 1e12]),
        ionode__servers=rng.randint(1, 3),
        ionode__buffer_cache=block * pick([1, 3, 20, 200]),
        ionode__block=block,
        ionode__prefetch=pick([0, 1, 4]),
        raid__seek=pick([0, 3000]),
        raid__turn=pick([0, 2001]),
        raid__cache=block * pick([1, 5, 100]),
        striping={"block": 100, "subfiles": nodes},
    )
    processes = rng.randint(1, nodes)
    piece = pick([1, 25, 64, 130])
    interface = pick(list(METHODS_OF))
    offered = [
        one
        for one in METHODS_OF[interface]
        if (one != "stride" or there.features.stride_io)
        and (one != "list" or there.features.list_io)
    ]
    work = array(
        array={
            "size": piece * processes * rng.randint(1, 25),
            "piece": piece,
            "gap": pick([None, None, 1, 75, 2000]),
            "exists": rng.random() < 0.5,
        },
        processes=processes,
        operation=pick(["read", "write"]),
        interface=interface,
        method=pick(offered),
        skew=pick([0, 0, 5000, 10**6]),
        asynchronous=rng.random() < 0.2,
        compute=pick([0, 0, 4000]),
        **({"striping": asked} if rng.random() < 0.7 else {}),
    )
    return make_io_plan(there, work, seed=rng.randint(0, 9))

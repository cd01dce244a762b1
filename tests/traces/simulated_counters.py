"""The Darshan log that a simulated run would have left: counters of its calls, without DXT."""

from collections import defaultdict

import numpy as np
from pyarrow import parquet

from tests.traces.darshan_bytes import record, write
from tests.traces.programs import counted

ALIGNMENT = 1 << 20
WAYS = {"read": "READ", "write": "WRITE"}


def log_of_run(store, path):
    """Write the log of a store that ``nwtsim run --store`` wrote; return the number of ranks.

    As Darshan does, the records of a file that all ranks used are merged into one.
    """
    rows = parquet.read_table(store).to_pylist()
    pids = sorted({row["pid"] for row in rows})
    ranks = {pid: rank for rank, pid in enumerate(pids)}
    files = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["file"] is not None:
            files[row["file"]][ranks[row["pid"]]].append(row)
    modules, names = b"", {}
    for number, (name, users) in enumerate(sorted(files.items()), 1):
        names[number] = f"/scratch/{name}"
        shared = len(users) == len(ranks) > 1
        parts = [users] if shared else [{rank: mine} for rank, mine in users.items()]
        for part in parts:
            rank = -1 if shared else next(iter(part))
            modules += record("POSIX", number, rank, _counters(part, shared=shared))
    last = max(row["time_ns"] + int(row["duration_ns"] or 0) for row in rows)
    write(path, {"POSIX": modules}, names=names, nprocs=len(ranks), seconds=last // 10**9 + 1)
    return len(ranks)


def _counters(part, *, shared):
    calls = [
        [(row["call"] == "write", row["offset"], row["returned"]) for row in mine if _moves(row)]
        for mine in part.values()
    ]
    counts = counted(calls, ALIGNMENT)
    every = [row for mine in part.values() for row in mine]
    counts["OPENS"] = sum(row["call"].startswith("open") for row in every)
    counts["FSYNCS"] = sum(row["call"] == "fsync" for row in every)
    for call, way in WAYS.items():
        mine = [row for row in every if row["call"] == call]
        if mine:
            counts[f"F_{way}_START_TIMESTAMP"] = min(row["time_ns"] for row in mine) / 1e9
            counts[f"F_{way}_END_TIMESTAMP"] = max(map(_end, mine)) / 1e9
            counts[f"F_{way}_TIME"] = sum(row["duration_ns"] for row in mine) / 1e9
    syncs = [row["duration_ns"] for row in every if row["call"] == "fsync"]
    counts["F_WRITE_TIME"] = counts.get("F_WRITE_TIME", 0.0) + sum(syncs) / 1e9  # As Darshan.
    opens = [row for row in every if row["call"].startswith("open")]
    counts["F_OPEN_START_TIMESTAMP"] = min(row["time_ns"] for row in opens) / 1e9
    counts["F_OPEN_END_TIMESTAMP"] = max(map(_end, opens)) / 1e9
    closes = [row for row in every if row["call"] == "close"]
    counts["F_META_TIME"] = sum(row["duration_ns"] for row in (*opens, *closes)) / 1e9
    if closes:
        counts["F_CLOSE_END_TIMESTAMP"] = max(map(_end, closes)) / 1e9
    return counts | (_ranks(part) if shared else {})


def _ranks(part):
    moved = {rank: sum(row["returned"] for row in part[rank] if _moves(row)) for rank in part}
    took = {rank: sum(row["duration_ns"] for row in part[rank]) / 1e9 for rank in part}
    found = {"F_VARIANCE_RANK_BYTES": float(np.var(list(moved.values())))}
    for name, rank in (("FASTEST", min(took, key=took.get)), ("SLOWEST", max(took, key=took.get))):
        found |= {f"{name}_RANK": rank, f"{name}_RANK_BYTES": moved[rank]}
        found[f"F_{name}_RANK_TIME"] = took[rank]
    return found


def _moves(row):
    return row["call"] in WAYS


def _end(row):
    return row["time_ns"] + row["duration_ns"]

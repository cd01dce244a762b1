"""One side of a comparison: a result with its accounts, checked to add up.

It is made from the record of a result (docs/results.md), whether that was just made or read from a
file, so that both give the same comparison. Not part of a side: services, meshes, MPI-IO.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator import __version__
from simulator.errors import InputError, nearby
from simulator.inputfile import open_input
from simulator.result.latency import QUANTILES

Times = tuple[int, int]
"""Waiting and service, in ns."""
Key = tuple[str, str]
"""The kind of a column of an account, and its name."""
START: Key = ("start", "before its start")
COMPUTING: Key = ("computing", "computing")
IDLE: Key = ("idle", "idle")
BETWEEN: Key = ("between", "between calls")
RATES = ("read_MBps", "write_MBps", "stable_MBps")
_PHASE_TIMES = ("elapsed_ns", "time_ns", "mean_ns")
_LATENCIES = ("mean_ns", *QUANTILES, "max_ns")
_MOST = 2**93
"""Of 2**31 processes together, each as long as a run may be."""
_HOW = "write one with 'nwtsim run MACHINE WORKLOAD --format json --out FILE'"


class SideError(InputError):
    """A side of a comparison that is no result, or whose numbers contradict each other."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account of time of one process, or of all processes of a job."""

    name: str
    time_ns: int
    """The sum of the columns."""
    columns: Mapping[Key, Times]
    processes: int = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """A process with its account, from time 0 to its end: its start is a column of it."""

    account: Account
    job: str


@dataclass(frozen=True, slots=True)
class Phase:
    """The times of a phase of a job."""

    what: str
    elapsed_ns: int
    """From its first begin to its last end."""
    time_ns: int
    """Of all processes, added up."""
    mean_ns: int
    """Of a process, on the average."""


@dataclass(frozen=True, slots=True)
class Side:
    """A result, or a store of calls, as far as it is compared."""

    source: str
    """The file, or the words that made the run."""
    machine: str
    workload: str
    elapsed_ns: int
    last: tuple[Ended, ...]
    """The processes that end last, each of which explains the elapsed time."""
    jobs: Mapping[str, Account]
    known: frozenset[str]
    """Names of columns and resources that are there."""
    stores: Mapping[str, Times]
    """Store -> hits and misses of all its instances."""
    latencies: Mapping[str, Mapping[str, Any]]
    """Operation -> count and times, as a result has them; None for what is not known."""
    phases: Mapping[tuple[str, str], Phase] = field(default_factory=dict)
    """Job and the phase's place in it -> what it took."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """``read_MBps``, ``write_MBps`` and ``stable_MBps``."""
    seed: int | None = None
    """None if service times do not vary."""
    drawn: int = 0
    """The seed of what is drawn even so: arrivals, lengths of records."""
    run: int = 0
    engine: str = ""
    digest: str = ""
    by_call: bool = False
    """A column is a call, as in a store; otherwise it is a resource."""


def read_side(path: Path) -> Side:
    """Read a result that ``--format json`` has written; SideError if it is none, or wrong."""
    try:
        with open_input(path) as file:
            record = json.loads(file.read())
    except OSError as error:
        raise SideError(f"{path}: {error.strerror}{nearby(Path(path))}") from None
    except (ValueError, RecursionError) as error:
        raise SideError(f"{path}: this is not JSON ({error}); {_HOW}") from None
    check_version(record, str(path))
    return side_of(record, str(path))


def side_of(record: Mapping[str, Any], source: str) -> Side:
    """Return the side that the record of a result is; SideError if its numbers are wrong.

    ``source`` is what messages call it.
    """
    try:
        side = _side(record, source)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SideError(f"{source}: this result is damaged ({_told(error)}); {_HOW}") from None
    return side


def ended(name: str, job: str, start_ns: int, time_ns: int, spent: Mapping[Key, Times]) -> Ended:
    """Return a process whose account begins at time 0."""
    columns = {START: (start_ns, 0), **spent} if start_ns else dict(spent)
    return Ended(Account(name, start_ns + time_ns, columns), job)


def add_account(spent: dict[Key, Times], one: Ended) -> None:
    """Add the account of a process, but for its start, to what several spent."""
    for key, (wait, service) in one.account.columns.items():
        if key != START:
            before = spent.get(key, (0, 0))
            spent[key] = before[0] + wait, before[1] + service


def check_version(record: Any, source: str) -> None:
    """Raise SideError for what is no result of a run, or one of another version."""
    versions = record.get("versions") if isinstance(record, dict) else None
    if not isinstance(versions, dict) or "processes" not in record:
        raise SideError(f"{source}: this is no result of a run or a replay; {_HOW}")
    if versions.get("nwtsim") != __version__:
        raise SideError(
            f"{source}: this is a result of nwtsim {versions.get('nwtsim')}, not {__version__};"
            " make it again with this version"
        )


def _side(record: Mapping[str, Any], source: str) -> Side:
    processes = list(_processes(record["processes"], source))
    elapsed = _time(record["elapsed_ns"])
    longest = max((one.account.time_ns for one in processes), default=0)
    if longest != elapsed:
        raise SideError(
            f"{source}: elapsed_ns is {elapsed}, but the last process ends at {longest}: the"
            " file was changed; make it again"
        )
    jobs = {name: _job(name, one, source) for name, one in record["jobs"].items()}
    _check_jobs(jobs, processes, source)
    return Side(
        source=source,
        machine=_text(record["machine"]),
        workload=_text(record["workload"]),
        elapsed_ns=elapsed,
        last=tuple(one for one in processes if one.account.time_ns == elapsed),
        jobs=jobs,
        known=frozenset(
            [name for one in processes for kind, name in one.account.columns if kind == "column"]
            + [name for one in record["parts"].values() for name in _names(one["part"])]
        ),
        stores=_stores(record["stores"]),
        latencies={name: _latency(one) for name, one in record["latencies"].items()},
        phases=dict(_phases(record["jobs"], source)),
        rates={key: _number(record[key]) for key in RATES},
        seed=_time(record["seed"]) if record["noise"] else None,
        drawn=_time(record["seed"]),
        run=_time(record["run"]),
        engine=_text(record["engine"]),
        digest=_text(record["digest"]),
    )


def _processes(listed: list[Mapping[str, Any]], source: str) -> Iterator[Ended]:
    for one in listed:
        name, time = _text(one["name"]), _time(one["elapsed_ns"])
        spent = _spent(one["where"])
        _check_sum(f"the account of process {name!r}", spent, time, source)
        yield ended(name, _text(one["job"]), _time(one["started_ns"]), time, spent)


def _job(name: str, one: Mapping[str, Any], source: str) -> Account:
    time, spent = _time(one["time_ns"]), _spent(one["where"])
    _check_sum(f"the account of job {name!r}", spent, time, source)
    return Account(name, time, spent, _time(one["processes"]))


def _spent(where: Mapping[str, Any]) -> dict[Key, Times]:
    """Return what an account has, without what is 0."""
    spent = {COMPUTING: (0, _time(where["compute_ns"])), IDLE: (_time(where["idle_ns"]), 0)}
    for column, one in where["columns"].items():
        spent["column", column] = _time(one["wait_ns"]), _time(one["service_ns"])
    return {key: times for key, times in spent.items() if any(times)}


def _check_sum(what: str, spent: Mapping[Key, Times], time_ns: int, source: str) -> None:
    told = sum(map(sum, spent.values()))
    if told != time_ns:
        raise SideError(
            f"{source}: {what} adds up to {told} ns, not to its {time_ns} ns: the file was"
            " changed; make it again"
        )


def _check_jobs(jobs: Mapping[str, Account], processes: list[Ended], source: str) -> None:
    """Raise SideError if the account of a job is not that of its processes together."""
    names = {one.account.name for one in processes}
    summed: dict[str, dict[Key, Times]] = {name: {} for name in jobs}
    for one in processes:
        master, _, rank = one.account.name.rpartition("/")
        if rank.isdecimal() and master in names:
            continue  # A member that shares the data of a process: its job does not count it.
        add_account(summed.setdefault(one.job, {}), one)
    for name, spent in summed.items():
        if name not in jobs or spent != jobs[name].columns:
            raise SideError(
                f"{source}: the account of job {name!r} is not that of its processes together:"
                " the file was changed; make it again"
            )


def _phases(jobs: Mapping[str, Any], source: str) -> Iterator[tuple[tuple[str, str], Phase]]:
    """Yield the phases of jobs; SideError if their times are not those of their processes."""
    for job, one in jobs.items():
        phases = {
            (job, _text(row["phase"])): Phase(
                _text(row["what"]), *(_time(row[key]) for key in _PHASE_TIMES)
            )
            for row in one.get("phases", ())
        }
        if not phases:
            continue
        time, idle = _time(one["time_ns"]), _time(one["where"]["idle_ns"])
        least = time if one["arrivals"] is None else time - idle
        if not least <= sum(each.time_ns for each in phases.values()) <= time:
            raise SideError(
                f"{source}: the phases of job {job!r} do not add up to the {least} ns of its"
                " processes: the file was changed; make it again"
            )
        yield from phases.items()


def _stores(listed: Mapping[str, Any]) -> dict[str, Times]:
    stores: dict[str, Times] = {}
    for one in listed.values():
        hits, misses = stores.get(one["store"], (0, 0))
        hits, misses = hits + _time(one.get("hits", 0)), misses + _time(one.get("misses", 0))
        stores[_text(one["store"])] = hits, misses
    return stores


def _latency(one: Mapping[str, Any]) -> dict[str, Any]:
    count = {"count": _time(one["count"])}
    return count | {key: _number(one[key]) for key in _LATENCIES if key in one}


def _names(part: object) -> tuple[str, str]:
    """Return what a part may be called: with its direction, and without."""
    name = _text(part)
    return name, name.removesuffix(".in").removesuffix(".out")


def _time(value: object) -> int:
    """Check a time or a count: a whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise ValueError(f"{value!r} is not a whole number from 0 to {_MOST - 1}")
    return value


def _number(value: object) -> float:
    """Check a time or a rate that need not be whole."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        raise ValueError(f"{value!r} is not a number from 0 to {_MOST - 1}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _told(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    return str(error) if isinstance(error, ValueError) else "a value is of another kind there"

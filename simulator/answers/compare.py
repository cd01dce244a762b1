"""Why one run takes longer than another: the difference of their accounts, column by column.

The elapsed time ends with a process. From time 0 to that end its account covers every nanosecond -
what came before its start, waiting, service, computing, idling - so the difference of the two
accounts is the difference of the elapsed times, exactly. If several processes end at that moment,
one that does so on both sides is taken, else the first by name.

The processes of each job are compared likewise: their process time, added up.
All differences are B - A. Not claimed: that a column caused what it lost; 'What limits' of a run
asks that, by running it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.answers.sides import RATES, Account, Side, SideError, Times
from simulator.config.quantities import Leaf
from simulator.config.section import Section, fields_of
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.answers.sides import Ended, Key, Phase
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload


_NO_VALUES = ("name", "title", "references")


@dataclass(frozen=True, slots=True)
class Differing:
    """A value that two files have differently."""

    key: str
    """Its path, as a setting has it."""
    a: str | None
    """As a file would have it; None if that side has no such key, or it is not set."""
    b: str | None

    @property
    def resource(self) -> str:
        """The resource, store or job that has it."""
        return self.key.split(".")[2] if self.key.count(".") > 1 else ""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {"key": self.key, "a": self.a, "b": self.b}


def differing(a: tuple[Machine, Workload], b: tuple[Machine, Workload]) -> tuple[Differing, ...]:
    """Return the values that differ between two machines with their workloads."""
    found: list[Differing] = []
    for noun, mine, other in zip(("machine", "workload"), a, b, strict=True):
        before, after = (dict(_values(one, noun, top=True)) for one in (mine, other))
        found += [
            Differing(key, before.get(key), after.get(key))
            for key in dict.fromkeys((*before, *after))
            if before.get(key) != after.get(key)
        ]
    return tuple(found)


def _values(value: Any, path: str, *, top: bool = False) -> Iterator[tuple[str, str]]:
    """Walk over the values of a section that are set."""
    if isinstance(value, Section):
        for name, shape in fields_of(type(value)).items():
            inner = getattr(value, name)
            if inner is None or (top and name in _NO_VALUES):
                continue
            if isinstance(shape, Leaf):
                yield f"{path}.{name}", shape.show(inner)
            else:
                yield from _values(inner, f"{path}.{name}")
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _values(inner, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _values(inner, f"{path}.{number}")
    elif value is not None:
        yield path, str(value)


_KNOWN = ("source", "machine", "workload", "digest", "seed", "run", "engine", "elapsed_ns")
"""Fields of each side that a record has."""
_NOTHING: Times = (0, 0)
_TIMES = ("wait_a_ns", "wait_b_ns", "service_a_ns", "service_b_ns", "difference_ns")
CSV_COLUMNS = ("account", "column", "kind", "only", *_TIMES)


@dataclass(frozen=True, slots=True)
class Row:
    """One column of two accounts: a resource, a store's write-back, computing, ..."""

    kind: str
    """``column``, ``computing``, ``idle``, ``start``, ``between`` (calls), or ``sum``."""
    column: str
    a: Times
    """Waiting and service in ns."""
    b: Times
    only: str = ""
    """``a`` or ``b`` if the other side has no such column, nor such a resource."""

    @property
    def waits_ns(self) -> int:
        """The difference of the waiting."""
        return self.b[0] - self.a[0]

    @property
    def serves_ns(self) -> int:
        """The difference of the service."""
        return self.b[1] - self.a[1]

    @property
    def difference_ns(self) -> int:
        """The time that B takes longer there."""
        return self.waits_ns + self.serves_ns

    @property
    def times(self) -> tuple[int, int, int, int, int]:
        """Waiting and service on both sides, and the difference."""
        return self.a[0], self.b[0], self.a[1], self.b[1], self.difference_ns

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "column": self.column,
            "kind": self.kind,
            "only": self.only or None,
            **dict(zip(_TIMES, self.times, strict=True)),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """Two accounts side by side; the rows add up to the difference of their times."""

    name: str
    a: Account
    b: Account
    rows: tuple[Row, ...]
    """The largest difference first."""
    only: str = ""

    @property
    def difference_ns(self) -> int:
        """The time that B takes longer."""
        return self.b.time_ns - self.a.time_ns

    @property
    def total(self) -> Row:
        """The sum of the rows."""
        a, b = _sum(one.a for one in self.rows), _sum(one.b for one in self.rows)
        return Row("sum", "sum", a, b)

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "only": self.only or None,
            "processes_a": self.a.processes,
            "processes_b": self.b.processes,
            "time_a_ns": self.a.time_ns,
            "time_b_ns": self.b.time_ns,
            "difference_ns": self.difference_ns,
            "where": [one.to_record() for one in self.rows],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides, and the difference between them."""

    a: Side
    b: Side
    elapsed: Difference
    """Of the process that ends last on each side."""
    jobs: tuple[Difference, ...]
    values: tuple[Differing, ...] | None = None
    """Values of machine and workload that differ; None if they are not known of both sides."""

    @property
    def difference_ns(self) -> int:
        """The time that B takes longer; negative if it is faster."""
        return self.b.elapsed_ns - self.a.elapsed_ns

    def phases(self) -> Iterator[tuple[tuple[str, str], Phase | None, Phase | None]]:
        """Yield job and place of each phase, and what it took on each side that has it."""
        for key in dict.fromkeys((*self.a.phases, *self.b.phases)):
            yield key, self.a.phases.get(key), self.b.phases.get(key)

    @property
    def same_seed(self) -> bool:
        """True if what is drawn at random is drawn alike on both sides."""
        a, b = self.a, self.b
        return (a.seed, a.drawn, a.run) == (b.seed, b.drawn, b.run)

    @property
    def same(self) -> bool:
        """True if everything that is compared is equal, in spite of other names or values."""
        a, b = ((one.stores, one.latencies, one.phases) for one in (self.a, self.b))
        return a == b and not any(
            one.only
            or one.a.processes != one.b.processes
            or any(row.a != row.b for row in one.rows)
            for one in (self.elapsed, *self.jobs)
        )

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs; `nwtsim schema report` says what each key means."""
        values = self.values
        return {
            "a": _side(self.a, self.elapsed.a),
            "b": _side(self.b, self.elapsed.b),
            "same": self.same,
            "same_seed": self.same_seed,
            "difference_ns": self.difference_ns,
            "where": [one.to_record() for one in self.elapsed.rows],
            "jobs": {one.name: one.to_record() for one in self.jobs},
            "phases": [_phase(*one) for one in self.phases()],
            "values": None if values is None else [one.to_record() for one in values],
            "latencies": {
                name: {"a": self.a.latencies.get(name), "b": self.b.latencies.get(name)}
                for name in _union(self.a.latencies, self.b.latencies)
            },
            "stores": {
                name: {"a": _hits(self.a.stores.get(name)), "b": _hits(self.b.stores.get(name))}
                for name in _union(self.a.stores, self.b.stores)
            },
        }

    def to_rows(self) -> Iterator[list[Any]]:
        """Yield the rows of a CSV file, with the sum of each account after its columns.

        The account ``elapsed`` comes first; those of jobs are ``job NAME``.
        """
        named = [("elapsed", self.elapsed), *((f"job {one.name}", one) for one in self.jobs)]
        for name, one in named:
            for row in (*one.rows, one.total):
                yield [name, row.column, row.kind, row.only, *row.times]


def compare(a: Side, b: Side, values: tuple[Differing, ...] | None = None) -> Comparison:
    """Explain the difference between two sides; SideError if one is a store and one is not.

    ``values`` of machine and workload that differ are put in the order of the resources that make
    the difference.
    """
    if a.by_call != b.by_call:
        store = a.source if a.by_call else b.source
        how = command_line("nwtsim", "replay", store, "--on", "MACHINE", "--format", "json")
        raise SideError(
            f"{store}: a store has the times of calls, and a result those of resources; compare"
            f" two stores, or replay it: {how}"
        )
    first, second = _last(a, b)
    elapsed = _difference("elapsed", first.account, second.account, a, b)
    jobs = []
    for name in _union(a.jobs, b.jobs):
        mine, other = a.jobs.get(name), b.jobs.get(name)
        nothing = Account(name, 0, {}, 0)
        only = "" if mine and other else "a" if mine else "b"
        jobs.append(_difference(name, mine or nothing, other or nothing, a, b, only))
    if values is not None:
        places: dict[str, int] = {}
        for place, row in enumerate(elapsed.rows):
            for word in row.column.split("."):
                places.setdefault(word, place)
        last = len(elapsed.rows)
        values = tuple(sorted(values, key=lambda one: places.get(one.resource, last)))
    return Comparison(a, b, elapsed, tuple(jobs), values)


def _last(a: Side, b: Side) -> tuple[Ended, Ended]:
    """Return the process that decides the elapsed time of each side."""
    mine = {one.account.name: one for one in a.last}
    other = {one.account.name: one for one in b.last}
    for side, found in ((a, mine), (b, other)):
        if not found:
            raise SideError(f"{side.source}: no process ran; there is nothing to compare")
    both = sorted(mine.keys() & other.keys(), key=_by_name)
    if both:
        return mine[both[0]], other[both[0]]
    return mine[min(mine, key=_by_name)], other[min(other, key=_by_name)]


def _by_name(name: str) -> tuple[int, str]:
    """Order names so that ``p.2`` comes before ``p.10``."""
    return len(name), name


def _difference(
    name: str, a: Account, b: Account, side_a: Side, side_b: Side, only: str = ""
) -> Difference:
    rows = [
        Row(key[0], key[1], a.columns.get(key, _NOTHING), b.columns.get(key, _NOTHING), one_side)
        for key in _union(a.columns, b.columns)
        for one_side in [_only(key, side_a, side_b)]
    ]
    rows.sort(key=lambda row: (-abs(row.difference_ns), row.kind, row.column))
    made = Difference(name, a, b, tuple(rows), only)
    assert made.total.difference_ns == made.difference_ns, "the accounts were checked to add up"
    return made


def _only(key: Key, a: Side, b: Side) -> str:
    kind, name = key
    if kind != "column" or (name in a.known) == (name in b.known):
        return ""
    return "a" if name in a.known else "b"


def _union(a: Mapping[Any, object], b: Mapping[Any, object]) -> list[Any]:
    """Return the keys of two mappings, sorted."""
    return sorted(a.keys() | b.keys())


def _sum(times: Iterator[Times]) -> Times:
    wait, service = 0, 0
    for one in times:
        wait, service = wait + one[0], service + one[1]
    return wait, service


def _side(side: Side, last: Account) -> dict[str, Any]:
    known = {name: getattr(side, name) for name in _KNOWN}
    return {**known, "process": last.name, **{name: side.rates.get(name) for name in RATES}}


def _phase(key: tuple[str, str], a: Phase | None, b: Phase | None) -> dict[str, Any]:
    job, label = key
    times = {
        f"{time.removesuffix('_ns')}_{name}_ns": None if side is None else getattr(side, time)
        for time in ("elapsed_ns", "time_ns", "mean_ns")
        for name, side in (("a", a), ("b", b))
    }
    return {"job": job, "phase": label, "what": what_of(a, b), **times}


def what_of(a: Phase | None, b: Phase | None) -> str:
    """State what a phase does; in both sides, if it is not the same."""
    return " / ".join(dict.fromkeys(one.what for one in (a, b) if one is not None))


def _hits(counts: Times | None) -> dict[str, Any] | None:
    if counts is None:
        return None
    return {"hits": counts[0], "misses": counts[1], "hit_ratio": hit_ratio(counts)}


def hit_ratio(counts: Times) -> float | None:
    """Return hits among all looks at a block; None without any."""
    looks = sum(counts)
    return round(counts[0] / looks, 9) if looks else None

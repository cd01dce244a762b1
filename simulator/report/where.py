"""Where the time went: the accounts of the clients, part by part, for people.

Parts of one kind (the PEs, the volumes of an array) are one row. Time at a part is waiting in its
queue, or service. The rows of a client add up to its elapsed time, to the nanosecond; those of many
clients to their client time, which is the sum of their elapsed times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.report.scales import figure, figures, scale_of
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.engine.plan import Plan
    from simulator.engine.result import ClientResult, Result

MOST_SEPARATE = 8
"""With more clients than this their accounts are added up."""

_WHAT = {
    "pe*": "PE: statements, copies, calls, flushes and refills",
    "pe*.in": "crossbar port of a PE, inwards",
    "pe*.out": "crossbar port of a PE, outwards",
    "ssu.in": "crossbar port of the SSU, inwards",
    "ssu.out": "crossbar port of the SSU, outwards",
    "ssu.read": "channels of the SSU, to the PEs",
    "ssu.write": "channels of the SSU, from the PEs",
    "ssu.cache": "until another client's fetch has brought a unit",
    "ssu.writeback": "until a unit is on disk",
    "other.processes": "until another process has forked or ended",
    "frontend.paths": "I/O paths between SSU and disks",
    "lan": "LAN of the front end",
    "nfs.server": "NFS server of the front end",
    "cp*.in": "crossbar port of the control processor, inwards",
    "cp*.out": "crossbar port of the control processor, outwards",
}
COMPUTING = "computing"
IDLE = "idle"


@dataclass(slots=True)
class Spent:
    """Time of some clients at parts of one kind."""

    kind: str
    what: str
    wait_ns: int = 0
    service_ns: int = 0
    parts: set[str] = field(default_factory=set)
    by_client: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def total_ns(self) -> int:
        """Waiting and service together."""
        return self.wait_ns + self.service_ns

    @property
    def label(self) -> str:
        """The name of the part, or of the kind if there are several."""
        return next(iter(self.parts)) if len(self.parts) == 1 else self.kind

    def add(self, client: str, part: str, wait_ns: int, service_ns: int) -> None:
        """Add what one client spent at one part."""
        self.wait_ns += wait_ns
        self.service_ns += service_ns
        self.parts.add(part)
        self.by_client[client] += wait_ns + service_ns


class Kinds:
    """Which kind each part of a plan's machine is of."""

    def __init__(self, plan: Plan) -> None:
        self._volumes = {
            f"{group.name}{number}": f"{group.name}*"
            for group in plan.machine.volumes
            for number in range(group.count)
        }

    def kind(self, part: str) -> str:
        """``pe*.in`` for ``pe3.in``, ``array*`` for ``array0``."""
        if part in self._volumes:
            return self._volumes[part]
        head, point, tail = part.partition(".")
        bare = head.rstrip("0123456789")
        return f"{bare}*{point}{tail}" if bare != head else part

    def what(self, kind: str) -> str:
        """Say what parts of a kind are."""
        volumes = f"volumes of {kind[:-1]}" if kind in self._volumes.values() else ""
        return volumes or _WHAT.get(kind, "")

    @property
    def storage(self) -> set[str]:
        """The kinds behind the SSU: I/O paths, disks, arrays, tapes."""
        return {"frontend.paths", *self._volumes.values()}


def masters(result: Result, plan: Plan) -> list[ClientResult]:
    """Return the clients that do I/O themselves, not the PEs they share their data with."""
    names = {job.name for job in plan.jobs}
    return [client for client in result.clients if client.name in names]


def spent_by(clients: Iterable[ClientResult], kinds: Kinds) -> list[Spent]:
    """Add up the accounts of clients by kind of part; the largest first."""
    rows: dict[str, Spent] = {}
    for client in clients:
        account = [(part, *times) for part, times in client.parts.items()]
        account += [(COMPUTING, 0, client.compute_ns), (IDLE, client.idle_ns, 0)]
        for part, wait_ns, service_ns in account:
            kind = kinds.kind(part)
            if wait_ns or service_ns:
                row = rows.setdefault(kind, Spent(kind, kinds.what(kind)))
                row.add(client.name, part, wait_ns, service_ns)
    return sorted(rows.values(), key=lambda row: (-row.total_ns, row.kind))


def where_text(result: Result, plan: Plan) -> str:
    """Write the accounts as tables: one for each client, or for many clients one in all."""
    clients = masters(result, plan)
    kinds = Kinds(plan)
    if len(clients) > MOST_SEPARATE:
        return _table_of_many(clients, kinds)
    tables = [_table_of_one(client, kinds) for client in clients]
    return "\n\n".join(tables)


def _table_of_one(client: ClientResult, kinds: Kinds) -> str:
    elapsed = client.elapsed_ns
    spent = spent_by([client], kinds)
    rows = [[row.label, percent(row.total_ns, elapsed), row.what] for row in spent]
    return _table(client.name, spent, rows, [client], elapsed, "elapsed", [])


def _table_of_many(clients: Sequence[ClientResult], kinds: Kinds) -> str:
    elapsed = {client.name: client.elapsed_ns for client in clients}
    total = sum(elapsed.values())
    spent = spent_by(clients, kinds)
    rows = []
    for row in spent:
        shares = [row.by_client.get(name, 0) / one for name, one in elapsed.items() if one]
        least, most = (f"{100 * bound(shares, default=0):.1f} %" for bound in (min, max))
        rows.append([row.kind, percent(row.total_ns, total), least, most, row.what])
    name = counted(len(clients), "client")
    return _table(name, spent, rows, clients, total, "client time", ["least", "most"])


def _table(
    name: str,
    spent: Sequence[Spent],
    rows: Sequence[list[str]],
    clients: Sequence[ClientResult],
    total_ns: int,
    total_name: str,
    bounds: list[str],
) -> str:
    """Write rows of label, share, bounds and words, with their times in one unit, and their sum."""
    from tabulate import tabulate

    wait_ns = sum(c.idle_ns + sum(wait for wait, _ in c.parts.values()) for c in clients)
    service_ns = sum(client.accounted_ns() for client in clients) - wait_ns
    scale = scale_of("time", [total_ns])
    waits = figures([row.wait_ns or None for row in spent] + [wait_ns or None], scale)
    services = figures([row.service_ns or None for row in spent] + [service_ns or None], scale)
    whole = f"= {figure(total_ns, scale)} {scale.unit} {total_name}"
    last = ["sum", percent(wait_ns + service_ns, total_ns), *("" for _ in bounds), whole]
    lines = [
        [label, wait, service, *rest]
        for (label, *rest), wait, service in zip([*rows, last], waits, services, strict=True)
    ]
    head = [name, f"waiting ({scale.unit})", f"service ({scale.unit})", "share", *bounds, ""]
    align = ["left", *["right"] * (len(head) - 2), "left"]
    as_they_are: dict[str, Any] = {"disable_numparse": True, "preserve_whitespace": True}
    text = tabulate(lines, headers=head, colalign=align, tablefmt="simple", **as_they_are)
    return "\n".join(line.rstrip() for line in text.splitlines())

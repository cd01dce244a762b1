"""The table of oracles: on the native engine, and with fewer samples on the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from . import (
    oracles,
    oracles_messages,
    oracles_room,
    oracles_servers,
    oracles_storage,
)
from .oracle_rows import OracleRow
from .oracle_runs import Bench

Group = Callable[[Bench], Iterator[OracleRow]]

BOTH: tuple[Group, ...] = (
    oracles.single_queues,
    oracles.many_servers,
    oracles.shared_link,
    oracles_room.windows,
    oracles_room.write_behind_room,
    oracles_room.two_buffers,
    oracles_room.threads,
    oracles.closed,
    oracles.bounds,
    oracles.networks,
    oracles.pipeline,
    oracles_storage.disk_queue,
    oracles_storage.caches,
    oracles_storage.mechanics,
    oracles_storage.write_behind,
    oracles_storage.raid_reads,
    oracles_storage.buffered_blocks,
    oracles_storage.raid_burst,
    oracles_storage.io_node_bounds,
)
"""Groups of rows that both engines can compute."""
REFERENCE: tuple[Group, ...] = (
    oracles_messages.polling,
    oracles_messages.shortest_loop,
    oracles_messages.latency,
    oracles_messages.paging,
    oracles_servers.shared_pe,
    oracles_servers.shared_pes,
    oracles_servers.loads,
    oracles_servers.closed_calls,
    oracles_servers.whole_calls,
    oracles_servers.links,
    oracles_servers.trials,
)
"""Groups for services, which the reference engine alone carries out."""
FEWER = 100
"""The reference engine gets a hundredth of the samples that the native one gets."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure from theory, and a row for each engine that computed it."""

    native: OracleRow | None
    reference: OracleRow
    twin: OracleRow | None = None
    """The native engine's from as few samples as the reference engine's."""

    @property
    def best(self) -> OracleRow:
        """The row with the most samples."""
        return self.native or self.reference

    @property
    def same(self) -> bool:
        """Whether both engines have computed the same figure from the same samples."""
        return self.twin is None or self.twin.simulated == self.reference.simulated

    @property
    def ok(self) -> bool:
        """Whether all agree with theory, and both engines with each other."""
        return self.reference.ok and self.best.ok and self.same


def run_table(divisor: int = 1, fewer: int = FEWER) -> list[Figure]:
    """Compute all figures, with the samples divided by ``divisor``."""
    native = _rows(BOTH, Bench("native", divisor))
    reference = _rows(BOTH, Bench("reference", divisor * fewer))
    twins = _rows(BOTH, Bench("native", divisor * fewer))
    services = _rows(REFERENCE, Bench("reference", divisor))
    return [*joined(native, reference, twins), *(Figure(None, row) for row in services)]


def _rows(groups: Iterable[Group], bench: Bench) -> list[OracleRow]:
    return [row for group in groups for row in group(bench)]


def joined(
    native: Iterable[OracleRow], reference: Iterable[OracleRow], twins: Iterable[OracleRow]
) -> list[Figure]:
    """Join the rows of both engines; they are the same figures in the same order."""
    figures = []
    for one, other, twin in zip(native, reference, twins, strict=True):
        assert (one.id, one.name, one.expected) == (other.id, other.name, other.expected)
        assert (one.id, one.name) == (twin.id, twin.name)
        figures.append(Figure(one, other, twin))
    return figures

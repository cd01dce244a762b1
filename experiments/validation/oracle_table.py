"""The table of oracles: on the native engine, and with fewer samples on the reference engine.

    python -m experiments.validation.oracle_table

prints each figure; the page has the worst of each oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from simulator.report.lined import ruled

from . import (
    oracles,
    oracles_messages,
    oracles_room,
    oracles_servers,
    oracles_storage,
)
from .ledger_page import table
from .oracle_rows import BEYOND, EXACT, SIGMAS, OracleRow
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
"""Groups for services, which only the reference engine supports."""
FEWER = 100
"""Divisor of the samples for the reference engine."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure from theory, and a row for each engine."""

    native: OracleRow | None
    reference: OracleRow
    twin: OracleRow | None = None
    """The native engine's row with as few samples as the reference engine's."""

    @property
    def best(self) -> OracleRow:
        """The row with the most samples."""
        return self.native or self.reference

    @property
    def same(self) -> bool:
        """True if both engines have computed the same figure from the same samples."""
        return self.twin is None or self.twin.simulated == self.reference.simulated

    @property
    def ok(self) -> bool:
        """True if all agree with theory, and both engines with each other."""
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
    """Join the rows of both engines, which have the same figures in the same order."""
    figures = []
    for one, other, twin in zip(native, reference, twins, strict=True):
        assert (one.id, one.name, one.expected) == (other.id, other.name, other.expected)
        assert (one.id, one.name) == (twin.id, twin.name)
        figures.append(Figure(one, other, twin))
    return figures


# -- docs/validation/theory.md ---------------------------------------------------------------------

TEXT = """\
Queueing theory and other exact results, against machines and jobs as a user would write them
(`experiments/validation/oracles*.py`), with fixed seeds. Finite room is that of windows, dirty
limits and threads.

The tolerance is {sigmas:g} standard errors of a mean of so many correlated samples, and follows
from theory too (`laws*.py`); M/G/4 and the closed network of PE and link have that of exponential
works, which is wider than it has to be. What theory gives exactly is compared up to the rounding
to nanoseconds. A correct simulator is beyond the tolerance with a chance of {beyond:.1e} for each
of {drawn} comparisons of what is drawn (one for each engine): {alarm} % for all of them together,
with other seeds.

*Detects* is the smallest error of the machine - its services so much too long, its room so much
too large - that the row finds with a chance of 99 %; tests break the machines so, and these rows
fail. The reference engine computes each figure from a {fewer}th of the samples, and the native
engine from the same samples the same number, digit by digit. Services run on the reference engine
alone, with all samples.

The table has of each oracle the figure that is farthest from theory, in tolerances;
`python -m experiments.validation.oracle_table` prints all."""


def theory_section(figures: Sequence[Figure]) -> str:
    """Return the page as Markdown."""
    rows = [one for figure in figures for one in (figure.native, figure.reference) if one]
    drawn = sum(one.detects > EXACT for one in rows)
    alarm = 1 - (1 - BEYOND) ** drawn
    text = TEXT.format(
        sigmas=SIGMAS, beyond=BEYOND, drawn=drawn, alarm=f"{alarm * 100:.1f}", fewer=FEWER
    )
    return f"# Theory\n\n{text}\n\n{_table(figures)}\n"


def _table(figures: Sequence[Figure]) -> str:
    oracles: dict[str, list[Figure]] = {}
    for one in figures:
        oracles.setdefault(one.best.id, []).append(one)
    rows = []
    for id_, some in oracles.items():
        worst = max(some, key=_far)
        rows.append([id_, str(len(some)), *_row(worst)])
        rows += [[id_, "", *_row(one)] for one in some if not one.ok and one is not worst]
    agree = sum(one.ok for one in figures)
    said = f"{agree} of {len(figures)} figures agree with theory, on both engines where both can."
    return f"{said}\n\n{table(rows, ['oracle', 'figures', *_HEAD])}"


_HEAD = ("figure", "theory", "simulated", "detects")


def _row(one: Figure) -> list[str]:
    row = one.best
    verdict = "" if one.ok else ": **disagrees**" if one.same else ": **engines differ**"
    return [f"{row.name}{verdict}", f"{row.expected:.7g}", _simulated(row), detects(row)]


def _far(one: Figure) -> float:
    """Return how far a figure is from theory, in tolerances."""
    far = abs(one.best.simulated - one.best.expected)
    return far / one.best.tolerance if one.best.tolerance else float(far > 0)


def _simulated(row: OracleRow) -> str:
    return f"{row.simulated:.7g} ± {row.tolerance:.2g}" if row.tolerance else f"{row.simulated:.7g}"


def detects(row: OracleRow) -> str:
    """Return the smallest error that a row detects, and its aspect."""
    if not row.detects:
        return row.what
    percent = f"{row.detects * 100:.2g}" if row.detects > EXACT else "< 0.01"
    return f"{percent} % of {row.what}"


def main() -> int:
    """Print all figures; 0 if all agree."""
    figures = run_table()
    print(ruled(("oracle", *_HEAD), [(one.best.id, *_row(one)) for one in figures]))
    return 0 if all(one.ok for one in figures) else 1


if __name__ == "__main__":
    raise SystemExit(main())

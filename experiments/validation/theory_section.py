"""docs/validation/theory.md: the table of oracles."""

from __future__ import annotations

from collections.abc import Sequence

from .ledger_page import table
from .oracle_rows import BEYOND, EXACT, SIGMAS, OracleRow
from .oracle_table import FEWER, Figure

TEXT = """\
Queueing theory and other exact results, against machines and jobs that are written as a user
would write them (`experiments/validation/oracles*.py`), with fixed seeds. Finite room is that of
windows, dirty limits and threads.

The tolerance does not come from the run. It is {sigmas:g} standard errors of a mean of so many
samples, which follow from theory too, with the correlation of the samples: closed forms for
M/G/1, and Poisson's equation for the others: of a Markov chain, or of works that are shared by
time (`laws*.py` in `experiments/validation/`). No law was computed for works of several lengths
at four PEs (M/G/4) and in a closed network (shared PE and link): these rows have the variance
of exponential works. The tests compare it with that of many runs of small programs of their
own, to 10 % or better: it is 3 to 80 times as large, so that the tolerance is wider than it has
to be; for the mean load average no difference is seen.

What theory gives exactly is compared up to the rounding to nanoseconds. A correct simulator is
beyond the tolerance with a chance of {beyond:.1e} for each of the {drawn} figures that are drawn:
{alarm} % for all of them together, with other seeds.

*Detects* is the smallest error of the machine - its services so much too long, its room so much
too large - that the row finds with a chance of 99 %; the tests break the machines by a few per
cent at most, and these rows fail. Both engines compute each figure, the reference engine from a
{fewer}th of the samples, and so with ten times the tolerance; from these samples the native
engine has to compute the same number, digit by digit. Services run on the reference engine
alone, with all samples. The table has each figure from the engine with the most samples."""


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
    rows = []
    for one in figures:
        row = one.best
        verdict = "" if one.ok else ": **disagrees**" if one.same else ": **engines differ**"
        figure = f"{row.name}{verdict}"
        rows.append([row.id, figure, f"{row.expected:.7g}", _simulated(row), detects(row)])
    agree = sum(one.ok for one in figures)
    said = f"{agree} of {len(figures)} figures agree with theory, on both engines where both can."
    return f"{said}\n\n{table(rows, ['oracle', 'figure', 'theory', 'simulated', 'detects'])}"


def _simulated(row: OracleRow) -> str:
    return f"{row.simulated:.7g} ± {row.tolerance:.2g}" if row.tolerance else f"{row.simulated:.7g}"


def detects(row: OracleRow) -> str:
    """Write the smallest error that a row finds, and of what."""
    if not row.detects:
        return row.what
    percent = f"{row.detects * 100:.2g}" if row.detects > EXACT else "< 0.01"
    return f"{percent} % of {row.what}"

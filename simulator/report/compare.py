"""Why B takes longer than A: the difference of two runs for people, as JSON and as CSV."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from simulator.answers.compare import CSV_COLUMNS, hit_ratio
from simulator.csvtext import CsvWriter
from simulator.report.lined import table, wrapped
from simulator.report.quantity import time_cell
from simulator.report.scales import figure, figures, scale_of
from simulator.units import format_rate, format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.answers.compare import Comparison, Difference, Row
    from simulator.answers.sides import Account, Side

MOST_JOBS = 4
"""Tables of the process time of jobs; JSON and CSV have them all."""
MOST_VALUES = 25
MOST_WIDTH = 44
"""Characters of a value in a table."""
_NOTES = {
    "start": "from time 0 until the process starts",
    "between": "computing, or anything else that is not a call",
    "idle": "nothing to do",
}


def compare_json(found: Comparison) -> str:
    """Write a comparison for programs."""
    return json.dumps(found.to_record(), indent=2, ensure_ascii=False) + "\n"


def compare_csv(found: Comparison) -> str:
    """Write a row for each column of each account that is compared."""
    text = io.StringIO()
    writer = CsvWriter(text)
    writer.writerow(CSV_COLUMNS)
    writer.writerows(found.to_rows())
    return text.getvalue()


def compare_text(found: Comparison) -> str:
    """Write a comparison for people: the answer first."""
    blocks = [
        _header(found),
        answer(found),
        "" if found.same else _where(found),
        *([] if found.same else _jobs(found)),
        _values(found),
        "" if found.same else _headed("Latencies of calls", _latencies(found)),
        "" if found.same else _headed("Hit rates of stores", _stores(found)),
        "\n".join(map(wrapped, notes(found))),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def answer(found: Comparison) -> str:
    """Say how much longer B takes, and which columns of the account make most of that."""
    a, b = found.a, found.b
    change = f"elapsed {format_time(a.elapsed_ns)} -> {format_time(b.elapsed_ns)}"
    lines = [f"{change}: {_more(found.difference_ns, a.elapsed_ns)}"]
    pasts = {"read_MBps": "read", "write_MBps": "wrote", "stable_MBps": "to stable storage"}
    for work, past in pasts.items():
        rates = [one.rates.get(work, 0.0) for one in (a, b)]
        if any(rates):
            before, after = (format_rate(rate * 1e6).split(" (")[0] for rate in rates)
            lines.append(f"{past} at {before} -> {after}")
    if found.same:
        lines.append("no difference: both sides agree in every column of every account")
        return "\n".join(lines)
    first = [one for one in found.elapsed.rows if one.difference_ns][:2]
    if first:
        told = " and ".join(f"{signed(one.difference_ns)} in {one.column}" for one in first)
        lines.append(f"largest changes: {told}" if len(first) > 1 else f"only change: {told}")
    return "\n".join(lines)


def _header(found: Comparison) -> str:
    return "\n".join(f"{name}: {side_text(one)}" for name, one in (("A", found.a), ("B", found.b)))


def side_text(side: Side) -> str:
    """Name a side: what ran where, and what made it."""
    names = f"{side.workload} on {side.machine}" if side.machine else side.workload
    seed = "no seed" if side.seed is None else f"seed {side.seed}"
    about = "" if side.by_call else f"; {seed}; input {side.digest[:12]}"
    return f"{names}{about}\n   {side.source}".rstrip()


def _more(difference_ns: int, whole_ns: int) -> str:
    if not difference_ns:
        return "no difference"
    size = abs(difference_ns)
    word = "longer" if difference_ns > 0 else "shorter"
    share = f" ({percent(size, whole_ns)} of A)" if whole_ns else ""
    return f"B is {format_time(size)} {word}{share}"


def signed(time_ns: int) -> str:
    """Write a difference with its sign."""
    return f"{'+' if time_ns > 0 else ''}{format_time(time_ns)}"


# -- accounts ----------------------------------------------------------------------------------


def _where(found: Comparison) -> str:
    """Write the accounts of the processes that decide the elapsed times."""
    one = found.elapsed
    if one.a.name == one.b.name:
        who = f"{one.a.name}, which ends last on both sides"
    else:
        who = f"the process that ends last: {one.a.name} in A, {one.b.name} in B"
    head = f"Where the difference of the elapsed time is ({who})"
    return f"{head}\n\n{_account(one)}"


def _jobs(found: Comparison) -> list[str]:
    """Write the process time of jobs with several processes, or on one side only."""
    wanted = [
        one
        for one in found.jobs
        if one.only or one.a.processes > 1 or one.b.processes > 1 or len(found.jobs) > 1
    ]
    blocks = [
        f"{one.name}: process time of {processes_of(one)}\n\n{_account(one)}"
        for one in wanted[:MOST_JOBS]
    ]
    more = len(wanted) - MOST_JOBS
    return [*blocks, f"({counted(more, 'more job')})"] if more > 0 else blocks


def processes_of(one: Difference) -> str:
    """Say how many processes a job has on each side."""
    if one.only:
        side: Account = one.a if one.only == "a" else one.b
        return f"{counted(side.processes, 'process')}, only in {one.only.upper()}"
    if one.a.processes == one.b.processes:
        return f"{counted(one.a.processes, 'process')}, added up"
    return f"{one.a.processes:,} in A and {counted(one.b.processes, 'process')} in B, added up"


def _account(one: Difference) -> str:
    """Write two accounts side by side, with all times in one unit, and their sums."""
    rows = [*one.rows, one.total]
    scale = scale_of("time", [one.a.time_ns, one.b.time_ns])
    numbers: list[Callable[[Row], int]] = [
        lambda row: row.a[0],
        lambda row: row.b[0],
        lambda row: row.a[1],
        lambda row: row.b[1],
    ]
    cells = [figures([get(row) or None for row in rows], scale) for get in numbers]
    changes = [
        f"{'+' if row.difference_ns > 0 else ''}{figure(row.difference_ns, scale)}" for row in rows
    ]
    lines = [
        [row.column, *(column[place] for column in cells), changes[place], about(row)]
        for place, row in enumerate(rows)
    ]
    unit = scale.unit
    head = [f"({unit})", "waits in A", "in B", "served in A", "in B", "difference", ""]
    return table(head, lines, "lrrrrrl")


def about(row: Row) -> str:
    """Say what a column is, where its name does not."""
    if row.only:
        return f"only in {row.only.upper()}"
    return _NOTES.get(row.kind, "")


# -- values, latencies, stores -----------------------------------------------------------------


def _values(found: Comparison) -> str:
    if found.values is None:
        if not found.a.digest or not found.b.digest:
            return ""
        if found.a.digest == found.b.digest:
            return "Values of machine and workload: all the same."
        return wrapped(
            "Values of machine or workload differ. A result keeps their digest only: name the"
            " machine and the workload of each side to see which."
        )
    if not found.values:
        return "Values of machine and workload: all the same."
    rows = [[one.key, _short(one.a), _short(one.b)] for one in found.values[:MOST_VALUES]]
    more = len(found.values) - MOST_VALUES
    text = table(["value", "A", "B"], rows, "lll")
    if more > 0:
        text += f"\n({counted(more, 'more value')}; --format json lists all)"
    return _headed("Values that differ", text)


def _short(text: str | None) -> str:
    if text is None:
        return "-"
    return text if len(text) <= MOST_WIDTH else f"{text[: MOST_WIDTH - 3]}..."


def _latencies(found: Comparison) -> str:
    a, b = found.a.latencies, found.b.latencies
    rows = []
    for name in sorted(a.keys() | b.keys()):
        one, other = a.get(name, {}), b.get(name, {})
        if not (one.get("max_ns") or other.get("max_ns")):
            continue
        cells = [name, *(f"{side['count']:,}" if side else "-" for side in (one, other))]
        for key in ("mean_ns", "p95_ns", "max_ns"):
            cells += [time_cell(side.get(key)) for side in (one, other)]
        rows.append(cells)
    if not rows:
        return ""
    head = ["operation", "calls in A", "in B", "mean in A", "in B", "p95 in A", "in B"]
    return table([*head, "max in A", "in B"], rows, "lrrrrrrrr")


def _stores(found: Comparison) -> str:
    a, b = found.a.stores, found.b.stores
    rows = []
    for name in sorted(a.keys() | b.keys()):
        ratios = [None if one is None else hit_ratio(one) for one in (a.get(name), b.get(name))]
        if ratios != [None, None]:
            rows.append([name, *("-" if one is None else percent(one, 1) for one in ratios)])
    return table(["store", "A", "B"], rows, "lrr") if rows else ""


def notes(found: Comparison) -> list[str]:
    """Return what a reader should know before quoting the numbers."""
    a, b, notes = found.a, found.b, []
    if not found.same_seed:
        notes.append(
            f"The seeds differ ({_seed(a)} in A, {_seed(b)} in B): a part of the difference may"
            " be chance."
        )
    if not found.same:
        notes.append(
            "All differences are B - A, and each account adds up exactly. It says where the time"
            " went, not what would help: for that see 'What limits' of each run."
        )
    return notes


def _seed(side: Side) -> str:
    seed = f"seed {side.drawn}" if side.seed is None else f"noise with seed {side.seed}"
    return f"{seed}, run {side.run}" if side.run else seed


def _headed(head: str, text: str) -> str:
    return f"{head}\n\n{text}" if text else ""

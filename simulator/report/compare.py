"""The page of a comparison: the difference of two runs, by the columns of their accounts."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from simulator.answers.compare import CSV_COLUMNS, hit_ratio, what_of
from simulator.report.page import (
    Block,
    Browser,
    Column,
    Drawn,
    Kind,
    Lines,
    Markup,
    Page,
    Section,
    Table,
)
from simulator.report.scales import scale_of
from simulator.units import format_rate, format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.answers.compare import Comparison, Difference, Row
    from simulator.answers.sides import Account, Side

VALUES = "Values that differ"
MOST_STEPS = 12
"""Columns with a bar of their own; the smaller ones are added up."""
_ELAPSED, _LONGER, _SHORTER = 0, 5, 2
"""Places in the palette."""
MOST_JOBS = 4
"""Tables of the process time of jobs; JSON and CSV have them all."""
MOST_PHASES = 20
PHASES = "Phases: time of a process, on the average"
MOST_VALUES = 25
MOST_WIDTH = 44
"""Characters of a value in a table."""
_NOTES = {
    "start": "from time 0 until the process starts",
    "between": "computing, or anything else that is not a call",
    "idle": "nothing to do",
}


def compare_page(
    found: Comparison, warned: Sequence[str] = (), command: Sequence[str] = ()
) -> Page:
    """Return a comparison as a page; ``command`` makes it again, and has ``warned``."""
    sides = {name: side_text(one) for name, one in (("A", found.a), ("B", found.b))}
    lines = [f"{name}: {text}" for name, text in sides.items()]
    a, b = (f"{name_of(one)}: {format_time(one.elapsed_ns)}" for one in (found.a, found.b))
    digests = {f"digest of {name}": one.digest for name, one in (("A", found.a), ("B", found.b))}
    return Page(
        "\n".join(lines),
        [],
        answer(found).splitlines(),
        [
            *([] if found.same else _where(found)),
            Section("", [values_told(found)], heading=VALUES),
            Section(VALUES, [values_table(found)]),
            *(Section(one.title, [one]) for one in _beside(found)),
            Section("", [Lines(notes(found))]),
        ],
        found.to_record,
        lambda: [CSV_COLUMNS, *found.to_rows()],
        lambda: Browser(
            f"{a} \N{RIGHTWARDS ARROW} {b}",
            [line for one in lines for line in one.splitlines()],
            command=command,
            made={"A": found.a.source, "B": found.b.source}
            | {name: text for name, text in digests.items() if text},
            warned=warned,
        ),
    )


def _where(found: Comparison) -> list[Section]:
    """Return where the difference is: in the process that ends last, in jobs, in phases."""
    one = found.elapsed
    blocks: list[Block] = [Drawn(lambda: [_waterfall(one)]), account_table(one, 0)]
    jobs = [
        one
        for one in found.jobs
        if one.only or one.a.processes > 1 or one.b.processes > 1 or len(found.jobs) > 1
    ]
    more = len(jobs) - MOST_JOBS
    rest = f"({counted(more, 'more job')})" if more > 0 else ""
    each = (
        Section(f"{one.name}: process time of {processes_of(one)}", [account_table(one, number)])
        for number, one in enumerate(jobs[:MOST_JOBS], 1)
    )
    return [
        Section(where_title(one), blocks, leads=True),
        *each,
        Section("", [rest], heading="Other jobs"),
        Section(PHASES, [phases_table(found)]),
    ]


def _beside(found: Comparison) -> list[Table]:
    """Return what else differs: latencies and hit rates."""
    return [] if found.same else [latencies_table(found), stores_table(found)]


def _waterfall(one: Difference) -> Markup:
    """Draw how the time of A becomes that of B: a bar for each column that changes."""
    from simulator.report.html.page import bars
    from simulator.report.html.svg import Piece

    changes = [(row.column, row.difference_ns) for row in one.rows if row.difference_ns]
    if len(changes) > MOST_STEPS:
        rest = changes[MOST_STEPS - 1 :]
        many = counted(len(rest), "more column")
        changes = [*changes[: MOST_STEPS - 1], (many, sum(time for _, time in rest))]
    levels = [*accumulate((time for _, time in changes), initial=one.a.time_ns)]
    whole = max(*levels, one.b.time_ns, 1)
    ends = [
        (name, format_time(side.time_ns), [Piece(side.time_ns / whole, _ELAPSED)])
        for name, side in (("A", one.a), ("B", one.b))
    ]
    steps = []
    for (name, change), level in zip(changes, levels, strict=False):
        start = min(level, level + change) / whole
        colour = _LONGER if change > 0 else _SHORTER
        piece = Piece(abs(change) / whole, colour, hatched=change < 0, start=start)
        steps.append((name, signed(change), [piece]))
    who = one.a.name if one.a.name == one.b.name else f"{one.a.name} in A, {one.b.name} in B"
    caption = (
        f"The columns of the process that ends last ({who}) add up to the difference of the"
        " elapsed times, exactly. A solid bar is longer in B, a hatched one shorter."
    )
    return bars([ends[0], *steps, ends[1]], "From A to B: ", caption)


def answer(found: Comparison) -> str:
    """State how much longer B takes, and which columns of the account make most of that."""
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


def name_of(side: Side) -> str:
    """Return what ran where."""
    return f"{side.workload} on {side.machine}" if side.machine else side.workload


def side_text(side: Side) -> str:
    """Name a side: what ran where, and what made it."""
    seed = "no seed" if side.seed is None else f"seed {side.seed}"
    about = "" if side.by_call else f"; {seed}; input {side.digest[:12]}"
    return f"{name_of(side)}{about}\n   {side.source}".rstrip()


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


def where_title(one: Difference) -> str:
    """Name the processes that decide the elapsed times."""
    if one.a.name == one.b.name:
        who = f"{one.a.name}, which ends last on both sides"
    else:
        who = f"the process that ends last: {one.a.name} in A, {one.b.name} in B"
    return f"Where the difference of the elapsed time is ({who})"


def processes_of(one: Difference) -> str:
    """State how many processes a job has on each side."""
    if one.only:
        side: Account = one.a if one.only == "a" else one.b
        return f"{counted(side.processes, 'process')}, only in {one.only.upper()}"
    if one.a.processes == one.b.processes:
        return f"{counted(one.a.processes, 'process')}, added up"
    return f"{one.a.processes:,} in A and {counted(one.b.processes, 'process')} in B, added up"


def account_table(one: Difference, number: int) -> Table:
    """Return two accounts side by side, with all times in one unit, and their sums."""
    unit = scale_of("time", [one.a.time_ns, one.b.time_ns])
    times = (
        ("wait_a_ns", "waits in A"),
        ("wait_b_ns", "in B"),
        ("service_a_ns", "served in A"),
        ("service_b_ns", "in B"),
    )
    title = f"Process time of {one.name}: {processes_of(one)}" if number else "Elapsed time"
    return Table(
        f"account-{number}",
        f"{title}, by column",
        [
            Column("column", f"({unit.unit})"),
            *(Column(key, label, "time", unit, blank=True) for key, label in times),
            Column("difference_ns", "difference", "change", unit),
            Column("about", ""),
        ],
        [_row(row) for row in one.rows],
        foot=_row(one.total),
        noun="column",
        whole=True,
    )


def phases_table(found: Comparison) -> Table:
    """Return a row for each phase of each job that has several on a side."""
    many = Counter(job for (job, _), _, _ in found.phases())
    rows: list[list[Any]] = []
    for (job, label), a, b in found.phases():
        if many[job] > 1:
            times = [None if one is None else one.mean_ns for one in (a, b)]
            change = None if None in times else times[1] - times[0]  # type: ignore[operator]
            rows.append([label, job, what_of(a, b), *times, change])
    unit = scale_of("time", [time for row in rows for time in row[3:5]])
    columns = [
        Column("phase", f"({unit.unit})"),
        Column("job", "of"),
        Column("what", "does"),
        Column("mean_a_ns", "in A", "time", unit),
        Column("mean_b_ns", "in B", "time", unit),
        Column("difference_ns", "difference", "change", unit),
    ]
    return Table("phases", "Phases", columns, rows, noun="phase", brief=MOST_PHASES, whole=True)


def _row(row: Row) -> list[Any]:
    (wait_a, service_a), (wait_b, service_b) = row.a, row.b
    return [row.column, wait_a, wait_b, service_a, service_b, row.difference_ns, about(row)]


def about(row: Row) -> str:
    """State what a column is, where its name does not."""
    if row.only:
        return f"only in {row.only.upper()}"
    return _NOTES.get(row.kind, "")


# -- values, latencies, stores -----------------------------------------------------------------


def values_told(found: Comparison) -> str:
    """State that no value differs, or that it is not known which do; nothing if some are known."""
    if found.values or not found.a.digest or not found.b.digest:
        return ""
    if found.values is not None or found.a.digest == found.b.digest:
        return "Values of machine and workload: all the same."
    return (
        "Values of machine or workload differ. A result keeps their digest only: name the"
        " machine and the workload of each side to see which."
    )


def values_table(found: Comparison) -> Table:
    """Return a row for each value that differs."""
    rows = [[one.key, *map(_short, (one.a, one.b))] for one in found.values or ()]
    head = [Column("value", "value"), Column("a", "A"), Column("b", "B")]
    return Table("values", VALUES, head, rows, noun="value", brief=MOST_VALUES, whole=True)


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= MOST_WIDTH:
        return text
    return f"{text[: MOST_WIDTH - 3]}..."


def latencies_table(found: Comparison) -> Table:
    """Return a row for each operation; on a terminal those that took time."""
    a, b = found.a.latencies, found.b.latencies
    sides = {name: (a.get(name, {}), b.get(name, {})) for name in sorted(a.keys() | b.keys())}
    timed = {name: any(side.get("max_ns") for side in pair) for name, pair in sides.items()}
    keys = {"count": "calls", "mean_ns": "mean", "p95_ns": "p95", "max_ns": "max"}
    return Table(
        "latencies",
        "Latencies of calls",
        [Column("operation", "operation"), *_sides(keys)],
        [
            [name, *(side.get(key) for key in keys for side in sides[name])]
            for name in sorted(sides, key=lambda name: not timed[name])
        ],
        noun="",
        brief=sum(timed.values()),
        whole=True,
    )


def _sides(keys: dict[str, str]) -> Iterator[Column]:
    """Yield the columns of both sides, of a count or of times."""
    for key, label in keys.items():
        kind: Kind = "count" if key == "count" else "time"
        yield Column(f"{key}_a", f"{label} in A", kind)
        yield Column(f"{key}_b", "in B", kind)


def stores_table(found: Comparison) -> Table:
    """Return the hit rates of each store."""
    a, b = found.a.stores, found.b.stores
    rows = []
    for name in sorted(a.keys() | b.keys()):
        ratios = [None if one is None else hit_ratio(one) for one in (a.get(name), b.get(name))]
        if ratios != [None, None]:
            rows.append([name, *ratios])
    head = [Column("store", "store"), Column("a", "A", "share"), Column("b", "B", "share")]
    return Table("stores", "Hit rates of stores", head, rows, noun="store", whole=True)


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

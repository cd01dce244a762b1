"""The functions of the API: load, run, sweep, replay."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from nwtsim.again import ReplayAgain, run_again
from nwtsim.arguments import (
    ExecutorName,
    check_jobs,
    check_seed,
    check_vary,
    executor_of,
    python_words,
    replications_of,
    shard_of,
)
from nwtsim.files import Machine, Workload, given
from nwtsim.result import Result
from nwtsim.settings import (
    Settings,
    Value,
    Values,
    listener,
    pairs_of,
    text_of,
    warn_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nwtsim.compared import Comparison
    from nwtsim.replayed import Replay
    from nwtsim.swept import Sweep
    from simulator.plan.services import MeshPlan
    from simulator.workload.follower import Follower

Engine = Literal["auto", "native", "reference"]


def load_machine(
    source: str | Path, settings: Settings | None = None, **keywords: Value
) -> Machine:
    """Read a machine from a file, the name of a shipped one, or its YAML text.

    Settings have short names or paths: ``load_machine("nfs-lab", clients=4)``. ConfigError lists
    all faults, with their lines.
    """
    return Machine(source, settings, **keywords)


def load_workload(
    source: str | Path, settings: Settings | None = None, **keywords: Value
) -> Workload:
    """Read a workload from a file, the name of a shipped one, or its YAML text."""
    return Workload(source, settings, **keywords)


def run(
    machine: str | Path | Machine,
    workload: str | Path | Workload,
    settings: Settings | None = None,
    *,
    seed: int | None = None,
    engine: Engine = "auto",
    timeline: bool = False,
    curves: bool = False,
    debug: bool = False,
    fast_forward: bool = True,
    follow: Callable[[MeshPlan], Follower] | None = None,
    replications: int | str | None = None,
    confidence: float | str | None = None,
    precision: float | str | None = None,
    jobs: int | None = None,
    **keywords: Value,
) -> Result:
    """Run a workload on a machine.

    Both are files, names of shipped ones, YAML texts, or loaded objects. Settings are keywords
    (``buffer="8 MB"``), a dict or pairs of short names or paths (``{"disk.rate": "40 MB/s"}``).
    Without a ``seed`` service times do not vary. ``timeline`` keeps every service, ``curves`` the
    contents of stores over time (:attr:`Result.curves`); ``debug`` checks that every byte and
    nanosecond is accounted for; ``fast_forward=False`` also simulates exactly repeating periods
    event by event, with the same result. ``follow`` creates for each mesh of the
    workload an observer of its processes while they compute and exchange edges
    (:class:`simulator.workload.follower.Follower`, or ``DividedMesh``, which really computes it);
    :attr:`Result.followers` has them afterwards.

    ``replications``: the number of runs, or ``"auto"``: until the intervals of the elapsed time and
    of the rates are within ``precision`` (0.02 or ``"2 %"``), with a ``confidence`` of 0.95 or
    ``"95 %"``, in ``jobs`` processes at most. Their seeds follow from ``seed`` (1 if left out), and
    the result is that of the first; :attr:`Result.replicated` has the figures of all runs.

    Raises ConfigError (the files, or a setting), InputError (an engine that refuses it),
    SimulationError (processes blocked at the end), or TypeError and ValueError for invalid
    arguments, such as a seed of 1.5 or -1. Warns as ``nwtsim run`` does: before the run of a long
    time or much memory (CostWarning); of suspicious input, such as settings without effect
    (SettingWarning).

    >>> import nwtsim
    >>> slow = nwtsim.run("workstation", "copy-file")
    >>> slow.to_dict()["engine"] in ("native", "reference")
    True
    """
    from simulator.report.outcome import outcome_of
    from simulator.run import prepare_run
    from simulator.study.replications import DEFAULT_SEED

    check_seed(seed)
    check_jobs(jobs)
    wanted = replications_of(replications, confidence, precision)
    if wanted is not None and seed is None:
        seed = DEFAULT_SEED
    read, work, fixed = given(machine, workload)
    fixed += pairs_of(settings, keywords)
    with python_words():
        asked = prepare_run(read, work, fixed, seed=seed, engine=engine, hears=listener())
        followers = [follow(mesh) for mesh in asked.plan.services.meshes] if follow else []
        result = asked.result(
            timeline=timeline,
            samples=asked.samples if curves else 0,
            debug=debug,
            fast_forward=fast_forward,
            followers=dict(enumerate(followers)),
        )
        outcome = outcome_of(asked.inputs, asked.plan, result)
        if wanted is not None:
            from simulator.study.repetition import repeat_of

            repeated = repeat_of(asked, wanted, jobs=jobs, progress=False)
            if repeated.interrupted:
                raise KeyboardInterrupt
            outcome = dataclasses.replace(outcome, repeated=repeated)

    return Result(outcome, followers, run_again(asked))


def sweep(
    machine: str | Path | Machine,
    workload: str | Path | Workload,
    vary: Mapping[str, Values],
    settings: Settings | None = None,
    *,
    seed: int | None = None,
    engine: Engine = "auto",
    jobs: int | None = None,
    out: str | Path | None = None,
    shard: tuple[int, int] | None = None,
    executor: ExecutorName | None = None,
    scheduler: str | None = None,
    progress: bool | None = False,
    limits: bool = False,
    phases: Sequence[str] = (),
    replications: int | str | None = None,
    confidence: float | str | None = None,
    precision: float | str | None = None,
    **keywords: Value,
) -> Sweep:
    """Run a workload on a machine once for each combination of the varied values.

    ``vary`` maps short names or paths to values: a list or an array of one dimension, ``["1 MB", "8
    MB"]``; numbers with their unit, ``(np.linspace(50, 200, 4), "MB/s")``; or a text, ``"1..16
    x2"``. ``seed`` can vary too. ``jobs``: processes at one time, at most; all processors if left
    out. ``out``: a folder that stores the points, from which an interrupted sweep resumes.
    ``shard``: only part K of N, ``(1, 8)``, as one job of a job array; the command ``nwtsim sweep
    --merge`` joins the folders of all. ``executor``: ``"processes"`` or ``"dask"``, with the
    address of the ``scheduler`` of a running cluster (docs/scale.md). ``progress``
    shows a bar on standard error (None: if that is a terminal). ``limits``: also the limit of each
    point (columns ``limit``, ``limit_kind``, ``limit_saves_s``, ``limit_saves_percent``), by some
    thirty more runs of it. ``phases``: names of phases, ``["copy.0"]``, whose times are columns too
    (``copy.0_s``: of a process, on the average). ``replications`` as for :func:`run`: figures are
    then means, and the ends of their intervals are columns (``elapsed_low_s``, ``elapsed_high_s``,
    ...). Warns (SettingWarning) of settings that no point used, varied or not.
    """
    from nwtsim.swept import run_sweep

    check_seed(seed)
    check_jobs(jobs)
    check_vary(vary)
    part = shard_of(shard)
    wanted = replications_of(replications, confidence, precision)
    read, work, fixed = given(machine, workload)
    fixed += pairs_of(settings, keywords)
    with python_words(), executor_of(executor, scheduler, jobs) as runs:
        swept = run_sweep(
            read,
            work,
            vary,
            fixed,
            seed=seed,
            engine=engine,
            executor=runs,
            out=out,
            limits=limits,
            phases=phases,
            replications=wanted,
            shard=part,
            progress=progress,
        )
    for doubt in swept.doubts:
        warn_of(doubt)
    return swept


def compare(a: str | Path | Result, b: str | Path | Result) -> Comparison:
    """Explain the difference of two results, B - A, by account category.

    Each is a result of :func:`run` or :func:`replay`, a file written by ``--format json``, or a
    store of calls (``.parquet``). InputError for a file that is not a result, or is inconsistent.

    >>> import nwtsim
    >>> slow = nwtsim.run("workstation", "copy-file")
    >>> fast = nwtsim.run("workstation", "copy-file", {"disk.rate": "250 MB/s"})
    >>> nwtsim.compare(slow, fast).values()
    {'machine.parts.disk.rate': ('125 MB/s', '250 MB/s')}
    """
    from nwtsim.compared import compare_sides

    with python_words():
        return compare_sides(a, b)


def replay(
    trace: str | Path | Sequence[str | Path],
    machine: str | Path | Machine,
    settings: Settings | None = None,
    *,
    filesystem: str | None = None,
    path: str | None = None,
    prestage: bool | None = None,
    think: float | None = None,
    buffer: str | None = None,
    seed: int | None = None,
    engine: Engine = "auto",
    debug: bool = False,
    **keywords: Value,
) -> Replay:
    """Replay a trace on a machine: logs of strace or truss, a Darshan log, or a store.

    ``filesystem`` and ``path`` locate the files (by default as a simulated run left them, or the
    machine's first), ``prestage`` loads files that existed before into the stores (None: into the
    page cache, if a recorded log found them there). ``think`` multiplies the time between calls
    (None: the overhead of strace is subtracted, if ``nwtsim trace record`` has measured it);
    ``buffer`` gathers the calls on each file, like ``"8 MB"``. Settings are those of the machine,
    as for :func:`run`. MissingExtraError without pyarrow.
    """
    from nwtsim.replayed import Replay, wanted_of
    from simulator.config.formats import MACHINE
    from simulator.config.load import read_file
    from simulator.replay.replay import replay as replay_all
    from simulator.report.outcome import Outcome, shown_name
    from simulator.report.sources import sources_of
    from simulator.units import parse_size

    check_seed(seed)
    read = machine if isinstance(machine, Machine) else Machine(machine)
    if settings or keywords:
        read = read.replace(settings, **keywords)
    placed = filesystem, path, prestage
    wanted = wanted_of(placed, think=think, seed=seed, engine=engine)
    room = int(parse_size(text_of(buffer))) if buffer else 0
    wanted = dataclasses.replace(wanted, buffer=room, debug=debug)
    logs = [trace] if isinstance(trace, str | Path) else list(trace)
    with python_words():
        done = replay_all([Path(one) for one in logs], read.section, wanted, progress=False)
    title, shown = read.section.title, shown_name(read.section)
    outcome = Outcome(done.plan, done.result, title, sources_of(read.section), shown)
    text = read_file(MACHINE, read.source)
    return Replay(outcome, done, ReplayAgain(text, read.settings, done.placed.plan, engine))


class Call(NamedTuple):
    """A call of the operating system."""

    name: str
    """``lseek``, ``read`` or ``write``."""
    offset: int
    """Its offset, or the destination of a seek, in bytes of the file."""
    size: int
    """Bytes that it moves; 0 for a seek."""


def fortran_calls(
    policy: str,
    records: Sequence[int] | int,
    count: int | None = None,
    *,
    buffer: str | int | None = None,
    write: bool = True,
) -> list[Call]:
    """Return the calls that write (or read) records of these lengths, in bytes.

    ``policy`` is a runtime: ``nwt``, ``nwt-predicted``, ``gfortran``, ``flang``, ``posix``, or a
    library of your own. ``records``: a length, or several that repeat, ``count`` in all (by default
    each once). ``buffer``: bytes, or a text such as ``"600 kB"``; by default that of the runtime.
    ValueError for an unknown runtime or impossible lengths.

    >>> import nwtsim
    >>> [call.name for call in nwtsim.fortran_calls("gfortran", 400_000, 1)]
    ['write', 'write', 'lseek', 'write', 'lseek', 'write']
    """
    from simulator.runtime.fortran import record_stream
    from simulator.runtime.lengths import ListedLengths
    from simulator.runtime.operations import READ, SEEK, WRITE
    from simulator.units import parse_size

    names = {SEEK: "lseek", READ: "read", WRITE: "write"}
    lengths = (records,) if isinstance(records, int) else tuple(records)
    room = int(parse_size(buffer)) if isinstance(buffer, str) else buffer
    listed = ListedLengths(lengths, count)
    stream = record_stream(policy, write=write, buffer=room, lengths=listed)
    made = []
    while stream.step():
        made.append(Call(names[stream.op], stream.offset, stream.size))
    return made

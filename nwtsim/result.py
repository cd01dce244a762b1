"""The result of a run as a Python object: a short summary, and details on demand."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from nwtsim.again import RunAgain
from nwtsim.arguments import python_words
from nwtsim.curves import Sampled
from nwtsim.records import dataframe_of, in_seconds, rows_of
from nwtsim.rows import Named
from simulator.errors import UnknownNameError, did_you_mean, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from nwtsim.again import ReplayAgain
    from nwtsim.limits import Limits
    from simulator.config.machine_file import Machine as MachineFile
    from simulator.config.workload_file import Workload as WorkloadFile
    from simulator.report.outcome import Outcome
    from simulator.result.numerical import NumericalResult
    from simulator.result.services import MeshResult
    from simulator.study.replications import Replicated
    from simulator.workload.follower import Follower

MOST_JOBS = 8
"""Maximum jobs shown in a notebook."""
Table = Literal[
    "jobs", "processes", "phases", "where", "parts", "stores", "latencies", "job_latencies"
]
TABLES: tuple[Table, ...] = get_args(Table)
"""Tables of :meth:`Result.to_dataframe`."""


class Result(Sampled):
    """The outcome of one run.

    Times are seconds (``_s``), rates 10^6 bytes per second (``_MBps``). ``print(result)`` writes
    the whole report; :meth:`to_dict` has every number, with times in whole nanoseconds.
    """

    def __init__(
        self,
        outcome: Outcome,
        followers: Sequence[Follower] = (),
        again: RunAgain | ReplayAgain | None = None,
    ) -> None:
        """``again``: data to repeat the run with other settings."""
        self._outcome = outcome
        self._again = again
        self.followers = tuple(followers)
        """Observers of the meshes of the run, in their order."""

    # -- the answer -------------------------------------------------------------------------

    @property
    def machine(self) -> str:
        """The name of the machine."""
        return self._outcome.result.machine

    @property
    def workload(self) -> str:
        """The name of the workload."""
        return self._outcome.result.workload

    @property
    def engine(self) -> str:
        """The engine that ran: ``native`` or ``reference``; both give the same numbers."""
        return self._outcome.result.engine

    @property
    def elapsed_s(self) -> float:
        """Seconds until the last process ended."""
        return self._outcome.result.elapsed_ns / 1e9

    @property
    def end_s(self) -> float:
        """Seconds until the last event; write-back continues after the processes."""
        return self._outcome.result.end_ns / 1e9

    @property
    def read_MBps(self) -> float:
        """10^6 bytes per second that all processes read together; 0 without reads.

        From the first operation on what they read to the last.
        """
        from simulator.result.jobs import moved

        return moved(self._outcome.result, "read").rate / 1e6

    @property
    def write_MBps(self) -> float:
        """10^6 bytes per second that all processes wrote together; 0 without writes.

        As programs see it: to the last sync or close. See :attr:`stable_MBps`.
        """
        from simulator.result.jobs import moved

        return moved(self._outcome.result, "write").rate / 1e6

    @property
    def stable_MBps(self) -> float:
        """10^6 bytes per second that reached stable storage; 0 without any.

        From the first operation on written data until the last of them is stable, write-back after
        the processes included.
        """
        from simulator.result.jobs import reached_by

        came = reached_by(self._outcome.result)
        return 0.0 if came is None else came.rate / 1e6

    @property
    def busiest(self) -> str:
        """Instance of a resource with the highest utilisation; empty if none was used."""
        from simulator.result.instances import busiest_instance

        return busiest_instance(self._outcome.result)

    @property
    def replicated(self) -> dict[str, Replicated]:
        """Figures of all replications by name, such as ``elapsed_s``.

        Each has ``mean``, ``interval``, ``median``, ``values`` and ``meets(target, "at most")``.
        ValueError for a single run.
        """
        if self._outcome.repeated is None:
            raise ValueError("this is one run; make it with nwtsim.run(..., replications=20)")
        return Named(self._outcome.repeated.figures())

    def limits(
        self, *, job: str | None = None, whole: bool = False, progress: bool | None = None
    ) -> Limits:
        """Return the limit of the run: runs with the same seed, each with one value improved.

        With several jobs, the limit of each is included, or that of ``job`` only (InputError if
        unknown). For a long run, shortened runs select the levers, of which the first three are run
        whole; ``whole`` runs all of them whole. ``progress`` shows a bar on standard error (by
        default on a terminal, if it takes long). ValueError for a result without its files.
        """
        from nwtsim.limits import Limits
        from simulator.answers.again import ask_wanted

        if self._again is None:
            raise ValueError("this result does not know its machine; make it with nwtsim.run")
        plan, result = self._outcome.plan, self._outcome.result
        again = self._again.again()
        with python_words():
            found = ask_wanted(again, plan, result, whole=whole, job=job, progress=progress)
        return Limits(found)

    def inputs(self) -> tuple[MachineFile, WorkloadFile] | None:
        """Return the machine and the workload with all settings; None without such files.

        They are objects of simulator.config; a replay has no workload file.
        """
        if not isinstance(self._again, RunAgain):
            return None
        return self._again.inputs.machine, self._again.inputs.workload

    # -- services ---------------------------------------------------------------------------

    @property
    def meshes(self) -> list[MeshResult]:
        """Meshes that were computed: their loops, and the account of these."""
        return self._outcome.result.meshes

    @property
    def numerical(self) -> NumericalResult:
        """Calls of numerical servers, and counters of servers and links.

        AttributeError where the workload makes no such calls.
        """
        found = self._outcome.result.numerical
        if found is None:
            raise AttributeError(f"{self.workload} makes no calls of numerical servers")
        return found

    # -- everything -------------------------------------------------------------------------

    @cached_property
    def _record(self) -> dict[str, Any]:
        from simulator.report.forms import versioned

        return versioned(self._outcome.to_record())

    def where(self, process: str | None = None) -> dict[str, float]:
        """Return the account of a process (by default the first): seconds by category.

        They add up to its elapsed time; ``computing`` and ``idle`` only if not 0. UnknownNameError
        for an unknown process.
        """
        for one in self._outcome.result.processes:
            if process in (None, one.name):
                spent = {"computing": one.compute_ns, "idle": one.idle_ns}
                found = {name: time / 1e9 for name, time in spent.items() if time}
                return found | {name: sum(both) / 1e9 for name, both in one.spent.items()}
        names = [one.name for one in self._outcome.result.processes]
        raise unknown("no process", process, names)

    def counts(self, store: str) -> dict[str, int]:
        """Return the counters of a store, summed over its nodes; UnknownNameError if unused."""
        found: dict[str, int] = {}
        for one in self._outcome.result.stores.values():
            if one.store == store:
                for name, count in one.counts.items():
                    found[name] = found.get(name, 0) + count
        if not found:
            names = {one.store for one in self._outcome.result.stores.values()}
            raise UnknownNameError(f"no store {store!r} was used; {did_you_mean(store, names)}")
        return found

    def phases(self, job: str | None = None) -> list[dict[str, Any]]:
        """Return a row for each phase of a job, or of all jobs, as the workload defines them.

        ``job``, ``phase`` (its position, as ``1``, or ``1.0`` in a loop), ``what``; ``passes``;
        ``begin_s``, ``elapsed_s`` (from the first begin to the last end), ``time_s`` of all
        processes, ``mean_s`` of one; ``read_bytes``, ``write_bytes``, ``rate_MBps`` during it. The
        times of a job's phases add up to those of its processes. UnknownNameError for another job.
        """
        jobs = self._record["jobs"]
        if job is not None and job not in jobs:
            raise unknown("no job", job, jobs)
        return [
            in_seconds(row) for row in rows_of(self._record, "phases") if job in (None, row["job"])
        ]

    def services(self) -> list[dict[str, Any]]:
        """Return a row for each service of a resource, in the order of booking.

        Keys: ``part`` (the instance), ``queue`` (of an array its disk, of a RAID unit ``disks`` or
        ``bus``; else empty), ``start_s``, ``service_s``, ``bytes``. ValueError without a timeline;
        run it with ``timeline=True``.
        """
        spans = self._outcome.result.spans
        if not spans:
            raise ValueError("the run kept no services; run it with timeline=True")
        return [
            {
                "part": one.part,
                "queue": one.queue,
                "start_s": one.start_ns / 1e9,
                "service_s": one.service_ns / 1e9,
                "bytes": one.bytes,
            }
            for one in spans
        ]

    def numerical_calls(self, job: str | None = None) -> list[dict[str, Any]]:
        """Return a row for each call of a numerical server, of one job or of all.

        ``process``, ``job``, ``server``, ``elapsed_s`` and its steps ``response_s``, ``waiting_s``,
        ``communication_s``, ``compute_s``; ``rate_Mops`` of the whole call. UnknownNameError for
        another job.
        """
        from simulator.result.numerical import STEPS

        numerical = self._outcome.result.numerical
        if job is not None and job not in (jobs := self._record["jobs"]):
            raise unknown("no job", job, jobs)
        return [
            {
                "process": one.process,
                "job": one.job,
                "server": one.server,
                "submitted_s": one.submitted_ns / 1e9,
                **{f"{step}_s": getattr(one, f"{step}_ns") / 1e9 for step in STEPS},
                "rate_Mops": one.rate / 1e6,
            }
            for one in (numerical.of(job) if numerical is not None else ())
        ]

    def load(self, server: str) -> list[float]:
        """Return the load average of a server at 5 s, 10 s, ...; UnknownNameError if unknown."""
        numerical = self._outcome.result.numerical
        servers = {} if numerical is None else numerical.servers
        if server not in servers:
            raise unknown("no numerical server", server, servers)
        return list(servers[server].loads)

    def report(self, name: str = "table") -> str:
        """Return a report: ``table``, ``json``, ``csv``, or a user's own. ValueError if unknown."""
        from simulator.report.report import report_names, written

        if name not in report_names():
            raise ValueError(f"no report {name!r}; {did_you_mean(name, report_names())}")
        return written(name, self._outcome)

    def to_dict(self) -> dict[str, Any]:
        """Return every number of the run, as `nwtsim schema report` describes them; times in ns."""
        from simulator.report.forms import versioned

        return versioned(self._outcome.to_record())

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON text."""
        return self.report("json")

    def to_dataframe(self, table: Table = "processes") -> pd.DataFrame:
        """Return one table of the run as a pandas DataFrame.

        ``jobs``, ``phases`` (of each job), ``processes``, ``parts`` (instances of resources),
        ``stores``, ``latencies``, ``job_latencies`` (of each of several jobs): a row for each, with
        the keys of `nwtsim schema report`; ``where``: a row for each process and account category.
        ValueError for another name, MissingExtraError without pandas.
        """
        if table not in TABLES:
            raise ValueError(f"no table {table!r}; {did_you_mean(table, TABLES)}")
        return dataframe_of(rows_of(self._record, table))

    def to_html(self) -> str:
        """Return the page written by ``nwtsim run --html``, as a text: it needs no network.

        It does not include the limit (see :meth:`limits`). ValueError for a result without its
        files.
        """
        from dataclasses import replace

        from simulator.report.forms import written

        inputs = self.inputs()
        if inputs is None:
            raise ValueError("this result does not know its machine; make it with nwtsim.run")
        machine, workload = inputs
        outcome = replace(self._outcome, machine=machine, workload=workload, again=self._command())
        return written(outcome.page(), "html")

    def _command(self) -> tuple[str, ...]:
        """Return the words of the run's command; empty if a file was given as a text."""
        words = self._again.command if isinstance(self._again, RunAgain) else ()
        repeated = self._outcome.repeated
        return (*words, *repeated.replications.options()) if words and repeated else words

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the account of each job, into ``axes`` or a new figure.

        MissingExtraError without matplotlib.
        """
        from simulator.extras import need

        need("matplotlib")
        from simulator.report.plots import draw_where

        return draw_where(self._outcome.result, self._outcome.plan, axes)

    def timeline(self, path: str | Path) -> None:
        """Write every service as a Chrome trace, for https://ui.perfetto.dev.

        ValueError without a timeline; run it with ``timeline=True``.
        """
        from simulator.output import placing
        from simulator.report.timeline import write_timeline

        if not self._outcome.result.spans:
            raise ValueError("the run kept no services; run it with timeline=True")
        from pathlib import Path

        with placing(Path(path)) as file:
            write_timeline(self._outcome.result, file)

    # -- to look at -------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return "<" + "\n ".join(self._lines()) + ">"

    def _lines(self) -> list[str]:
        from simulator.report.outcome import answer, bottleneck

        result = self._outcome.result
        return [
            f"Result: {result.workload} on {result.machine} ({result.engine} engine)",
            *answer(result).splitlines(),
            *bottleneck(result).splitlines(),
        ]

    def _repr_html_(self) -> str:
        from nwtsim.html import shown
        from simulator.report.accounts import Columns, spent_by
        from simulator.result.jobs import by_job
        from simulator.units import format_time
        from simulator.wording import percent

        columns, rows = Columns(self._outcome.plan), []
        jobs = [job for job in by_job(self._outcome.result) if job.time_ns]
        for job in jobs[:MOST_JOBS]:
            for one in spent_by(job, columns):
                times = [
                    format_time(time) if time else "" for time in (one.wait_ns, one.service_ns)
                ]
                rows.append((job.name, one.column, *times, percent(one.total_ns, job.time_ns)))
        return shown(self._lines(), (("job", "where", "waiting", "service", "share"), rows))

"""A machine and a workload on the page: their sliders, their runs, and what is shown of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.cost import Estimate
from simulator.errors import InputError, did_you_mean
from simulator.plan.errors import SimulationError
from simulator.play.published import published
from simulator.play.sliders import Slider, own_first, own_of, sliders_of
from simulator.units import format_time
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.inputs import Setting
    from simulator.plan.plan import Plan
    from simulator.prepared import Prepared
    from simulator.result.result import Result
    from simulator.run import Run

MOST_S = 5.0
"""Estimated time of a run that is refused;"""
MOST_BYTES = 500_000_000
"""and its memory."""
MOST_PROCESSES = 10_000
"""Processes of a run that is planned: planning them takes time too."""
MOST_TIMELINE_S = 0.5
"""Estimated time up to which a run has a picture of its resources over time."""
MOST_LEVERS = 5

Answer = dict[str, Any]


class CostError(InputError):
    """A run that would take too long."""


class Asked(NamedTuple):
    """What makes a run of a machine and a workload."""

    settings: tuple[Setting, ...] = ()
    """With full paths."""
    seed: int | None = None
    """Of what is drawn; without one nothing varies that the machine states as noise."""


@dataclass(slots=True)
class Pair:
    """A machine and a workload, and what is kept of them between questions."""

    machine: str
    workload: str
    sliders: dict[str, Slider]
    prepared: Prepared
    last: Made | None = None

    @classmethod
    def of(cls, machine: str, workload: str) -> Pair:
        """Read both files; ConfigError lists what is wrong with them."""
        from simulator.inputs import load_inputs
        from simulator.prepared import Prepared

        inputs = load_inputs(machine, workload, noisy=False)
        more = [pair for cell in published(machine, workload) for pair in cell["settings"].items()]
        sliders = sliders_of(inputs.machine, inputs.workload, more)
        return cls(machine, workload, sliders, Prepared(machine, workload))

    def record(self) -> Answer:
        """Return what the page has to know before it asks for runs."""
        machine, workload = self.prepared.load()
        self.sliders = own_first(self.sliders, machine.name, self._used())
        numbers = [one.name for one in self.sliders.values() if len(one.stops) > 1]
        across = own_of(machine.name).get("across")
        return {
            "machine": self.machine,
            "workload": self.workload,
            "titles": [machine.title, workload.title],
            "across": across if across in numbers else next(iter(numbers), ""),
            "sliders": [one.record() for one in self.sliders.values()],
            "published": published(self.machine, self.workload),
        }

    def _used(self) -> list[str]:
        """Name the parts and stores that the run uses, the busiest first; none if it is refused."""
        from simulator.report.tables import kept_by, used_parts

        try:
            made = self.made(Asked())
        except (CostError, InputError, SimulationError):
            return []
        plan, result = made.run.plan, made.result
        parts = (plan.parts[one.row].name for one in used_parts(result, plan))
        return list(dict.fromkeys([*parts, *(one.store for one in kept_by(result, plan))]))

    def full(self, settings: Mapping[str, str]) -> tuple[Setting, ...]:
        """Return settings with full paths; InputError for a name that is not offered."""
        for name in settings:
            if name not in self.sliders:
                raise InputError(
                    f"{name[:40]!r} cannot be set here; {did_you_mean(name, self.sliders)}"
                )
        return tuple((self.sliders[name].path, value) for name, value in settings.items())

    def command(self, asked: Asked, more: Iterable[Setting] = ()) -> str:
        """Return the command that makes a run, with more settings."""
        names = {one.path: one.name for one in self.sliders.values()}
        words = ["nwtsim", "run", self.machine, self.workload]
        for path, value in (*asked.settings, *more):
            words += ["--set", f"{names.get(path, path)}={value}"]
        words += [] if asked.seed is None else ["--seed", str(asked.seed)]
        return command_line(*words)

    def point(self, asked: Asked) -> Answer:
        """Make a run, and return its rates and its time only."""
        self._check_processes(asked)
        plan = self.prepared.plan(asked.settings, seed=asked.seed)
        self._check(plan, asked)
        totals = self.prepared.plans.totals(plan)
        return {
            "elapsed_ns": totals.elapsed_ns,
            "read_MBps": round(totals.read.rate / 1e6, 6),
            "write_MBps": round(totals.written.rate / 1e6, 6),
        }

    def made(self, asked: Asked) -> Made:
        """Make a run, unless the last one was the same."""
        if self.last is not None and self.last.asked == asked:
            return self.last
        from simulator.run import Listener, prepare_run

        self._check_processes(asked)
        warned: list[str] = []
        hears = Listener(lambda _: None, lambda doubt: warned.append(str(doubt)))
        settings, seed = asked
        run = prepare_run(self.machine, self.workload, settings, seed=seed, hears=hears)
        self._check(run.plan, asked)
        kept = Estimate(run.plan, run.engine, timeline=True).cost().seconds <= MOST_TIMELINE_S
        result = run.result(timeline=kept, samples=run.samples if kept else 0)
        self.last = Made(run, result, warned, asked)
        return self.last

    def _check_processes(self, asked: Asked) -> None:
        """Raise CostError for more processes than are planned in time."""
        _, workload = self.prepared.load(asked.settings)
        many = sum(job.processes for job in workload.jobs)
        if many > MOST_PROCESSES:
            raise CostError(
                f"{many:,} processes are too many for a page: at most {MOST_PROCESSES:,}. A"
                f" terminal runs them: {self.command(asked)}"
            )

    def _check(self, plan: Plan, asked: Asked) -> None:
        """Raise CostError for a run that would take too long here."""
        cost = Estimate(plan, "auto").cost()
        if cost.seconds > MOST_S or cost.size > MOST_BYTES:
            memory = f" and {cost.size / 1e6:,.0f} MB of memory" if cost.size > MOST_BYTES else ""
            raise CostError(
                f"this run would take about {cost.seconds:,.0f} s{memory}, which is too much for a"
                f" page: {cost.cause.what}. A terminal makes it: {self.command(asked)}"
            )


@dataclass(frozen=True, slots=True)
class Made:
    """A run that was made."""

    run: Run
    result: Result
    warned: list[str]
    asked: Asked


def run_record(pair: Pair, made: Made) -> Answer:
    """Return what the page shows of a run."""
    from simulator.report.html.diagram import Uses, diagram
    from simulator.report.html.markup import joined
    from simulator.report.html.page import table
    from simulator.report.html.run import curves, over_time
    from simulator.report.outcome import answer
    from simulator.report.tables import resources_table
    from simulator.result.record import record_of

    result, plan = made.result, made.run.plan
    record = record_of(result)
    kept = ("elapsed_ns", "read_MBps", "write_MBps", "digest", "engine")
    return {
        **{key: record[key] for key in kept},
        "elapsed": format_time(result.elapsed_ns),
        "told": answer(result, plan).splitlines(),
        "where": _where(result, plan),
        "diagram": joined(diagram(made.run.inputs.machine, Uses(result, plan))),
        "resources": table(resources_table(result, plan)),
        "over_time": joined([over_time(result, plan), curves(result)]),
        "warned": made.warned,
        "command": pair.command(made.asked),
    }


def _where(result: Result, plan: Plan) -> list[Answer]:
    """Return the account of each job: its columns, with exact times."""
    from simulator.report.accounts import accounts

    return [
        {
            "name": one.name,
            "total_ns": one.job.busy_ns,
            "rows": [
                {
                    "column": row.column,
                    "what": row.what,
                    "wait_ns": row.wait_ns,
                    "service_ns": row.service_ns,
                    "time": format_time(row.total_ns),
                }
                for row in one.spent
            ],
        }
        for one in accounts(result, plan)
    ]


def limits_record(pair: Pair, made: Made) -> Answer:
    """Return what limits a run: sentences, and what the first levers save."""
    from simulator.answers.again import InputsAgain, ask_limits
    from simulator.report.limits import change, found, limits_answer

    again = InputsAgain(made.run.inputs, seed=made.run.seed, engine=made.run.engine)
    limits = ask_limits(again, made.run.plan, made.result, progress=False)
    known = found(limits)
    told = limits_answer(limits)
    if known is None:
        return {"told": told, "levers": [], "runs": 0}
    names = {one.path: one.name for one in pair.sliders.values()}
    levers = [
        {
            "resource": one.lever.name,
            "change": change(one, whole=True),
            "saves": format_time(one.saves_ns),
            "share": one.saves_ns / known.elapsed_ns,
            "settings": [[names.get(path, ""), value] for path, value in one.twice.settings],
            "command": pair.command(made.asked, one.twice.settings),
        }
        for one in known.matter[:MOST_LEVERS]
    ]
    return {"told": told, "levers": levers, "runs": known.runs}

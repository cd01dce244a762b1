"""Questions of the page, and their answers: dictionaries that are JSON.

``{"ask": "run", "machine": "nwt", "workload": "test-write", "settings": {"buffer": "8 MB"}}``. A
question that cannot be answered has ``{"error": "...", "kind": "..."}`` as its answer: ``question``
(it is none), ``input`` (files, names or values are wrong), ``cost`` (it would take too long) or
``failed``. Files are those that are shipped, and those that were named at the start.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.cost import Estimate
from simulator.errors import InputError, did_you_mean
from simulator.plan.errors import SimulationError
from simulator.play.published import published
from simulator.play.sliders import Slider, own_first, own_of, sliders_of
from simulator.shipped import shipped_root
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
MOST_TIMELINE_S = 0.5
"""Estimated time up to which a run has a picture of its resources over time."""
MOST_SETTINGS, LONGEST = 60, 200
MOST_LEVERS = 5
FIRST = "copy-file"
"""Job that the page shows of a machine for which ``own.yaml`` names none."""

Answer = dict[str, Any]
_KEYS: Mapping[str, set[str]] = {
    "shipped": set(),
    "machine": {"machine", "workload"},
    "run": {"machine", "workload", "settings"},
    "point": {"machine", "workload", "settings"},
    "limits": {"machine", "workload", "settings"},
}
"""By question: its keys."""


class QuestionError(InputError):
    """A text that is no question."""


class CostError(InputError):
    """A run that would take too long."""


def read_question(text: str) -> dict[str, Any]:
    """Read a question; QuestionError says what is wrong with its form."""
    try:
        asked = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise QuestionError('the question is no JSON; write {"ask": "shipped"}') from None
    if not isinstance(asked, dict):
        raise QuestionError("the question is no JSON object; write {...}")
    name = asked.get("ask")
    if not isinstance(name, str) or name not in _KEYS:
        raise QuestionError(f"'ask' is not one of {', '.join(_KEYS)}")
    if unknown := sorted(map(_short, asked.keys() - _KEYS[name] - {"ask"})):
        raise QuestionError(f"unknown key {unknown[0]!r} beside 'ask': {name!r}")
    for key in ("machine", "workload"):
        one = asked.get(key)
        if key in _KEYS[name] and not (isinstance(one, str) and len(one) <= LONGEST):
            raise QuestionError(f"{key!r} is missing, or no short text")
    settings = asked.get("settings", {})
    if not isinstance(settings, dict) or len(settings) > MOST_SETTINGS:
        raise QuestionError(f"'settings' is no object of at most {MOST_SETTINGS} values")
    for name, value in settings.items():
        if not isinstance(value, str) or len(value) > LONGEST or len(name) > LONGEST:
            raise QuestionError(f"the value of {_short(name)!r} is no text of {LONGEST} characters")
    return asked


def _refuse_constant(text: str) -> float:
    raise ValueError(text)


def _short(text: str) -> str:
    return text[:40]


class Desk:
    """Answers questions, and keeps what the next ones can use again."""

    def __init__(self, files: Iterable[str] = ()) -> None:
        """``files``: machines and workloads beside those that are shipped; InputError if none."""
        from simulator.config.load import written_format

        self._named: dict[str, list[str]] = {"machine": [], "workload": []}
        for file in files:
            noun = next(
                (
                    kind.noun
                    for kind in (MACHINE, WORKLOAD)
                    if written_format(file, kind.noun) == kind.format
                ),
                None,
            )
            if noun is None:
                check = command_line("nwtsim", "check", file)
                raise InputError(f"{file}: no machine and no workload ({check} says more)")
            self._named[noun].append(file)
        self._pair: _Pair | None = None

    def answered(self, text: str) -> str:
        """Answer one question, both as text; mistakes and failures are answers too."""
        return json.dumps(self.answer(text), allow_nan=False)

    def answer(self, text: str) -> Answer:
        """Answer one question."""
        try:
            asked = read_question(text)
            return self._answer(asked)
        except QuestionError as error:
            return {"error": str(error), "kind": "question"}
        except CostError as error:
            return {"error": str(error), "kind": "cost"}
        except (ConfigError, InputError) as error:
            shipped = f"{shipped_root('configs')}{os.sep}"
            return {"error": str(error).replace(shipped, ""), "kind": "input"}
        except SimulationError as error:
            return {"error": f"the simulation failed: {error}", "kind": "failed"}
        except MemoryError:
            return {"error": "not enough memory for this run", "kind": "cost"}
        except Exception:  # noqa: BLE001 - a browser has no use for a traceback
            traceback.print_exc(file=sys.stderr)
            return {"error": "this is a defect of nwtsim; please report it", "kind": "failed"}

    def _answer(self, asked: dict[str, Any]) -> Answer:
        if asked["ask"] == "shipped":
            return {
                **{noun: self._listed(noun) for noun in self._named},
                "first": {name: own_of(name).get("workload", FIRST) for name in MACHINE.shipped()},
            }
        pair = self._pair_of(asked["machine"], asked["workload"])
        if asked["ask"] == "machine":
            return pair.record(self._fitting(asked["machine"]))
        settings = pair.full(asked.get("settings", {}))
        if asked["ask"] == "point":
            return pair.point(settings)
        made = pair.made(settings)
        return limits_record(pair, made) if asked["ask"] == "limits" else run_record(pair, made)

    def _listed(self, noun: str) -> list[dict[str, str]]:
        """List the files of a kind, those that were named at the start first."""
        from simulator.report.shipped import listed

        shipped = [{"name": one.name, "title": one.title} for one in listed(f"{noun}s")]
        return [{"name": one, "title": "your file"} for one in self._named[noun]] + shipped

    def _fitting(self, machine: str) -> list[str]:
        """Return the workloads that a machine can run."""
        from simulator.config.fitting import fit
        from simulator.inputs import load
        from simulator.report.shipped import fitting

        made = load(MACHINE, machine)
        own = [
            name
            for name in self._named["workload"]
            if all(one.severity != "error" for one in fit(made, load(WORKLOAD, name), noisy=True))
        ]
        return [*own, *(one.name for one in fitting(machine))]

    def _pair_of(self, machine: str, workload: str) -> _Pair:
        for noun, name, kind in (("machine", machine, MACHINE), ("workload", workload, WORKLOAD)):
            known = [*self._named[noun], *kind.shipped()]
            if name not in known:
                raise InputError(f"no {noun} {_short(name)!r}; {did_you_mean(name, known)}")
        if self._pair is None or (self._pair.machine, self._pair.workload) != (machine, workload):
            self._pair = _Pair.of(machine, workload)
        return self._pair


@dataclass(slots=True)
class _Pair:
    """A machine and a workload, and what is kept of them between questions."""

    machine: str
    workload: str
    sliders: dict[str, Slider]
    prepared: Prepared
    last: tuple[tuple[Setting, ...], Made] | None = None

    @classmethod
    def of(cls, machine: str, workload: str) -> _Pair:
        """Read both files; ConfigError lists what is wrong with them."""
        from simulator.inputs import load_inputs
        from simulator.prepared import Prepared

        inputs = load_inputs(machine, workload, noisy=False)
        more = [pair for cell in published(machine, workload) for pair in cell["settings"].items()]
        sliders = sliders_of(inputs.machine, inputs.workload, more)
        return cls(machine, workload, sliders, Prepared(machine, workload))

    def record(self, fitting: list[str]) -> Answer:
        """Return what the page has to know before it asks for runs."""
        machine, workload = self.prepared.load()
        self.sliders = own_first(self.sliders, machine.name, self._used())
        numbers = [one.name for one in self.sliders.values() if len(one.stops) > 1]
        across = own_of(machine.name).get("across")
        return {
            "machine": self.machine,
            "workload": self.workload,
            "titles": [machine.title, workload.title],
            "workloads": fitting,
            "across": across if across in numbers else next(iter(numbers), ""),
            "sliders": [one.record() for one in self.sliders.values()],
            "published": published(self.machine, self.workload),
        }

    def _used(self) -> list[str]:
        """Name the parts and stores that the run uses, the busiest first; none if it is refused."""
        from simulator.report.tables import kept_by, used_parts

        try:
            made = self.made(())
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
                    f"{_short(name)!r} cannot be set here; {did_you_mean(name, self.sliders)}"
                )
        return tuple((self.sliders[name].path, value) for name, value in settings.items())

    def command(self, settings: Iterable[Setting], verb: str = "run") -> list[str]:
        """Return the words of the command that makes a run."""
        names = {one.path: one.name for one in self.sliders.values()}
        words = ["nwtsim", verb, self.machine, self.workload]
        for path, value in settings:
            words += ["--set", f"{names.get(path, path)}={value}"]
        return words

    def point(self, settings: tuple[Setting, ...]) -> Answer:
        """Make a run, and return its rates and its time only."""
        plan = self.prepared.plan(settings)
        self._check(plan, settings)
        totals = self.prepared.plans.totals(plan)
        return {
            "elapsed_ns": totals.elapsed_ns,
            "read_MBps": round(totals.read.rate / 1e6, 6),
            "write_MBps": round(totals.written.rate / 1e6, 6),
        }

    def made(self, settings: tuple[Setting, ...]) -> Made:
        """Make a run, unless the last one was the same."""
        if self.last is not None and self.last[0] == settings:
            return self.last[1]
        from simulator.run import Listener, prepare_run

        warned: list[str] = []
        hears = Listener(lambda _: None, lambda doubt: warned.append(str(doubt)))
        run = prepare_run(self.machine, self.workload, settings, hears=hears)
        self._check(run.plan, settings)
        kept = Estimate(run.plan, run.engine, timeline=True).cost().seconds <= MOST_TIMELINE_S
        result = run.result(timeline=kept, samples=run.samples if kept else 0)
        made = Made(run, result, warned, settings)
        self.last = settings, made
        return made

    def _check(self, plan: Plan, settings: Iterable[Setting]) -> None:
        """Raise CostError for a run that would take too long here."""
        cost = Estimate(plan, "auto").cost()
        if cost.seconds > MOST_S or cost.size > MOST_BYTES:
            command = command_line(*self.command(settings))
            memory = f" and {cost.size / 1e6:,.0f} MB of memory" if cost.size > MOST_BYTES else ""
            raise CostError(
                f"this run would take about {cost.seconds:,.0f} s{memory}, which is too much for a"
                f" page: {cost.cause.what}. A terminal makes it: {command}"
            )


@dataclass(frozen=True, slots=True)
class Made:
    """A run that was made."""

    run: Run
    result: Result
    warned: list[str]
    settings: tuple[Setting, ...]


def run_record(pair: _Pair, made: Made) -> Answer:
    """Return what the page shows of a run."""
    from simulator.report.html.curves import curves
    from simulator.report.html.diagram import Uses, diagram
    from simulator.report.html.markup import joined
    from simulator.report.html.page import table
    from simulator.report.html.run import over_time
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
        "command": command_line(*pair.command(made.settings)),
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


def limits_record(pair: _Pair, made: Made) -> Answer:
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
            "command": command_line(*pair.command((*made.settings, *one.twice.settings))),
        }
        for one in known.matter[:MOST_LEVERS]
    ]
    return {"told": told, "levers": levers, "runs": known.runs}

"""Questions of the page, and their answers: dictionaries that are JSON.

``{"ask": "run", "machine": "nwt", "workload": "test-write", "settings": {"buffer": "8 MB"}}``. A
question that cannot be answered has ``{"error": "...", "kind": "..."}`` as its answer: ``question``
(it is none), ``input`` (files, names or values are wrong), ``cost`` (it would take too long) or
``failed``. Files are those that are shipped, and those that were named at the start.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.errors import InputError, did_you_mean
from simulator.plan.errors import SimulationError
from simulator.play.pairs import Answer, Asked, CostError, Pair, limits_record, run_record
from simulator.play.sliders import own_of
from simulator.shipped import shipped_root
from simulator.wording import command_line

MOST_SETTINGS, LONGEST = 60, 200
FIRST = "copy-file"
"""Job that the page shows of a machine for which ``own.yaml`` names none."""

_KEYS: Mapping[str, set[str]] = {
    "shipped": set(),
    "fitting": {"machine"},
    "machine": {"machine", "workload"},
    "run": {"machine", "workload", "settings", "seed"},
    "point": {"machine", "workload", "settings", "seed"},
    "limits": {"machine", "workload", "settings", "seed"},
}
"""By question: its keys."""


class QuestionError(InputError):
    """A text that is no question."""


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
    if not isinstance(asked.get("seed", ""), str) or len(asked.get("seed", "")) > LONGEST:
        raise QuestionError('\'seed\' is no short text; write "1", or "" for none')
    return asked


def _seed(text: str) -> int | None:
    """Read a seed; None if there is none, and InputError if it is no seed."""
    from simulator.run import read_seed

    if not text.strip():
        return None
    try:
        return read_seed(text)
    except ValueError as error:
        raise InputError(f"seed: {error}") from None


def _refuse_constant(text: str) -> float:
    raise ValueError(text)


def _short(text: str) -> str:
    return text[:40]


def _title(text: str) -> str:
    """Return the title of a shipped file, which stands in a line of its own."""
    found = re.search(r"^title: *(.*)$", text, re.MULTILINE)
    return found[1].strip("\"'") if found else ""


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
        self._pair: Pair | None = None

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
        if asked["ask"] == "fitting":
            self._check("machine", asked["machine"])
            return {"workloads": self._fitting(asked["machine"])}
        pair = self._pair_of(asked["machine"], asked["workload"])
        if asked["ask"] == "machine":
            return pair.record()
        run = Asked(pair.full(asked.get("settings", {})), _seed(asked.get("seed", "")))
        if asked["ask"] == "point":
            return pair.point(run)
        made = pair.made(run)
        return limits_record(pair, made) if asked["ask"] == "limits" else run_record(pair, made)

    def _listed(self, noun: str) -> list[dict[str, str]]:
        """List the files of a kind, those that were named at the start first."""
        files = (MACHINE if noun == "machine" else WORKLOAD).shipped()
        shipped = [
            {"name": name, "title": _title(path.read_text("utf-8"))} for name, path in files.items()
        ]
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

    def _check(self, noun: str, name: str) -> None:
        """Raise InputError for a name that is neither shipped nor was named at the start."""
        kind = MACHINE if noun == "machine" else WORKLOAD
        known = [*self._named[noun], *kind.shipped()]
        if name not in known:
            raise InputError(f"no {noun} {_short(name)!r}; {did_you_mean(name, known)}")

    def _pair_of(self, machine: str, workload: str) -> Pair:
        self._check("machine", machine)
        self._check("workload", workload)
        if self._pair is None or (self._pair.machine, self._pair.workload) != (machine, workload):
            self._pair = Pair.of(machine, workload)
        return self._pair

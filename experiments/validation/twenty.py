"""The twenty frozen programs: predictions and measured times, and criteria of success.

The criteria, in words and numbers, are in ``experiments/reality/criteria.yaml``, which was written
before the first prediction; ``right``, ``inverted`` and ``after`` implement those words.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from simulator.report.lined import ruled

from .timed import (
    LARGE,
    Record,
    distance,
    error,
    far,
    left_out,
    load,
    mean_distance,
    mean_error,
    off,
    seconds,
)

FORMAT = "reality-twenty/1"
FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "reality"
"""In a checkout only; not part of an installation."""
RESULTS = FOLDER / "twenty.json"
CRITERIA = "criteria.yaml"
CAUSES = "twenty-causes.yaml"
"""File with the causes of missed predictions and advice, by program."""
Names: TypeAlias = Mapping[str, str]
LATER: Names = {"poll": "re-read"}
"""Patterns renamed after the programs were frozen: the frozen name of what they cure."""
ADVISED = 0.01
"""Fraction of the time below which ``nwtsim advise`` gives no advice."""
HEADING = "## Twenty programs"


def load_twenty(path: Path, form: str = FORMAT) -> Record:
    """Read a file of results; ValueError if it is not one."""
    found: Record = json.loads(path.read_text(encoding="utf-8"))
    if found.get("format") != form:
        raise ValueError(f"{path}: is no file of results ({form})")
    return found


def criteria(file: str = CRITERIA) -> Record:
    """Read the targets, and in the first file the criteria (``rules``)."""
    found: Record = yaml.safe_load((FOLDER / file).read_text("utf-8"))
    return found


# -- what counts --------------------------------------------------------------------------------


def means(how: str, pattern: str | None, cure: Record, later: Names = LATER) -> bool:
    """Return whether an advice means a cure: its pattern is listed, or its words match."""
    by_words = bool(cure["words"]) and re.search(cure["words"], how) is not None
    return by_words or later.get(pattern or "", pattern) in cure["patterns"]


def advised_way(one: Record, later: Names = LATER) -> Record | None:
    """Return the timed cure meant by the first advice; None if it means none of them."""
    if not one["advice"]:
        return None
    how, pattern = one["advice"][0]["how"], one["advice"][0]["pattern"]
    return next((way for way in one["cures"] if means(how, pattern, way, later)), None)


def after(one: Record) -> float:
    """Return the predicted time with the expert's cure; unchanged without such advice."""
    expert = one["cures"][0]
    for advice in one["advice"]:
        if means(advice["how"], advice["pattern"], expert):
            return float(advice["predicted_s"])
        for other in advice["instead"]:
            if means(other["how"], None, expert):
                return float(other["predicted_s"])
    return float(one["predicted_s"])


def saved(one: Record, way: Record) -> float:
    """Return the fraction of the program's time that a cure saves, when timed."""
    return 1 - float(way["median_s"]) / float(one["observed"]["median_s"])


def promised(one: Record) -> float:
    """Return the largest fraction of the predicted time that an advice promises to save."""
    most = max((float(advice["saves_s"]) for advice in one["advice"]), default=0.0)
    return most / float(one["predicted_s"])


def right(one: Record, later: Names = LATER) -> bool:
    """Return whether the first advice is the expert's, or one that is as good when timed."""
    rules: Record = criteria()["rules"]
    if one["cures"]:
        way, expert = advised_way(one, later), one["cures"][0]
        if way is None:
            return False
        return way is expert or saved(one, way) >= rules["as_good"] * saved(one, expert)
    if one["named"]["patterns"]:
        first = one["advice"][0] if one["advice"] else None
        return first is not None and means(first["how"], first["pattern"], one["named"], later)
    return promised(one) < float(rules["worth"])


def inverted(one: Record) -> bool:
    """Return whether the answer is the opposite of the timing, or of the expert's."""
    rules = criteria()["rules"]
    if not one["cures"]:
        return not one["named"]["patterns"] and promised(one) >= float(rules["half"])
    if promised(one) < ADVISED:
        return saved(one, one["cures"][0]) >= float(rules["large"])
    way = advised_way(one)
    return way is not None and way["quartiles_s"][0] > one["observed"]["quartiles_s"][1]


def own_spread(programs: Sequence[Record]) -> tuple[float, float]:
    """Return the deviation of runs from their medians: geometric mean, and share over 25 %."""
    pairs = [
        (run, one["observed"]["median_s"]) for one in programs for run in one["observed"]["runs_s"]
    ]
    beyond = sum(distance(*pair) > math.log1p(LARGE) for pair in pairs)
    return mean_distance(pairs), beyond / len(pairs)


def targets(programs: Sequence[Record], file: str = CRITERIA) -> list[tuple[str, str, str, bool]]:
    """Return each target: its name, the required number, the actual one, and whether it is met."""
    aim, count = criteria(file)["targets"], len(programs)
    of = aim.get("of", 20)
    cured = [one for one in programs if one["cures"]]
    good = sum(map(right, programs))
    then = sum(right(one, {}) for one in programs)
    renamed = "" if then == good else f" ({then} by the names of advice that were frozen)"
    near = sum(
        distance(one["predicted_s"], one["observed"]["median_s"]) <= math.log1p(aim["near_error"])
        for one in programs
    )
    before = mean_error(programs)
    behind = mean_distance([(after(one), one["cures"][0]["median_s"]) for one in cured])
    opposite = sum(map(inverted, programs))
    short = 1 - 1 / (1 + aim["near_error"])
    within = f"predicted time at most {_percent(aim['near_error'])} too long, {_percent(short)} too short"
    return [
        ("first advice right", f"{aim['right']} of {of}", f"{good} of {count}{renamed}",
         good >= aim["right"]),
        (within, f"{aim['near']} of {of}", f"{near} of {count}", near >= aim["near"]),
        (
            "geometric mean error, as they are", f"at most {_percent(aim['mean_before'])}",
            _percent(before), before <= aim["mean_before"],
        ),
        (
            "geometric mean error, cured", f"at most {_percent(aim['mean_after'])}",
            _percent(behind), behind <= aim["mean_after"],
        ),
        ("answers inverted", "none", str(opposite), opposite <= aim["inverted"]),
    ]  # fmt: skip


def owes_cause(one: Record) -> bool:
    """Return whether a prediction of a program was missed."""
    missed = not right(one) or inverted(one) or far(one["predicted_s"], one["observed"]["median_s"])
    return missed or (bool(one["cures"]) and far(after(one), one["cures"][0]["median_s"]))


# -- the page -----------------------------------------------------------------------------------


def twenty_text(found: Record, file: str = CRITERIA) -> str:
    """Write the tables, and their interpretation, in Markdown."""
    host, programs = found["host"], [*found["programs"], *found["predicted"]]
    blocks = [
        f"{_host(found)}, {host['date']}.{load(host)}"
        f" Programs, cures and criteria: {found['frozen'][:12]}.",
        *_tables(found),
    ]
    if programs:
        rows = [(*words, "yes" if met else "no") for *words, met in targets(programs, file)]
        mean, beyond = own_spread(programs)
        blocks += [
            ruled(("target", "wanted", "found", "met"), rows, "github"),
            f"By the machine alone a single run is {_percent(mean)} (geometric mean) from the median"
            f" of its program, and {_percent(beyond)} of the runs are beyond {_percent(LARGE)}.",
        ]
    return "\n\n".join([*blocks, *_remarks(found)]) + "\n"


def target_table(suites: Iterable[tuple[str, Record, str]]) -> list[str]:
    """Return targets and hosts of suites (name, results, file of targets); empty of none.

    The targets that are no counts are the same for all of them.
    """
    rows, head, hosts = [], [""], []
    for name, found, file in suites:
        if programs := [*found["programs"], *found["predicted"]]:
            aims, (mean, beyond) = targets(programs, file), own_spread(programs)
            ends = [f"{end:.1f}" for end in found["host"].get("load", ())]
            measured = " ".join([found["host"]["date"], *ends])
            single = f"{_percent(mean)}, {_percent(beyond)}"
            rows.append(
                [name, *(_aim(*aim) for aim in aims), single, measured, found["frozen"][:12]]
            )
            names = [
                what if wanted[0].isdigit() else f"{what} ({wanted})" for what, wanted, *_ in aims
            ]
            head = ["suite", *names, "single runs", "date and load", "digest"]
            hosts.append((f"*{name}*", f"{_host(found)}."))
    return [ruled(head, rows, "github"), "\n".join(by_cause(hosts))] if rows else []


def _aim(_what: str, wanted: str, number: str, met: bool) -> str:
    told = f"{number}; wanted {wanted}" if wanted[0].isdigit() else number
    return told if met else f"**{told}**"


def _host(found: Record) -> str:
    host = found["host"]
    return (
        f"{host['processors']} processors ({host['architecture']}), {host['system']},"
        f" {host['filesystem']}, medians of {found['rounds']} runs"
    )


def _tables(found: Record) -> list[str]:
    """Return the tables of programs: timed, predicted, advised."""
    cured, only = found["programs"], found["predicted"]
    blocks = []
    if cured:
        blocks.append(_table([_cured(one) for one in cured], _CURED))
    if only:
        blocks += _predicted_only(only)
    return blocks


def _remarks(found: Record) -> list[str]:
    """Return what was only seen, what commands gave, and what was left out."""
    programs = [*found["programs"], *found["predicted"]]
    return [*_seen(programs), *_commands(programs), *left_out(found["skipped"])]


def _predicted_only(programs: Sequence[Record]) -> list[str]:
    """Return the table of programs without cures that were missed, and the names of the others."""
    missed = [one for one in programs if owes_cause(one)]
    others = ", ".join(f"*{one['program']}* {error(one)}" for one in programs if one not in missed)
    tables = [_table([_only(one) for one in missed], _ONLY)] if missed else []
    good = f" Advice right, and time within {_percent(LARGE)}: {others}." if others else ""
    return [f"Predicted only, {len(programs)}.{good}", *tables]


_MORE = re.compile(r" \(computing, |\. Where |, but not in calls")
"""Begin of examples, details, and of the command that tells more, which the page leaves out."""


def _shortly(what: str) -> str:
    """Return the first words of what was seen."""
    return _MORE.split(what)[0]


def _seen(programs: Sequence[Record]) -> list[str]:
    """Return what was seen and not simulated of programs without advice; empty if nothing was."""
    told = [
        f"- *{one['program']}*: {'; '.join(map(_shortly, one['seen']))}."
        for one in programs
        if one.get("seen") and not one["advice"]
    ]
    head = "Seen in the log and not simulated, where nothing is advised:"
    return [head, "\n".join(told)] if told else []


def _commands(programs: Sequence[Record]) -> list[str]:
    """State whether the printed commands gave the printed time; empty if none was run."""
    ran = [one for program in programs for one in program.get("commands", ())]
    same = sum(one["promised_ns"] == one["elapsed_ns"] for one in ran)
    told = f"{same} of {len(ran)} printed commands gave the printed time, to the nanosecond."
    return [told] if ran else []


def twenty_section(path: Path = RESULTS) -> str:
    """Return the section of the page, with the causes of missed predictions."""
    if not path.exists():
        return f"{HEADING}\n\nNot measured: `make reality` writes `{path.name}`."
    return with_causes(HEADING, load_twenty(path), path.parent / CAUSES)


def with_causes(about: str, found: Record, file: Path) -> str:
    """Return a section: ``about``, the tables, and the causes of misses from a file."""
    causes: dict[str, Any] = yaml.safe_load(file.read_text("utf-8")) if file.exists() else {}
    asked = [one for one in (*found["programs"], *found["predicted"]) if owes_cause(one)]
    lines = by_cause(
        (f"*{one['program']}*", causes.get(one["program"], "not found yet.")) for one in asked
    )
    told = ["Causes of what missed, and of errors above 25 %:", "\n".join(lines)] if lines else []
    general = [causes["all"]] if "all" in causes and asked else []
    return "\n\n".join([about, *_tables(found), *_remarks(found), *general, *told])


def by_cause(programs: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each cause, with its programs.

    >>> by_cause([("a", "cold."), ("b", "slow."), ("c", "cold.")])
    ['- a, c: cold.', '- b: slow.']
    """
    groups: dict[str, list[str]] = {}
    for name, cause in programs:
        groups.setdefault(cause, []).append(name)
    return [f"- {', '.join(names)}: {cause}" for cause, names in groups.items()]


_AS_IT_IS = ("program", "timed", "predicted", "error")
_CURED = (*_AS_IT_IS, "first advice", "expert's cure", "right", "cured", "promised", "error")
_ONLY = (*_AS_IT_IS, "first advice", "an expert would name", "right")


def _cured(one: Record) -> list[str]:
    expert = one["cures"][0]
    return [
        *_as_it_is(one),
        _first(one),
        expert["cure"],
        _verdict(one),
        seconds(expert["median_s"]),
        seconds(after(one)),
        off(after(one), expert["median_s"]),
    ]


def _only(one: Record) -> list[str]:
    return [
        *_as_it_is(one),
        _first(one),
        " or ".join(one["named"]["patterns"]) or "nothing",
        _verdict(one),
    ]


def _as_it_is(one: Record) -> list[str]:
    return [
        f"{one['program']} ({one['language']}): {one['about']}",
        seconds(one["observed"]["median_s"]),
        seconds(one["predicted_s"]),
        error(one),
    ]


def _first(one: Record) -> str:
    if not one["advice"]:
        return "nothing"
    first = one["advice"][0]
    return f"{first['pattern']} ({_percent(first['saves_s'] / one['predicted_s'])})"


def _verdict(one: Record) -> str:
    if inverted(one):
        return "inverted"
    return "yes" if right(one) else "no"


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %"


def _table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    right_hand = {"timed", "predicted", "error", "cured", "promised"}
    align = "".join("r" if one in right_hand else "l" for one in head)
    return ruled(head, rows, "github", align)

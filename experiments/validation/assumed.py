"""Assumptions of a study, with the range of each value and alternatives: ``assumptions.yaml``.

A path may begin with the name of a site, ``ior:machine.parts.cpu.call_overhead``, in a study of
several machines. ``*`` in the paths of ``left`` stands for any text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

import yaml

from simulator.errors import InputError
from simulator.shipped import shipped_root
from simulator.study.change import Settings

from .ranged import Scale, Template, moved, template

FORMAT = "assumptions/1"
_KEYS = {
    "": {"format", "points", "runs", "sites", "workloads", "refit", "values", "choices", "left"},
    "refit": {"path", "to"},
    "values": {"path", "name", "low", "high", "scale", "why"},
    "choices": {"name", "path", "of", "why"},
    "left": {"path", "why"},
}


class AssumptionsError(InputError):
    """A fault in a file of assumptions."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value, or several that are varied together, between two ends."""

    name: str
    paths: tuple[str, ...]
    low: Template
    high: Template
    scale: Scale
    why: str

    @property
    def site(self) -> str:
        """Site of its paths; empty in a study of one machine."""
        return site_of(self.paths[0])

    def settings(self, part: float) -> Settings:
        """Return the settings at a fraction of the range, from 0 to below 1."""
        text = moved(self.low, self.high, self.scale, part)
        return tuple((path, text) for path in self.paths)

    def side(self, part: float) -> str:
        """Return the name of the half of the range that contains a fraction."""
        if part >= 0.5:
            return f"from {moved(self.low, self.high, self.scale, 0.5)} on"
        counts = 1.0 in self.low.steps  # A value in both halves would be ambiguous.
        return f"up to {moved(self.low, self.high, self.scale, 0.4999 if counts else 0.5)}"


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice between alternatives, each with its settings."""

    name: str
    options: tuple[tuple[str, Settings], ...]
    """Name of each alternative, and its settings; the first is that of the study."""
    why: str

    @property
    def site(self) -> str:
        """Site of its paths; empty in a study of one machine."""
        return site_of(self.paths[0]) if self.paths else ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that it sets."""
        return tuple(dict.fromkeys(path for _, given in self.options for path, _ in given))

    def settings(self, part: float) -> Settings:
        """Return the settings of the option for a fraction of the range."""
        return self._option(part)[1]

    def side(self, part: float) -> str:
        """Return the name of that option."""
        return self._option(part)[0]

    def _option(self, part: float) -> tuple[str, Settings]:
        return self.options[int(part * len(self.options))]


@dataclass(frozen=True, slots=True)
class Refitted:
    """A calibrated value that is fitted again, and the figures to which it was fitted."""

    paths: tuple[str, ...]
    """The value, and others equal to it."""
    to: tuple[str, ...]

    @property
    def site(self) -> str:
        """Site of the paths; empty in a study of one machine."""
        return site_of(self.paths[0])


@dataclass(frozen=True, slots=True)
class NotVaried:
    """Values that are not varied, and the reason."""

    paths: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The assumptions file of a study."""

    study: str
    points: int
    runs: int | None
    """Repetitions of random runs, at each point; None: as in the study."""
    sites: Mapping[str, tuple[str, ...]]
    """Site -> its claims and figures, ``*`` for any text; empty in a study of one machine."""
    workloads: tuple[str, ...]
    """Workloads whose assumed values must also be listed."""
    refits: tuple[Refitted, ...]
    by_calibration: bool
    """True if they are fitted by the calibration in the study's file."""
    values: tuple[Value, ...]
    choices: tuple[Choice, ...]
    left: tuple[NotVaried, ...]

    @property
    def dimensions(self) -> tuple[Value | Choice, ...]:
        """All varied values and choices, in the order of a point's coordinates."""
        return (*self.values, *self.choices)

    def settings(self, point: Sequence[float]) -> Settings:
        """Return the settings of a point, which has a fraction of the range for each dimension."""
        each = zip(self.dimensions, point, strict=True)
        return tuple(setting for one, part in each for setting in one.settings(part))

    def site_of(self, id_: str) -> str:
        """Return the site of a claim or figure; empty if there are no sites, or it has none."""
        for site, patterns in self.sites.items():
            if any(fnmatchcase(id_, one) for one in patterns):
                return site
        return ""

    def sides(self, point: Sequence[float]) -> dict[str, str]:
        """Return the side of each range on which a point is."""
        return {one.name: one.side(part) for one, part in zip(self.dimensions, point, strict=True)}


def site_of(path: str) -> str:
    """Return the site in a path.

    >>> site_of("ior:machine.parts.cpu.call_overhead"), site_of("machine.name")
    ('ior', '')
    """
    return path.partition(":")[0] if ":" in path else ""


def assumed_studies(names: Iterable[str]) -> list[str]:
    """Return the studies that have a file of assumptions."""
    folder = shipped_root("experiments")
    return [name for name in names if (folder / name / "assumptions.yaml").is_file()]


def load_assumptions(study: str) -> Assumptions:
    """Read the assumptions of a shipped study; AssumptionsError lists the faults."""
    path = shipped_root("experiments") / study / "assumptions.yaml"
    if not path.is_file():
        raise AssumptionsError(f"no assumptions are listed for the study {study!r}")
    return read_assumptions(path.read_text(encoding="utf-8"), study)


def read_assumptions(text: str, study: str) -> Assumptions:
    """Read a file of assumptions; AssumptionsError lists the faults, one line for each."""
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise AssumptionsError(f"{study}: assumptions.yaml is no YAML: {error}") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise AssumptionsError(f"{study}: assumptions.yaml: begin with 'format: {FORMAT}'")
    problems = list(_problems(raw))
    if problems:
        lines = (f"{study}: assumptions.yaml: {one}" for one in problems)
        raise AssumptionsError("\n".join(lines))
    refit = raw.get("refit", [])
    return Assumptions(
        study=study,
        points=int(raw["points"]),
        runs=raw.get("runs"),
        sites={key: tuple(_listed(one)) for key, one in raw.get("sites", {}).items()},
        workloads=tuple(raw.get("workloads", ())),
        refits=tuple(
            Refitted(tuple(_listed(one["path"])), tuple(_listed(one["to"])))
            for one in (refit if isinstance(refit, list) else ())
        ),
        by_calibration=refit == "calibration",
        values=tuple(map(_value, raw.get("values", ()))),
        choices=tuple(map(_choice, raw.get("choices", ()))),
        left=tuple(
            NotVaried(tuple(_listed(one["path"])), one["why"]) for one in raw.get("left", ())
        ),
    )


def _value(raw: Mapping[str, Any]) -> Value:
    paths = tuple(_listed(raw["path"]))
    low, high = template(str(raw["low"])), template(str(raw["high"]))
    name = raw.get("name", paths[0].replace("machine.", "").replace("workload.", ""))
    return Value(name, paths, low, high, raw.get("scale", "log"), raw["why"])


def _choice(raw: Mapping[str, Any]) -> Choice:
    options = []
    for one in raw["of"]:
        if isinstance(one, dict):
            given = tuple((str(path), _text(text)) for path, text in one["set"].items())
            options.append((str(one["is"]), given))
        else:
            given = tuple((path, _text(one)) for path in _listed(raw["path"]))
            options.append((_text(one), given))
    return Choice(raw["name"], tuple(options), raw["why"])


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


# -- mistakes -------------------------------------------------------------------------------------


def _problems(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from _unknown(raw, "", "the file")
    if not isinstance(raw.get("points"), int) or raw["points"] < 1:
        yield f"points: {raw.get('points')!r} is no number of points; write one, like 32"
    for head in ("refit", "values", "choices", "left"):
        listed = raw.get(head, [])
        if head == "refit" and listed == "calibration":
            continue
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            yield f"{head}: write a list of mappings"
            continue
        for number, one in enumerate(listed):
            at = f"{head}.{number}"
            yield from _unknown(one, head, at)
            yield from _lacking(one, head, at)
    names = [one.name for one in _safe(raw)]
    for name in sorted({one for one in names if names.count(one) > 1}):
        yield f"{name} is listed twice; leave one of them out"


def _unknown(one: Mapping[str, Any], head: str, at: str) -> Iterator[str]:
    for key in one:
        if key not in _KEYS[head]:
            yield f"{at}: {key!r} is unknown; write one of {', '.join(sorted(_KEYS[head]))}"


def _lacking(one: Mapping[str, Any], head: str, at: str) -> Iterator[str]:
    needed = {
        "refit": ("path", "to"),
        "values": ("path", "low", "high", "why"),
        "choices": ("name", "of", "why"),
        "left": ("path", "why"),
    }[head]
    missing = [key for key in needed if not one.get(key)]
    if missing:
        yield f"{at}: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    elif head == "values":
        yield from _wrong_range(one, at)
    elif head == "choices":
        yield from _wrong_options(one, at)


def _wrong_range(one: Mapping[str, Any], at: str) -> Iterator[str]:
    scale = one.get("scale", "log")
    if scale not in get_args(Scale):
        yield f"{at}: scale: {scale!r} is unknown; write log or linear"
    low, high = template(str(one["low"])), template(str(one["high"]))
    if low.between != high.between:
        yield f"{at}: low {one['low']!r} and high {one['high']!r} differ in more than numbers"
    elif not low.numbers or low.numbers == high.numbers:
        yield f"{at}: from {one['low']!r} to {one['high']!r} is no range"
    elif any(a > b for a, b in zip(low.numbers, high.numbers, strict=True)):
        yield f"{at}: low {one['low']!r} is above high {one['high']!r}"
    elif scale == "log" and not all(low.numbers):
        yield f"{at}: 0 has no logarithm; write 'scale: linear'"


def _wrong_options(one: Mapping[str, Any], at: str) -> Iterator[str]:
    options = one["of"]
    if not isinstance(options, list) or len(options) < 2:
        yield f"{at}: of: write at least two options"
        return
    for option in options:
        if isinstance(option, dict):
            if option.keys() != {"is", "set"} or not isinstance(option["set"], dict):
                yield f"{at}: an option is a value, or {{is: .., set: {{path: value}}}}"
        elif not one.get("path"):
            yield f"{at}: the option {option!r} needs a path"


def _safe(raw: Mapping[str, Any]) -> Iterator[Value | Choice]:
    """Yield the valid ones of the values and choices."""
    kinds: tuple[tuple[Literal["values", "choices"], Any], ...] = (
        ("values", _value),
        ("choices", _choice),
    )
    for head, read in kinds:
        listed = raw.get(head, [])
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and not any(_lacking(one, head, "")):
                yield read(one)

"""A first requirement for a machine: what would make a workload of it faster, to be bought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.answers.again import InputsAgain, ask_wanted
from simulator.config.errors import ConfigError, Problem
from simulator.errors import InputError
from simulator.run import load_inputs, run_plan
from simulator.study.starter import FIRST, name_from
from simulator.units import format_time

if TYPE_CHECKING:
    from simulator.answers.levers import Lever
    from simulator.run import Inputs

MOST = 3
"""Choices of a first requirement."""
FASTER = 0.9
"""The target: this part of the time that it takes now."""

_TEXT = """\
# What machine do we need? Written by 'nwtsim new requirement'; docs/sizing.md explains the rest.
#
#   nwtsim check {file}          lists every mistake, and what to write instead
#   nwtsim size {file}           what to buy, what binds, what one step more costs and brings
#
# To add something, remove the '#' in front of its line.
format: requirement/1
name: {name}
machine: {machine}
currency: USD

# What the machine is to carry. 'growth' is that of its files in a year; see years.
workloads:
  load: {{workload: {workload}}}
#  other: {{workload: my-workload.yaml, weight: 2, growth: 20 %, set: {{processes: 4}}}}
#years: 3

# What has to hold; {workload} takes {now} now. Others: end, read_time, write_time, read_p95,
# write_p95, read_p99, write_p99, job_p95, job_p99 (at most), read, write, stable (at least, as 100
# MB/s), and capacity (what can be kept).
targets:
  - {{workload: load, elapsed: {target}}}
#  - {{workload: load, elapsed: {now}, states: [one less]}}
#  - {{capacity: 10 TB}}

# What may have failed: so many units of a choice less, or other settings.
#states:
#  one less: {{less: {{servers: 1}}}}

#budget: {{price: 100000, power: 5 kW}}
#confidence: 95 %      # of the mean run, where runs differ by chance (nwtsim size --seed 1)

# THESE PRICES ARE INVENTED: write those of your offers, and where they are from.
catalogue:
{catalogue}
#  server: {{price: 8000, power: 500 W, takes: {{disk: 24}}}}
#  disk: {{price: {{value: 300, source: measured offer of May}}, power: 8 W, size: 4 TB}}

# What is to be decided: ways with their settings, or a value that a setting takes.
# 'nwtsim show {machine} --knobs' lists what can be set.
choices:
{choices}
#  servers: {{set: oss, values: 2..16 x2, buys: {{server: 1}}}}
#  disks: {{set: ost.count, values: [1, 2, 4], per: servers, buys: {{disk: 10}}, redundancy: 8+2}}
"""


def starter_requirement(name: str, file: str, machine: str, workload: str | None = None) -> str:
    """Return the text of a first requirement; ``file`` is where it will be.

    ConfigError or InputError if no workload, or not that one, runs on the machine.
    """
    sources = [workload] if workload else [*FIRST]
    for source in sources:
        try:
            inputs = load_inputs(machine, source, noisy=False)
        except (ConfigError, InputError):
            if workload:
                raise
            continue
        return _written(name, file, inputs)
    about = f"none of {', '.join(sources)} runs on it; write --workload, and one that does"
    raise ConfigError([Problem(machine, 0, 0, "", about)])


def _written(name: str, file: str, inputs: Inputs) -> str:
    machine, workload = (name_from(file, str(source)) for source in inputs.sources)
    plan = inputs.plan()
    result = run_plan(plan)
    limits = ask_wanted(InputsAgain(inputs), plan, result, whole=False)
    found = [one.lever for one in (limits.matter or limits.limits)][:MOST]
    choices: list[str] = []
    catalogue: list[str] = []
    for number, lever in enumerate(one for one in found if one.settings("twice")):
        item = f"more-{lever.owner or lever.resource}".replace(" ", "-")
        if any(item in line for line in catalogue):
            item = f"{item}-{lever.what}"
        catalogue.append(f"  {item}: {{price: {1000 * (number + 1)}}}")
        choices += _choice(lever, item)
    if not choices:
        about = f"nothing of it makes {workload} faster; write --workload, and another one"
        raise InputError(f"{machine}: {about}")
    return _TEXT.format(
        name=name,
        file=file,
        machine=machine,
        workload=workload,
        now=format_time(result.elapsed_ns),
        target=f"{float(f'{FASTER * result.elapsed_ns / 1e9:.3g}'):g} s",
        catalogue="\n".join(catalogue),
        choices="\n".join(choices),
    )


def _choice(lever: Lever, item: str) -> list[str]:
    """Return a choice: as it is, or twice as good."""
    settings = ", ".join(f"{path}: {_quoted(text)}" for path, text in lever.settings("twice"))
    return [
        f"  {lever.name}:",
        "    options:",
        "      as it is: {}",
        f"      twice as good: {{set: {{{settings}}}, buys: {{{item}: 1}}}}",
    ]


def _quoted(text: str) -> str:
    return f'"{text}"' if text[:1] in "{[" else text

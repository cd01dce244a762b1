"""A first requirement for a machine: what could be bought to make a workload of it faster."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from simulator.answers.again import InputsAgain, ask_limits
from simulator.answers.limits import Limits
from simulator.config.errors import ConfigError, Problem
from simulator.config.formats import load_machine
from simulator.config.writing import scalar
from simulator.errors import InputError
from simulator.run import load_inputs, run_plan
from simulator.sizing.purchases import purchases_of
from simulator.study.starter import FIRST, name_from
from simulator.units import format_time
from simulator.wording import command_line

if TYPE_CHECKING:
    from simulator.run import Inputs

MOST = 3
"""Choices of a first requirement."""
FASTER = 0.9
"""The target: this part of the time that it takes now, or what half of the best lever saves."""
LEAST = 0.01
"""Of the time: what saves less is not offered."""

_TEXT = """\
# What machine do we need? Written by 'nwtsim new requirement'; docs/sizing.md explains the rest.
#
#   {check}          lists every mistake, and what to write instead
#   {size}           what to buy, what binds, what one step more costs and brings
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

# THESE PRICES ARE INVENTED: write those of your offers, and where they are from
# ('source: measured offer of May'). A size lets capacities be required, a power the budget of it.
catalogue:
{catalogue}
#  server: {{price: 8000, power: 500 W, takes: {{disk: 24}}}}
#  disk: {{price: {{value: 300, source: measured offer of May}}, power: 8 W, size: 4 TB}}

# What is to be decided: ways with their settings, or a value that a setting takes; here what makes
# {workload} faster by 1 % or more, and can be bought. What a device of another kind or generation
# does is a guess: write what its data sheet says. Settings: {knobs}
choices:
{choices}
#  servers: {{set: oss, values: 2..16 x2, buys: {{server: 1}}}}
#  disks: {{set: ost.count, values: [1, 2, 4], per: servers, buys: {{disk: 10}}, redundancy: 8+2}}
"""


def starter_requirement(name: str, file: str, machine: str, workload: str | None = None) -> str:
    """Return the text of a first requirement; ``file`` is where it will be.

    ConfigError or InputError if no workload, or not that one, runs on the machine.
    """
    load_machine(machine)  # Its mistakes are told, not that no workload runs on it.
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
    machine, workload = (scalar(name_from(file, str(source))) for source in inputs.sources)
    plan = inputs.plan()
    result = run_plan(plan)
    limits = ask_limits(InputsAgain(inputs), plan, result, wanted=True, chosen=True)
    assert isinstance(limits, Limits)
    found = [one for one in limits.limits if one.saves_ns > LEAST * limits.elapsed_ns]
    for_sale = purchases_of((one.lever for one in found), inputs.machine)
    choices = [*itertools.islice(for_sale, MOST)]
    if not choices:
        about = f"nothing that could be bought makes {workload} faster; write --workload, and"
        raise InputError(f"{machine}: {about} another one")
    items = {item: note for one in choices for item, note in one.items.items()}
    prices = {item: price for one in choices for item, price in one.prices.items()}
    saves = {one.lever: one.saves_ns for one in found}
    saved = max(saves[one.lever] for one in choices) / limits.elapsed_ns
    part = max(FASTER, 1 - saved / 2)
    return _TEXT.format(
        name=name,
        check=command_line("nwtsim", "check", file),
        size=command_line("nwtsim", "size", file),
        knobs=command_line("nwtsim", "show", inputs.sources[0], "--knobs"),
        machine=machine,
        workload=workload,
        now=format_time(result.elapsed_ns),
        target=f"{float(f'{part * result.elapsed_ns / 1e9:.3g}'):g} s",
        catalogue="\n".join(
            f'  {item}: {{price: {{value: {prices[item]}, source: assumed, note: "{note}"}}}}'
            for item, note in items.items()
        ),
        choices="\n".join(line for one in choices for line in one.lines),
    )

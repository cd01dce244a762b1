"""Requirements for tests: small ones, that run in milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.planned import Planned
from simulator.sizing.search import Search, size
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes

COPY = """\
format: requirement/1
name: copying
machine: workstation
currency: USD
workloads:
  copy: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}}
targets:
  - {workload: copy, elapsed: TIME}
  - {capacity: 3 TB}
catalogue:
  disk: {price: 100, power: 8 W, size: 1 TB}
  box: {price: 1000, power: 50 W, takes: {disk: 6}}
choices:
  boxes: {values: [1, 2], buys: {box: 1}}
  disks: {values: [1, 2, 3, 4], per: boxes, buys: {disk: 2}, redundancy: mirror}
  speed:
    options:
      slow: {set: {disk.rate: 40 MB/s}}
      fast: {set: {disk.rate: 160 MB/s}, buys: {box: 1}}
"""

WIDE = """\
format: requirement/1
name: wide
machine: workstation
workloads:
  copy: {workload: copy-file, set: {source.size: 8 MB, copy.size: 8 MB}}
targets:
  - {workload: copy, elapsed: TIME}
  - {capacity: 6 TB}
catalogue:
  disk: {price: 100, power: 8 W, size: 1 TB}
  box: {price: 700, power: 50 W, takes: {disk: 8}}
  turn: {price: 37}
  memory: {price: 90}
choices:
  boxes: {values: 1..4 +1, buys: {box: 1}}
  disks: {values: 1..6 +1, per: boxes, buys: {disk: 2}, redundancy: mirror}
  arm: {set: disk.rate, values: 40 MB/s..200 MB/s +20 MB/s, unit: 20 MB/s, buys: {turn: 1}}
  memory:
    set: memory.rate
    values: [100 MB/s, 200 MB/s, 400 MB/s, 800 MB/s]
    unit: 100 MB/s
    buys: {memory: 1}
  way:
    options:
      plain: {}
      near: {set: {disk.seek: 3 ms}, buys: {turn: 2}}
"""
"""1,728 combinations, of which 1,152 can be built."""


SHORTER = """\
format: requirement/1
name: shorter
machine: nwt
workloads:
  write: {workload: test-write}
targets: [{workload: write, end: 12 s}]
catalogue: {path: {price: 1}}
choices:
  paths: {set: paths.rate, values: 10 MB/s..80 MB/s +10 MB/s, unit: 10 MB/s, buys: {path: 1}}
  volumes: {set: array.rate, values: [18 MB/s, 36 MB/s, 72 MB/s], unit: 18 MB/s, buys: {path: 1}}
"""
"""A requirement of which short runs already rule out machines."""


COPIES = """\
workloads:
  copy:
    workload: copy-file
    set: {source.size: 8 MB, copy.size: 8 MB}
    growth: {set: {source.size: 50 %, copy.size: 50 %}}
"""
"""A load that is 1.5 times as large each year."""
GROWING = f"""\
format: requirement/1
name: growing
machine: workstation
currency: USD
{COPIES}\
years: 2
plan: {{discount: 25 %, price_falls: {{turn: 20 %}}}}
targets:
  - {{workload: copy, elapsed: 0.65 s}}
  - {{capacity: 2 TB}}
catalogue:
  disk: {{price: 100, power: 100 W, size: 1 TB}}
  turn: {{price: 50, power: 10 W}}
choices:
  disks: {{values: [1, 2, 3], buys: {{disk: 1}}}}
  arm: {{set: disk.rate, values: [20 MB/s, 40 MB/s, 80 MB/s], unit: 20 MB/s, buys: {{turn: 1}}}}
"""
"""Copies of 12 MB in year 1 and 18 MB in year 2: they need 40 MB/s and 80 MB/s."""
OWNED_GROWING = GROWING.replace(
    "catalogue:",
    "ownership: {years: 2, power_price: 0.5, pue: 2, support: 10 %, residual: 20 %}\ncatalogue:",
)


LAB = """\
format: machine/2
name: lab
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  store: {kind: array, disks: 5, level: raid5, rate: 100 MB/s, capacity: 4 TB, unit: 1 MB}
filesystems:
  home: [store]
"""
LAB_JOB = """\
format: workload/2
name: job
files: {data: {size: SIZE}}
jobs: [{name: one, record: 12 MB, policy: posix, phases: [{do: DO, file: data}]}]
"""
FAILING = ", mtbf: 100000 h, repair: 6400 s"
LAB_NEED = f"""\
format: requirement/1
name: need
machine: m.yaml
workloads: {{job: job.yaml}}
targets: [{{workload: job, elapsed: TIME}}, TARGETS]
catalogue:
  disk: {{price: 100, size: 4 TB{FAILING}}}
choices:
  CHOICES
"""
"""What is bought for one array of disks, on which all files lie."""


def requirement(text: str, **places: Any) -> Text:
    """Return a requirement, with words of capitals replaced."""
    for word, value in places.items():
        assert word in text
        text = text.replace(word, str(value))
    return Text(text, "requirement.yaml")


def found_for(text: str, *, jobs: int = 1, **options: Any) -> Planned:
    """Look for the plan of a requirement, without noise."""
    given = Text(text, "r.yaml")
    found = size(given, noise=False, executor=Processes(jobs), **options)
    assert isinstance(found, Planned)
    return found


def searched(made: Loads, *, everything: bool = False) -> Sized:
    """Search among the configurations of some loads, without noise, in this process."""
    evaluator = Evaluator(made, seed=None, replications=1)
    return Search(evaluator, everything=everything, executor=Processes(1)).run()


def mistake_in(good: str, change: tuple[str, str], read: Callable[[str], object]) -> ConfigError:
    """Return what is said of a text of which one place was changed."""
    old, new = change
    assert good.count(old) == 1, old
    with pytest.raises(ConfigError) as caught:
        read(good.replace(old, new))
    return caught.value


def check_years(found: Planned) -> None:
    """Check that the machine of each year of a plan was run with its loads, and meets them."""
    for place, (sized, one) in enumerate(found.of_years()):
        assert sized.requirement.years == place + 1
        assert sized.outcomes[one.number].meets

"""Requirements for tests: small ones, that run in milliseconds."""

from __future__ import annotations

from typing import Any

from simulator.inputfile import Text

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


def requirement(text: str, **places: Any) -> Text:
    """Return a requirement, with words of capitals replaced."""
    for word, value in places.items():
        assert word in text
        text = text.replace(word, str(value))
    return Text(text, "requirement.yaml")

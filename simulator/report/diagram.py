"""The block diagram of a machine, drawn with characters, with the values of its file in it.

From above: PEs, crossbar, SSU, front end, storage; beside them, where there is a LAN, the control
processors and the LAN, the way of NFS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.config import Machine

WIDTH = 100
_GAP = 3


def diagram(machine: Machine) -> str:
    """Draw a machine.

    The lines end without blanks, and none is longer than 100 characters as long as the names of
    the storages are of a usual length.
    """
    from simulator.config import provenance

    values = _Values({one.path: one.value for one in provenance(machine)})
    left, right = _upper(machine, values)
    parts = [left, right] if right else [left]
    cells = [_boxed(lines) for lines in parts]
    below = [_boxed(lines) for lines in _lower(machine, values)]
    chain = [_boxed(lines) for lines in _storages(machine, values)]
    width = max(_width_of(row) for row in (cells, below, *_rows_of(chain)))
    lines = [*_beside(cells, width), *_wires(len(cells), width)]
    lines += [" crossbar ".center(width, "="), *_wires(len(below), width)]
    lines += [*_beside(below, width), *_wires(len(below), width)]
    lines += [*_boxed(_frontend(machine, values), width), *_wires(1, width)]
    for row in _rows_of(chain):
        lines += _beside(row, width)
    return "\n".join(line.rstrip() for line in lines)

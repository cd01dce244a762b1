"""The block diagram of a machine, drawn with characters, with the values of its file in it.

From above: PEs, crossbar, SSU, front end, storage. Beside them, where there is a LAN, are the
control processors and the LAN, the way that NFS takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config import Machine

_GAP = 3
Values = Mapping[str, str]
"""Each value of a machine as its author wrote it, by its path."""


def diagram(machine: Machine) -> str:
    """Draw a machine."""
    from simulator.config import provenance

    values = {one.path: one.value for one in provenance(machine)}
    frontend, storage = _frontend(values), _storage(machine, values)
    upper = [_processors(machine, values)]
    lower = [_ssu(values) if machine.ssu is not None else []]
    if machine.lan is not None:
        upper.append(_control(machine))
        lower.append(_lan(machine, values))
    widths = [_widest(boxes) + 4 for boxes in zip(upper, lower, strict=True)]
    widths[-1] += max(0, _widest([frontend, storage]) + 4 - _whole(widths))
    whole, centres = _whole(widths), _centres(widths)
    port = f"{values['crossbar.port_rate']} each way, each port"
    lines = [
        *_row(upper, widths, above=False),
        _wires(whole, centres, port),
        _bar(whole, centres),
        _wires(whole, centres),
        *_row(lower, widths, above=True),
        _wires(whole, centres),
        *_box(frontend, whole, above=centres, below=centres[:1]),
        _wires(whole, centres[:1]),
        *_box(storage, whole, above=centres[:1], below=()),
    ]
    return "\n".join(line.rstrip() for line in lines)


# -- what is in the boxes ---------------------------------------------------------------------


def _processors(machine: Machine, values: Values) -> list[str]:
    pe = machine.pe
    memory = f"{pe.small} with {values['pe.small_memory']}"
    if pe.large:
        memory += f", {pe.large} with {values['pe.large_memory']}"
    return [
        f"{pe.small + pe.large} processing elements (PEs): {memory}",
        f"copy {values['pe.copy_rate']}; a call {values['pe.call_overhead']}, a statement"
        f" {values['pe.record_overhead']}",
        f"Fortran buffer {values['fortran.buffer']}, a flush or refill"
        f" {values['fortran.turn_overhead']}; policy {values['fortran.policy']}",
    ]


def _control(machine: Machine) -> list[str]:
    return [counted(machine.pe.control, "control processor")]


def _ssu(values: Values) -> list[str]:
    share = values.get("ssu.share")
    limit = f"; quota of one file: {share}" if share else ""
    return [
        f"SSU: {values['ssu.capacity']} in units of {values['ssu.unit']}{limit}",
        f"{values['ssu.channels']} channels{_ports(values)}: {values['ssu.read_rate']} to the PEs,"
        f" {values['ssu.write_rate']} from them",
        f"write-back by {values['ssu.writeback.workers']} workers; started by:"
        f" {values['ssu.writeback.start'].strip('[]')}",
    ]


def _ports(values: Values) -> str:
    """How many ports the channels are behind, if it is not one."""
    ports = values["ssu.ports"]
    return "" if ports == "1" else f", {ports} ports"


def _lan(machine: Machine, values: Values) -> list[str]:
    lines = [f"LAN: {values['lan.rate']} ({values['lan.sharing']})"]
    if machine.nfs is not None:
        lines.append(f"NFS in requests of {values['nfs.rpc_size']}")
    return lines


def _frontend(values: Values) -> list[str]:
    paths, rate = values["frontend.paths"], values["frontend.path_rate"]
    return [f"front end: {paths} I/O paths of {rate} each"]


def _storage(machine: Machine, values: Values) -> list[str]:
    """One line for each storage: how many volumes, how fast, which file systems."""
    rows = []
    for name, storage in machine.storage.items():
        stripes = [
            f"{system} ({counted(it.stripes, 'stripe')})"
            for system, it in machine.filesystems.items()
            if it.storage == name
        ]
        volumes = f"{values[f'storage.{name}.count']} x {storage.kind}"
        rate = f"{values[f'storage.{name}.rate']} each"
        rows.append([name, volumes, rate, f"file systems: {', '.join(stripes) or 'none'}"])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


# -- drawing ----------------------------------------------------------------------------------


def _widest(boxes: Sequence[Sequence[str]]) -> int:
    return max(len(line) for lines in boxes for line in ["", *lines])


def _whole(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _centres(widths: Sequence[int]) -> list[int]:
    starts = [sum(widths[:i]) + _GAP * i for i in range(len(widths))]
    return [start + width // 2 for start, width in zip(starts, widths, strict=True)]


def _row(boxes: Sequence[Sequence[str]], widths: Sequence[int], *, above: bool) -> list[str]:
    """Draw boxes side by side, equally high; an empty one is only a wire."""
    height = max(map(len, boxes))
    drawn = []
    for lines, width in zip(boxes, widths, strict=True):
        middle = [width // 2]
        if lines:
            filled = [*lines, *[""] * (height - len(lines))]
            drawn.append(_box(filled, width, above=middle if above else (), below=middle))
        else:
            drawn.append([_wires(width, middle)] * (height + 2))
    return [(" " * _GAP).join(parts) for parts in zip(*drawn, strict=True)]


def _box(
    lines: Sequence[str], width: int, *, above: Sequence[int], below: Sequence[int]
) -> list[str]:
    """Draw a box with wires coming in at these places."""
    inside = [f"| {line.ljust(width - 4)} |" for line in lines]
    return [_edge(width, above), *inside, _edge(width, below)]


def _edge(width: int, joints: Sequence[int]) -> str:
    return "".join("+" if i in (0, width - 1, *joints) else "-" for i in range(width))


def _bar(width: int, joints: Sequence[int]) -> str:
    named = "== crossbar ".ljust(width, "=")
    return "".join("+" if i in joints else named[i] for i in range(width))


def _wires(width: int, joints: Sequence[int], label: str = "") -> str:
    """Draw wires, with a label at the first if there is room for it."""
    line = "".join("|" if i in joints else " " for i in range(width))
    place = joints[0] + 2
    free = not line[place : place + len(label) + 1].strip()
    return f"{line[:place]}{label}{line[place + len(label) :]}" if free else line

"""Reports of parallel input and output: a run for people and programs, and the block diagram."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulate import tabulate

from simulator.config.ioplan import method_of
from simulator.config.parallel import ArrayIo, ParallelIo
from simulator.config.sources import provenance
from simulator.parallel import load_inputs, run_parallel
from simulator.report.values import summary
from simulator.report.versions import versions
from simulator.runtime.iocodes import PARTS
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.document import Document
    from simulator.engine.ioresult import IoResult
    from simulator.run import EngineName


@dataclass(frozen=True, slots=True)
class ParallelRun:
    """A finished run and its reports."""

    machine: ParallelIo
    workload: ArrayIo
    result: IoResult
    asked: str = "auto"
    """The engine that was asked for."""

    def to_json(self) -> str:
        """The record for programs."""
        method = method_of(self.machine, self.workload)
        record = {"method": method, **self.result.to_record(), "versions": versions()}
        return json.dumps(record, indent=2) + "\n"

    def to_text(self) -> str:
        """The report for people."""
        return "\n\n".join([self._head(), self._where(), self._moved(), self._sources()]) + "\n"

    def _head(self) -> str:
        result, work = self.result, self.workload
        method = method_of(self.machine, work)
        one = work.processes == 1
        who = (
            f"1 process {work.operation}s"
            if one
            else f"{work.processes} processes {work.operation}"
        )
        seconds = result.elapsed_ns / 1e9
        title = self.machine.title
        why = " (auto: the fastest available)" if self.asked == "auto" else ""
        lines = [
            f"{work.name} on {self.machine.name}" + (f" ({title})" if title else ""),
            f"seed {result.seed}; {result.engine} engine{why}; input {result.digest[:12]}",
            "",
            f"{who} {format_size(work.array.size)} "
            f"in pieces of {format_size(work.array.piece)}: {work.interface}, by {method}",
            f"{seconds:.3f} s, {result.rate / 1e6:.1f} MB/s in total; "
            f"on disk after {result.end_ns / 1e9:.3f} s",
        ]
        return "\n".join(lines)

    def _where(self) -> str:
        """Return the mean time of the processes by resource."""
        result = self.result
        count = len(result.threads)
        whole = sum(one.elapsed_ns for one in result.threads)
        rows = []
        for part in PARTS:
            wait = sum(one.parts.get(part, (0, 0))[0] for one in result.threads)
            service = sum(one.parts.get(part, (0, 0))[1] for one in result.threads)
            if wait or service:
                share = 100 * (wait + service) / whole
                rows.append(
                    [
                        part,
                        f"{wait / count / 1e9:.3f}",
                        f"{service / count / 1e9:.3f}",
                        f"{share:.1f}",
                    ]
                )
        head = ["where the time went", "waiting, s", "service, s", "%"]
        table = tabulate(rows, headers=head, disable_numparse=True, tablefmt="simple")
        if not any(row[0] == "disks" for row in rows):
            return table
        return f"{table}\n(disks: until the blocks have arrived, whichever process requested them)"

    def _moved(self) -> str:
        """Calls, messages, blocks and bytes."""
        result = self.result
        looked = result.total("hits") + result.total("misses")
        rows = [
            ["system calls", f"{result.calls:,}"],
            ["messages between nodes", f"{result.total('messages'):,}"],
            ["bytes between nodes", format_size(result.total("sent"))],
            ["other bytes copied", _bytes(result.copied)],
            ["bytes from disks", _bytes(result.total("disk_read"))],
            ["bytes to disks", _bytes(result.total("disk_written"))],
            ["blocks found in buffer caches", f"{result.total('hits'):,} of {looked:,}"],
            ["blocks read ahead", f"{result.total('read_ahead'):,}"],
            *([name, format_size(size)] for name, size in result.memory.items()),
        ]
        return tabulate(rows, disable_numparse=True, tablefmt="plain")

    def _sources(self) -> str:
        return f"{summary(provenance(self.machine))}: nwtsim show {self.machine.name}"


def _bytes(size: int) -> str:
    return format_size(size) if size else "0 B"


def run(
    machine: str,
    workload: str,
    *,
    settings: list[tuple[str, str]],
    seed: int | None,
    engine: EngineName,
    debug: bool,
) -> ParallelRun:
    """Run a workload, for the commands."""
    nodes, work = load_inputs(machine, workload, settings)
    result = run_parallel(nodes, work, seed=seed or 0, engine=engine, debug=debug)
    return ParallelRun(nodes, work, result, engine)


def draw(machine: Document) -> str:
    """The block diagram: nodes on the crossbar, and what is in each."""
    values = {one.path: one.value for one in provenance(machine)}
    boxes = [
        [
            "process and its library",
            f"call {values['library.call_overhead']}",
            f"transfer buffer {values['library.transfer_buffer']}",
        ],
        [
            "I/O node",
            f"request {values['ionode.request_overhead']}",
            f"buffer cache {values['ionode.buffer_cache']}",
            f"blocks of {values['ionode.block']}, {values['ionode.prefetch']} read ahead",
        ],
        [
            f"bus {values['raid.bus_rate']}",
            "RAID unit",
            f"cache {values['raid.cache']}",
            f"disks {values['raid.rate']}",
        ],
    ]
    width = max(len(line) for box in boxes for line in box) + 4
    top = f"crossbar: {values['crossbar.port_rate']} each way, each port"
    across = "=" * max(len(top) + 4, width + 12)
    lines = [top, across, "|".rjust(width // 2 + 1)]
    for number, box in enumerate(boxes):
        lines.append("+" + "-" * (width - 2) + "+")
        lines += [f"| {line.ljust(width - 4)} |" for line in box]
        lines.append("+" + "-" * (width - 2) + "+")
        if number < len(boxes) - 1:
            lines.append("|".rjust(width // 2 + 1))
    lines[len(lines) // 2] += f"   x {values['nodes']} nodes"
    return "\n".join(lines)

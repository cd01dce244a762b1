"""``parallel-io/1`` and ``array-io/1`` -> version 2: I/O nodes, RAID units, phases of MPI-IO."""

from __future__ import annotations

from simulator.config.convert.call_files import Comments
from simulator.config.convert.old import bare, found, head_comment, head_of, kept, picked, valued
from simulator.config.convert.parallel_io import ARRAY, PARALLEL, ArrayIo, file_size
from simulator.config.convert.writing import Flow, Value, document
from simulator.config.errors import ConfigError
from simulator.config.nodes import Mapping, Node, Scalar, Sequence
from simulator.units import format_size

NODE, CROSSBAR, SERVER, RAID, BUFFERS = "node", "crossbar", "io", "raid", "buffers"
FILES, ARRAY_FILE = "files", "array"
_CROSSBAR = "port_rate:rate latency"
_SERVER = "servers request_overhead:overhead piece_overhead:piece copy_rate"
_RAID = "rate overhead seek turn:rotation cache bus_rate bus_overhead"
_CACHE = "buffer_cache:capacity block prefetch"
_LIBRARY = (
    "call_overhead item_overhead item_size stride_size copy_rate transfer_buffer sieve_buffer"
    " exchange_buffer:collective_buffer lock_overhead barrier_overhead"
)
_FEATURES = "stride_io list_io collective:disk_directed file_lock"
_REGION = "size block:stripe subfiles:over order"
_ACCESS = {"unix": "contiguous", "view": "view", "collective": "collective"}
_METHODS = {"unix": "seek", "offsets": "offset"}


def convert_parallel(text: str, name: str) -> str:
    """Return the new text of a machine; ConfigError with the mistakes of the old one."""
    section, tree, _ = PARALLEL.parse(text, name, ())
    striping = tree.entries["striping"]
    assert isinstance(striping, Mapping)
    if "order" in striping.entries:
        about = "a machine has no order of I/O nodes any more; write 'subfiles: 8' here, and"
        problem = striping.keys["order"].problem(
            "striping.order", f"{about} 'layout:' with an order in the files of the workload"
        )
        raise ConfigError([problem])
    made = head_of(tree, "machine/2", section.name)
    made["nodes"] = {NODE: Flow({"count": kept(tree.entries["nodes"]) or 1})}
    made["parts"] = {
        CROSSBAR: {
            "kind": "network",
            "at": NODE,
            **picked(tree, _CROSSBAR, "crossbar"),
            "switching": "circuit",
        },
        SERVER: {"kind": "io-server", "at": NODE, **picked(tree, _SERVER, "ionode")},
        RAID: {"kind": "raid", "at": NODE, **picked(tree, _RAID, "raid")},
    }
    made["buffer_caches"] = {BUFFERS: {"at": NODE, **picked(tree, _CACHE, "ionode")}}
    header = kept(found(tree, "crossbar", "header")) or 0
    made["filesystems"] = {
        FILES: [
            Flow({**picked(tree, "block:stripe subfiles:over", "striping"), "of": NODE}),
            Flow({"route": [CROSSBAR], "header": header, "server": SERVER}),
            BUFFERS,
            RAID,
        ]
    }
    library = picked(tree, _LIBRARY, "library") | picked(tree, _FEATURES, "features")
    made["runtime"] = {"mpi_io": library}
    return document(head_comment(text), made)


def convert_array(text: str, name: str) -> str:
    """Return the new text of an array; ConfigError with the mistakes of the old one."""
    section, tree, _ = ARRAY.parse(text, name, ())
    notes = Comments(text)
    made = head_of(tree, "workload/2", section.name)
    file: dict[str, Value] = {"size": _file_size(section, tree, notes), "shared": "true"}
    exists = _noted(notes, found(tree, "array", "exists"))
    if section.operation == "read" or exists is None:
        file["exists"] = "true"
    else:
        file["exists"] = exists
    layout = _layout(tree)
    if layout:
        file["layout"] = layout
    made["files"] = {ARRAY_FILE: file}
    job: dict[str, Value] = {
        "name": ARRAY_FILE,
        "processes": _noted(notes, tree.entries["processes"]) or 1,
    }
    if "skew" in tree.entries:
        job["skew"] = kept(tree.entries["skew"]) or "0 s"
    job["phases"] = _phases(section, tree, notes)
    made["jobs"] = [job]
    return document(head_comment(text), made)


def _noted(notes: Comments, node: Node | None) -> Value | None:
    """Return a value with the comment behind it."""
    return None if node is None else notes.with_note(node, kept(node) or "")


def _file_size(section: ArrayIo, tree: Mapping, notes: Comments) -> Value:
    """Return the size of the file, which had to be added up where there are gaps."""
    size = _noted(notes, found(tree, "array", "size"))
    if not section.array.gap:
        return size or 0
    return valued(format_size(file_size(section)), "", "rows with the gaps between them")


def _phases(section: ArrayIo, tree: Mapping, notes: Comments) -> list[Value]:
    phase: dict[str, Value] = {
        "do": f"mpi-{section.operation}",
        "file": ARRAY_FILE,
        "block": _noted(notes, found(tree, "array", "piece")) or 0,
    }
    if section.array.gap:
        row = section.processes * section.array.piece
        phase["stride"] = format_size(row + section.array.gap)
        phase["size"] = _noted(notes, found(tree, "array", "size")) or 0
    phase["access"] = _word(tree.entries["interface"], _ACCESS)
    if "method" in tree.entries:
        phase["method"] = _word(tree.entries["method"], _METHODS)
    compute: Value = Flow({"do": "compute", "time": kept(tree.entries.get("compute")) or "0 s"})
    if section.asynchronous:
        phase["nonblocking"] = "true"
    phases: list[Value] = [Flow(phase)]
    if section.compute:
        phases.append(compute)
    if section.asynchronous:
        phases.append(Flow({"do": "wait"}))
    return phases


def _word(node: Node, words: dict[str, str]) -> Value:
    """Return a value with another word, and the source and note that it had."""
    inner = bare(node)
    assert isinstance(inner, Scalar)
    new = words.get(inner.text, inner.text)
    if inner is node or not isinstance(node, Mapping):
        return new
    return Flow({**node.entries, "value": new})


def _layout(tree: Mapping) -> Value | None:
    regions = tree.entries.get("regions")
    if isinstance(regions, Sequence):
        return [Flow(picked(one, _REGION)) for one in regions.items]
    return [Flow(picked(tree, _REGION, "striping"))] if "striping" in tree.entries else None

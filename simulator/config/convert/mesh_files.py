"""``workstations/1`` and ``mesh/1`` -> version 2: processors, message servers, a job."""

from __future__ import annotations

from simulator.config.convert.old import bare, found, head_comment, kept
from simulator.config.convert.workstations import KINDS
from simulator.config.convert.writing import Flow, Value, document
from simulator.config.nodes import Mapping, Scalar

_CPU = {"size": "size", "line": "line", "line_time": "line_time"}
_PAGING = {"rate": "rate", "seek": "seek", "turn": "rotation", "overhead": "overhead"}
_MESSAGES = (
    "interval",
    "poll",
    "send",
    "deliver",
    "lookup",
    "copy_rate",
    "header",
    "location_cache",
)
_MESH = ("rows", "columns", "point", "loops", "order")
NODE = "node"
PROCESSOR, LAN, MESSAGES, PROCESSES, MESH = "processor", "lan", "messages", "processes", "mesh"


def convert_workstations(text: str, name: str) -> str:
    """Return the new text of workstations; ConfigError with the mistakes of the old one."""
    section, tree, _ = KINDS[0].parse(text, name, ())
    made = head_of(tree, "machine/2", section.name)
    made["nodes"] = {NODE: Flow({"count": kept(tree.entries["count"]) or 1})}
    made["parts"] = {PROCESSOR: Flow(_processor(tree)), LAN: Flow(_lan(tree))}
    made["messages"] = Flow([[LAN]])
    server = picked(tree, "message_server", {key: key for key in _MESSAGES})
    maker = picked(tree, "process_server", {"create": "create"})
    made["services"] = {
        MESSAGES: {"kind": "message-server", "at": NODE, **server},
        PROCESSES: {"kind": "process-server", "at": NODE, **maker},
    }
    return document(head_comment(text), made)


def convert_mesh(text: str, name: str) -> str:
    """Return the new text of a mesh; ConfigError with the mistakes of the old one."""
    section, tree, _ = KINDS[1].parse(text, name, ())
    made = head_of(tree, "workload/2", section.name)
    phase: dict[str, Value] = {"do": "mesh"}
    for key in _MESH:
        value = kept(tree.entries.get(key))
        if value is not None:
            phase[key] = value
    job: dict[str, Value] = {
        "name": MESH,
        "processes": kept(tree.entries["nodes"]) or 1,
        "launched": "true",
        "phases": [phase],
    }
    made["jobs"] = [job]
    return document(head_comment(text), made)


def head_of(tree: Mapping, format_: str, name: str) -> dict[str, Value]:
    """Return what every file begins with: format, name, title, references."""
    made: dict[str, Value] = {"format": format_, "name": name}
    for key in ("title", "references"):
        node = tree.entries.get(key)
        if node is not None:
            made[key] = node.entries if isinstance(node, Mapping) else node
    return made


def picked(tree: Mapping, section: str, keys: dict[str, str]) -> dict[str, Value]:
    """Return values of an old section that are there, under their new keys."""
    made: dict[str, Value] = {}
    for key, new in keys.items():
        value = kept(found(tree, *section.split("."), key))
        if value is not None:
            made[new] = value
    return made


def _processor(tree: Mapping) -> dict[str, Value]:
    made: dict[str, Value] = {"kind": "processor", "at": NODE}
    made |= picked(tree, "cpu", {"update": "update"})
    cache = picked(tree, "cpu.cache", _CPU)
    if cache:
        made["cache"] = cache
    made |= picked(tree, "memory", {"page": "page", "resident": "resident"})
    made["paging"] = picked(tree, "paging", _PAGING)
    variation = picked(tree, "cpu", {"variation": "request"})
    if variation:
        made["noise"] = {**variation, "stream": "cpu{i}"}
    return made


def _lan(tree: Mapping) -> dict[str, Value]:
    sharing = bare(found(tree, "lan", "sharing"))
    fair = isinstance(sharing, Scalar) and sharing.text == "fair"
    kind = "shared" if fair else "queue"
    return {"kind": kind, **picked(tree, "lan", {"rate": "rate", "latency": "overhead"})}

"""``workstations/1`` and ``mesh/1`` -> version 2: processors, message servers, a job."""

from __future__ import annotations

from simulator.config.convert.old import bare, found, head_comment, head_of, kept, picked
from simulator.config.convert.workstations import KINDS
from simulator.config.convert.writing import Flow, Value, document
from simulator.config.nodes import Mapping, Scalar

_CPU = "size line line_time"
_PAGING = "rate seek turn:rotation overhead"
_MESSAGES = "interval poll send deliver lookup copy_rate header location_cache"
_MESH = "rows columns point loops order"
NODE = "node"
PROCESSOR, LAN, MESSAGES, PROCESSES, MESH = "processor", "lan", "messages", "processes", "mesh"


def convert_workstations(text: str, name: str) -> str:
    """Return the new text of workstations; ConfigError with the mistakes of the old one."""
    section, tree, _ = KINDS[0].parse(text, name, ())
    made = head_of(tree, "machine/2", section.name)
    made["nodes"] = {NODE: Flow({"count": kept(tree.entries["count"]) or 1})}
    made["parts"] = {PROCESSOR: Flow(_processor(tree)), LAN: Flow(_lan(tree))}
    made["messages"] = Flow([[LAN]])
    server = picked(tree, _MESSAGES, "message_server")
    maker = picked(tree, "create", "process_server")
    made["services"] = {
        MESSAGES: {"kind": "message-server", "at": NODE, **server},
        PROCESSES: {"kind": "process-server", "at": NODE, **maker},
    }
    return document(head_comment(text), made)


def convert_mesh(text: str, name: str) -> str:
    """Return the new text of a mesh; ConfigError with the mistakes of the old one."""
    section, tree, _ = KINDS[1].parse(text, name, ())
    made = head_of(tree, "workload/2", section.name)
    phase: dict[str, Value] = {"do": "mesh", **picked(tree, _MESH)}
    job: dict[str, Value] = {
        "name": MESH,
        "processes": kept(tree.entries["nodes"]) or 1,
        "launched": "true",
        "phases": [phase],
    }
    made["jobs"] = [job]
    return document(head_comment(text), made)


def _processor(tree: Mapping) -> dict[str, Value]:
    made: dict[str, Value] = {"kind": "processor", "at": NODE}
    made |= picked(tree, "update", "cpu")
    cache = picked(tree, _CPU, "cpu", "cache")
    if cache:
        made["cache"] = cache
    made |= picked(tree, "page resident", "memory")
    made["paging"] = picked(tree, _PAGING, "paging")
    variation = picked(tree, "variation:request", "cpu")
    if variation:
        made["noise"] = {**variation, "stream": "cpu{i}"}
    return made


def _lan(tree: Mapping) -> dict[str, Value]:
    sharing = bare(found(tree, "lan", "sharing"))
    fair = isinstance(sharing, Scalar) and sharing.text == "fair"
    kind = "shared" if fair else "queue"
    return {"kind": kind, **picked(tree, "rate latency:overhead", "lan")}

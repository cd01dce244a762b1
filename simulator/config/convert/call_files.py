"""``server/1`` and ``calls/1`` -> version 2: links, sites, numerical servers and their clients.

Each kind of clients becomes a group of nodes, and each server a group of one.
"""

from __future__ import annotations

from simulator.config.convert.calls import CALLS, SERVER
from simulator.config.convert.old import (
    found,
    head_comment,
    head_of,
    is_valued,
    kept,
    picked,
    valued,
)
from simulator.config.convert.servers import Servers
from simulator.config.convert.storage_machine import spelt
from simulator.config.convert.writing import Flow, Value, document
from simulator.config.nodes import Mapping, Node, Scalar, Sequence

CLIENTS = 256
"""Nodes of each kind of clients, of which the old format did not say how many there are."""
_HOST = "conversion accept start favoured at_once"
_PHASE = ("problem", "n", "library", "server", "site")
_TRIALS = ("every", "chance", "continues", "first", "spread")
_NOTED = ("count", "n", *_TRIALS)
"""Values that can have a note."""


def convert_servers(text: str, name: str) -> str:
    """Return the new text of servers; ConfigError with the mistakes of the old one."""
    section, tree, _ = SERVER.parse(text, name, ())
    made = head_of(tree, "machine/2", section.name)
    made["nodes"] = _nodes(section)
    made["parts"] = _parts(section, tree)
    made["sites"] = {
        spelt(site): Flow({"network": f"{spelt(site)}-lan", "line": f"{spelt(site)}-line"})
        for site in section.sites
    }
    made["services"] = {**_servers(section, tree), **_clients(section, tree)}
    return document(head_comment(text), made)


def client_group(kind: str) -> str:
    """Return the group of nodes that a kind of clients becomes."""
    return f"{spelt(kind)}-client"


def _nodes(section: Servers) -> dict[str, Value]:
    count = valued(str(CLIENTS), "", "more than any workload asks for")
    made: dict[str, Value] = {
        client_group(name): Flow({"count": count}) for name in section.clients
    }
    return {**made, **{spelt(name): 1 for name in section.servers}}


def _parts(section: Servers, tree: Mapping) -> dict[str, Value]:
    """Links before processors: in one nanosecond transfers end first, as they did."""
    made: dict[str, Value] = {}
    for name in section.sites:
        for link in ("lan", "line"):
            values = picked(tree, f"{link}:rate {link}_latency:latency", "sites", name)
            made[f"{spelt(name)}-{link}"] = Flow({"kind": "link", **values})
    for name in section.servers:
        values = picked(tree, "link:rate", "servers", name)
        made[f"{spelt(name)}-link"] = Flow({"kind": "link", "at": spelt(name), **values})
    for name in section.clients:
        group = client_group(name)
        values = picked(tree, "link:rate", "clients", name)
        made[f"{group}-link"] = Flow({"kind": "link", "at": group, **values})
    for name in section.servers:
        values = picked(tree, "pes gang", "servers", name)
        made[f"{spelt(name)}-pes"] = Flow({"kind": "timeshare", "at": spelt(name), **values})
    return made


def _servers(section: Servers, tree: Mapping) -> dict[str, Value]:
    made: dict[str, Value] = {}
    for name, one in section.servers.items():
        values = picked(tree, _HOST, "servers", name)
        made[spelt(name)] = {
            "kind": "numerical-server",
            "at": spelt(name),
            "site": spelt(one.site),
            **values,
            "libraries": _libraries(tree, ("servers", name)),
        }
    return made


def _clients(section: Servers, tree: Mapping) -> dict[str, Value]:
    made: dict[str, Value] = {}
    for name in section.clients:
        values = picked(tree, "conversion", "clients", name)
        client = {"kind": "numerical-client", "at": client_group(name), **values}
        libraries = _libraries(tree, ("clients", name))
        if libraries:
            client["libraries"] = libraries
        made[client_group(name)] = client
    return made


def _libraries(tree: Mapping, at: tuple[str, str]) -> dict[str, Value]:
    libraries = found(tree, *at, "libraries")
    if not isinstance(libraries, Mapping):
        return {}
    return {name: Flow(one) for name, one in libraries.entries.items()}


# -- calls ----------------------------------------------------------------------------------------


def convert_calls(text: str, name: str) -> str:
    """Return the new text of calls; ConfigError with the mistakes of the old one."""
    section, tree, _ = CALLS.parse(text, name, ())
    notes = Comments(text)
    made = head_of(tree, "workload/2", section.name)
    clients = tree.entries["clients"]
    assert isinstance(clients, Sequence)
    shared = picked(tree, "choose duration")
    for key in shared:
        shared[key] = notes.with_note(tree.entries[key], shared[key])
    made["jobs"] = [_job(one, notes, shared) for one in clients.items if isinstance(one, Mapping)]
    return document(head_comment(text), made)


def _job(one: Mapping, notes: Comments, shared: dict[str, Value]) -> dict[str, Value]:
    def value(key: str) -> Value | None:
        node = one.entries.get(key)
        if node is None:
            return None
        return notes.with_note(node, kept(node) or "") if key in _NOTED else kept(node)

    client = one.entries["client"]
    assert isinstance(client, Scalar)
    phase: dict[str, Value] = {"do": "calls"}
    for key in (*_PHASE, *_TRIALS):
        got = value(key)
        if got is not None:
            phase[key] = _spelt_node(one.entries[key], got) if key in ("server", "site") else got
    phase |= shared
    count = value("count")
    return {
        "name": one.entries["name"],
        **({} if count is None else {"processes": count}),
        "on": client_group(client.text),
        "phases": [Flow(phase)],
    }


def _spelt_node(node: Node, value: Value) -> Value:
    return spelt(node.text) if isinstance(node, Scalar) else value


class Comments:
    """The comments behind the values of a text, one to a line."""

    def __init__(self, text: str) -> None:
        self._lines = text.removeprefix("\ufeff").splitlines()

    def with_note(self, node: Node, value: Value) -> Value:
        """Return a value with the comment of its line as a note, where it is alone on the line."""
        if not isinstance(node, Scalar) or is_valued(node):
            return value
        line = self._lines[node.place.line - 1] if node.place.line else ""
        before, mark, comment = line.partition(" #")
        alone = before.strip().removeprefix("- ").count(":") == 1 and "{" not in before
        if not mark or not alone:
            return value
        word, _, rest = comment.strip().partition(": ")
        if word == "assumed":
            return valued(value, word, rest)
        return valued(value, "", comment.strip())

"""Machine files drawn at random: of storage, of I/O nodes, of services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.config.caches import BufferCache, Store
from simulator.config.filesystems import AccessPath, FileSystem
from simulator.config.machine_file import Group, Machine
from simulator.config.part import Part
from simulator.config.runtime import Runtime
from simulator.config.section import Choice, Section, fields_of
from simulator.config.services import Site
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.kinds.services.numerical_server.section import Library
from simulator.kinds.tiers.stage.section import StageItem
from tests.draws.sections import Draws

CLIENT, SERVER, TARGET = "client", "server", "target"
LIBRARIES = ("linpack", "ep")


def _options(section: type[Section], key: str) -> Any:
    shape: Any = fields_of(section)[key]
    item = shape.item
    assert isinstance(item, Choice)
    return item


PARTS: dict[str, type[Part]] = dict(_options(Machine, "parts").options)
"""All kinds of parts, a user's own among them."""
SERVICES = _options(Machine, "services").options
TIERS = _options(FileSystem, "tiers").options


class MachineFile:
    """A machine file as it is drawn."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.draws = Draws(dice, self.names)
        self.parts: dict[str, dict[str, Any]] = {}
        self.stores: dict[str, dict[str, Any]] = {}
        self.known: dict[tuple[str, str] | str, Sequence[str]] = {}
        """What a key of a section names, where that does not depend on the place; and what others
        do, by what they should name."""

    def names(self, section: type[Section], key: str) -> Sequence[str]:
        """Return what a key of a section can name."""
        others = self.known.get(section.naming.get(key, ""), ())
        return self.known.get((section.__name__, key), others)

    def part(self, kind: str, at: str | None, *, name: str = "", **fixed: Any) -> str:
        """Draw a part of a kind at a place; return its name."""
        name = name or f"{kind}-{at or 'all'}"
        where = LEFT_OUT if at is None else at
        self.parts[name] = self.draws.part(PARTS[kind], kind, at=where, **fixed)
        return name

    def some(self, use: str, *places: str | None, network: bool = False) -> str:
        """Return a part that a tier can use so, at one of these places; a new one if need be."""
        kinds = [
            kind
            for kind, one in PARTS.items()
            if use in one.uses and one.network == network and kind not in ("raid", "io-server")
        ]
        return self.part(self.dice.some(*kinds), self.dice.some(*places))

    def document(self, **rest: Any) -> dict[str, Any]:
        """Return the file."""
        head = {"format": "machine/2", "name": "drawn", "title": "Drawn at random"}
        references = {"references": {"book": "A book"}} if self.dice.maybe(20) else {}
        return {**head, **references, **rest, "parts": self.parts, "stores": self.stores}


def draw_machine_file(dice: Dice) -> dict[str, Any]:
    """Draw a machine of one of three sorts."""
    sort = dice.some(_storage, _storage, _storage, _storage, _io_nodes, _io_nodes, _services)
    document: dict[str, Any] = sort(MachineFile(dice))
    return document


# -- storage ------------------------------------------------------------------------------------


def _storage(file: MachineFile) -> dict[str, Any]:
    draws, dice = file.draws, file.dice
    file.known = {
        ("Group", "per"): [SERVER],
        ("StageItem", "to"): [SERVER, TARGET],
        ("Stripe", "of"): [SERVER, TARGET],
        ("Forward", "forward"): [SERVER],
    }
    nodes = {
        CLIENT: draws.section(Group, per=LEFT_OUT, memory=LEFT_OUT if dice.maybe(70) else "1 GB"),
        SERVER: draws.section(Group, per=LEFT_OUT),
        TARGET: draws.section(Group, per=SERVER),
    }
    if dice.maybe():
        file.part("cpu", dice.some(None, CLIENT))
    everywhere = f"[{CLIENT}, {SERVER}, {TARGET}]"
    for kind in (kind for kind, one in PARTS.items() if one.network):
        file.part(kind, everywhere, name=kind)
    for place in (CLIENT, SERVER, TARGET, None):
        if dice.maybe(60):
            name = f"store-{place or 'all'}"
            both = f"[{CLIENT}, {SERVER}]" if place == CLIENT and dice.maybe(20) else place
            at = LEFT_OUT if place is None else both
            file.stores[name] = draws.section(Store, at=at, capacity=dice.some("1 MB", "100 kB"))
    systems = {name: _system(file) for name in ("home", "scratch")[: dice.int(1, 2)]}
    messages = {"messages": _network(file)} if dice.maybe(20) else {}
    runtime = {"runtime": draws.section(Runtime)} if dice.maybe() else {}
    return file.document(nodes=nodes, filesystems=systems, **messages, **runtime)


def _system(file: MachineFile) -> dict[str, Any]:
    draws, dice = file.draws, file.dice
    fixed: dict[str, Any] = {"tiers": _tiers(file), "paths": LEFT_OUT}
    if dice.maybe(30):
        way = draws.section(AccessPath, tiers=fixed.pop("tiers"), drain=_drain(file))
        paths = {"usual": way, "other": {"tiers": _tiers(file)}}
        fixed = {"tiers": LEFT_OUT, "paths": paths}
    metadata = LEFT_OUT
    if dice.maybe(70):
        metadata = [*_network(file), draws.section(TIERS["work"], work=file.some("work", SERVER))]
        metadata += [_commit(file)] if dice.maybe() else []
        if dice.maybe(30):
            metadata.insert(dice.int(0, 1), draws.section(TIERS["before"]))
    return draws.section(FileSystem, metadata=metadata, **fixed)


def _drain(file: MachineFile) -> Any:
    """Draw the way of copies: to the servers, from which it leads on."""
    if file.dice.maybe():
        return LEFT_OUT
    usual = file.known["StageItem", "to"]
    file.known["StageItem", "to"] = [SERVER]
    way = _network(file)
    file.known["StageItem", "to"] = usual
    return [*way, *_device(file)]


def _network(file: MachineFile) -> list[Any]:
    """Draw the way from the clients to the servers."""
    dice, draws = file.dice, file.draws
    networks = [name for name, part in file.parts.items() if PARTS[part["kind"]].network]
    file.known["StageItem", "part"] = networks
    if dice.maybe(40):
        pool = file.part("pool", SERVER) if dice.maybe() else file.some("work", SERVER)
        server = dice.some(LEFT_OUT, pool)
        return [draws.section(TIERS["route"], route=[[dice.some(*networks)]], server=server)]
    items = [draws.section(StageItem)]
    return [draws.section(TIERS["stage"], stage=items)]


def _commit(file: MachineFile) -> dict[str, Any]:
    return file.draws.section(TIERS["sync"], sync=file.some(file.dice.some("sync", "work"), SERVER))


def _store(file: MachineFile, *places: str | None) -> list[Any]:
    names = [f"store-{place or 'all'}" for place in places]
    kept = [name for name in names if name in file.stores]
    return [file.dice.some(*kept, {"use": kept[0]})] if kept and file.dice.maybe(70) else []


def _tiers(file: MachineFile) -> list[Any]:
    """Draw the way of data: what stands at the clients, the network, the servers, a device."""
    dice, draws = file.dice, file.draws
    tiers: list[Any] = []
    if dice.maybe(20):
        asking = [*_network(file), {"work": file.some("work", SERVER)}]
        tiers.append(draws.section(TIERS["locks"], locks=asking))
    if dice.maybe():
        tiers.append([file.some("stage", CLIENT, None)])
    tiers += _store(file, CLIENT)
    if dice.maybe(40):
        tiers.append(draws.section(TIERS["request"]))
    choice = dice.int(0, 3)
    if choice == 0:
        tiers.append(draws.section(TIERS["stripe"]))
    elif choice == 1:
        tiers.append(draws.section(TIERS["forward"]))
    tiers += _network(file)
    if dice.maybe(30):
        tiers.append({"hold": file.part("pool", SERVER)})
    for _ in range(dice.few(3)):
        tiers.append(_other(file))
    tiers += _store(file, SERVER, None)
    return [tier for tier in [*tiers, *_device(file)] if tier is not LEFT_OUT]


def _other(file: MachineFile) -> Any:
    """Draw a tier that may stand anywhere: of any kind, most of them at the servers."""
    dice, draws = file.dice, file.draws
    file.known |= {
        "tier": [file.some("stage", SERVER, None)],
        ("StageItem", "part"): [file.some("stage", SERVER, None)],
        "work": [file.some("work", SERVER, None)],
        "hold": [file.part("pool", SERVER)],
        "sync": [file.some("sync", SERVER)],
        ("Pieces", "over"): [file.part("disk", SERVER, name="array", count=3)],
        ("Route", "server"): [],
    }
    tag = dice.some(*TIERS)
    return LEFT_OUT if tag == "locks" else draws.section(TIERS[tag])


def _device(file: MachineFile) -> list[Any]:
    """Draw the last stage: any kind of part that data can be at."""
    dice, draws = file.dice, file.draws
    name = file.some("stage", SERVER, SERVER, TARGET, None)
    found: list[Any] = []
    if file.parts[name].get("count", 1) != 1 and dice.maybe():
        file.known["Pieces", "over"] = [name]
        file.known["Stripe", "of"] = [SERVER, TARGET, name]
        found.append(draws.section(TIERS[dice.some("pieces", "stripe")]))
    return [*found, dice.some(name, [name], {"stage": [name]})]


# -- I/O nodes ------------------------------------------------------------------------------------


def _io_nodes(file: MachineFile) -> dict[str, Any]:
    draws, dice = file.draws, file.dice
    nodes = {"node": draws.section(Group, per=LEFT_OUT, count=dice.int(2, 4))}
    network = file.part("network", "node")
    server, raid = file.part("io-server", "node"), file.part("raid", "node")
    disk = file.part("disk", "node")
    file.known = {("Stripe", "of"): ["node"], ("BufferCache", "at"): ["node"]}
    caches = {"buffers": draws.section(BufferCache, capacity=dice.some("100 kB", "1 MB"))}
    way = draws.section(TIERS["route"], route=[[network]], server=server)
    stripe = draws.section(TIERS["stripe"])
    systems = {"scratch": {"tiers": [stripe, way, "buffers", raid]}, "local": {"tiers": [disk]}}
    return file.document(
        nodes=nodes, buffer_caches=caches, filesystems=systems, runtime=draws.section(Runtime)
    )


# -- services -------------------------------------------------------------------------------------


def _services(file: MachineFile) -> dict[str, Any]:
    draws, dice = file.draws, file.dice
    nodes = {"node": {"count": dice.int(2, 4)}, "store": {"count": 1}, "j90": {"count": 1}}
    file.known = {
        ("Site", "network"): ["line"],
        ("Site", "line"): ["line"],
        ("NumericalServer", "at"): ["j90"],
        ("NumericalServer", "site"): ["here", "there"],
        ("NumericalClient", "site"): ["here"],
        ("NumericalClient", "at"): ["node"],
        ("MessageServer", "at"): ["node"],
        ("ProcessServer", "at"): ["node"],
    }
    file.part("processor", "node")
    lan = file.part("shared", None)
    disk = file.part("disk", "store")
    file.part("link", "[node, j90]", name="link")
    file.part("link", None, name="line")
    file.part("timeshare", "j90")
    makers = ("message-server", "process-server", "numerical-server", "numerical-client")
    kinds = [*makers, *(kind for kind in SERVICES if kind not in makers)]
    ready: dict[str, Any] = {
        "message-server": {"interval": "2 ms", "poll": "20 us"},
        "numerical-server": {"libraries": {name: _library(file, name) for name in LIBRARIES}},
    }
    services = {
        kind: draws.section(SERVICES[kind], kind=kind, **ready.get(kind, {})) for kind in kinds
    }
    sites = {"sites": {name: draws.section(Site) for name in ("here", "there")}}
    return file.document(
        nodes=nodes,
        filesystems={"home": {"tiers": [[lan], disk]}},
        messages=[[lan]],
        services=services,
        **(sites if dice.maybe(70) else {}),
    )


def _library(file: MachineFile, problem: str) -> dict[str, Any]:
    return file.draws.section(Library, problem=problem)

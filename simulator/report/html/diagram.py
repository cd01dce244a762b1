"""The block diagram of any machine as a picture, coloured by how busy each part was.

Each group of nodes is a box with a tile for each of its parts, stores and services; networks are
lines at the left, joined to the boxes that have their ports. It is drawn twice, for a wide page and
for a phone, of which the page shows one. What each request goes through follows as lists.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.blocks import Part, boxes_of, networks_of, ways_of
from simulator.report.html.markup import ARROW, shortened, tag
from simulator.report.html.svg import meter, picture
from simulator.report.page import Markup
from simulator.report.tables import kept_by, used_parts
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulator.config.machine_file import Machine
    from simulator.plan.plan import Plan
    from simulator.report.blocks import Box, Rows
    from simulator.result.result import Result


LEVELS = (0.1, 0.5, 0.8)
"""Utilisations from which on a box has the next colour; the first is for what was not used."""


class Uses:
    """Utilisation of the parts of a run, and counters of its stores."""

    def __init__(self, result: Result, plan: Plan) -> None:
        self._parts = [(plan.parts[row.row], row.most) for row in used_parts(result, plan)]
        self._stores = {one.store: one.counts for one in kept_by(result, plan)}

    def part(self, name: str, groups: Collection[int] | None = None) -> float | None:
        """Return the utilisation of the busiest instance of a part; None if it had no request.

        ``groups``: those of nodes that count; None: all.
        """
        of_it = [(one.group, most) for one, most in self._parts if one.name == name]
        here = (most for group, most in of_it if groups is None or group in groups)
        return max(here, default=None)

    def store(self, name: str) -> Counter[str] | None:
        """Return the counters of a store; None if it was not used."""
        return self._stores.get(name)


def level(most: float | None) -> int:
    """Return the colour of a part by its utilisation, from 0 (not used) to 4."""
    return 0 if most is None else 1 + sum(most >= least for least in LEVELS)


MOST_TILES = 36
"""Tiles of a box;"""
MOST_BOXES = 30
"""boxes;"""
MOST_NETWORKS = 6
"""networks that are drawn as lines;"""
MOST_WAYS = 24
"""and ways of requests: what is beyond is counted."""
_HIGH, _GAP, _PAD, _HEAD, _WIRE = 62, 8, 10, 24, 14
_BETWEEN, _LEAST_TILE = 22, 118
_LETTER, _SMALL, _TINY = 8.0, 6.9, 6.3
"""Width of a letter in bold, and of the other texts, in the widest of the usual fonts."""


@dataclass(slots=True)
class Tile:
    """A part, store or service."""

    part: Part
    use: str = ""
    """Its utilisation or hits, in a few letters."""
    share: float | None = None
    """Length of its bar: utilisation, or hits."""
    level: int = 0

    @property
    def store(self) -> bool:
        """True if it keeps data."""
        return self.part.section in ("stores", "buffer_caches")

    @property
    def kind(self) -> str:
        """Its kind; of a store with the word that its number is hits."""
        hits = self.store and self.share is not None
        return f"{self.part.kind}, hits" if hits else self.part.kind


def diagram(machine: Machine, uses: Uses) -> list[Markup]:
    """Return the block diagram, for wide pages and narrow ones, and what its colours mean."""
    boxes, networks = boxes_of(machine), networks_of(machine)
    more = max(0, len(boxes) - MOST_BOXES), max(0, len(networks) - MOST_NETWORKS)
    boxes, networks = boxes[:MOST_BOXES], networks[:MOST_NETWORKS]
    about = f"Block diagram of {machine.name}: {counted(len(boxes), 'frame')} with nodes and parts;"
    about += " the tables of resources and stores have its numbers."
    drawn = [
        tag("div", Drawing(boxes, networks, uses, *sizes).markup(about), class_=shown)
        for shown, sizes in (("wide", (200, 4)), ("narrow", (143, 2)))
    ]
    notes = [
        f"({counted(many, noun)} not drawn)"
        for many, noun in zip(more, ("more group of nodes", "more network line"), strict=True)
        if many
    ]
    return [tag("figure", drawn, tag("figcaption", _legend(), " ", " ".join(notes)))]


def _legend() -> list[Markup | str]:
    names = ("unused", "below 10 %", "10 % to 50 %", "50 % to 80 %", "80 % or more")
    marks = [tag("span", name, class_=f"key u{number}") for number, name in enumerate(names)]
    told = "Colour, bar and number: how busy the busiest instance of a part was; of a store"
    return [*marks, f"{told} (double frame) the bar and the number are hits."]


def tile_of(part: Part, groups: set[int] | None, uses: Uses) -> Tile:
    """Return what a part, store or service of a box with these groups did."""
    tile = Tile(part)
    if tile.store:
        counts = uses.store(part.name)
        looks = 0 if counts is None else counts["hits"] + counts["misses"]
        tile.use = "unused" if counts is None else "no look"
        if looks and counts is not None:
            tile.share = counts["hits"] / looks
            tile.use = percent(tile.share, 1)
    elif part.section == "parts":
        tile.share = uses.part(part.name, groups)
        tile.level = level(tile.share)
        tile.use = "unused" if tile.share is None else percent(tile.share, 1)
    return tile


# -- how it is drawn -----------------------------------------------------------------------------


class Drawing:
    """The picture of boxes below each other, with tiles of a width."""

    def __init__(
        self, boxes: list[Box], networks: list[str], uses: Uses, tile: int, across: int
    ) -> None:
        """``tile``: how wide one is; ``across``: how many stand beside each other."""
        self._boxes, self._networks = boxes, networks
        self._uses, self._across = uses, across
        self._left = _WIRE * len(networks) + (8 if networks else 1)
        self._wide = across * (tile + _GAP) - _GAP + 2 * _PAD
        self._content: list[Markup] = []

    def markup(self, about: str) -> Markup:
        """Return the picture, with the text that stands for it."""
        y = 1.0
        joints: dict[str, list[float]] = {}
        for place, box in enumerate(self._boxes):
            top = y
            y = self._box(box, self._left, y, self._wide)
            for number, net in enumerate(self._networks):
                if net in box.ports:  # Each at its own height: lines that cross are not joined.
                    joints.setdefault(net, []).append(top + 9 * (number + 1))
            passing = [net for net in self._networks if self._passes(net, place)]
            if passing and place + 1 < len(self._boxes):
                names = shortened(", ".join(passing), 50)
                self._content.append(tag("text", names, x=self._left, y=y + 15, class_="soft"))
            y += _BETWEEN if passing else _GAP + 4
        self._wires(joints)
        wide = self._left + self._wide + 1
        size = f"0 0 {wide} {y:.0f}"
        drawn = picture(about, round(y), *self._content, width=str(wide))
        return Markup(drawn.replace("<svg ", f'<svg viewBox="{size}" class="scaled" ', 1))

    def _passes(self, net: str, place: int) -> bool:
        """Return whether a network goes on below a box."""
        ends = [number for number, box in enumerate(self._boxes) if net in box.ports]
        return bool(ends) and ends[0] <= place < ends[-1]

    def _wires(self, joints: dict[str, list[float]]) -> None:
        for number, net in enumerate(self._networks):
            places = joints.get(net, [])
            x = _WIRE * number + 6
            if len(places) > 1:
                line = f"M{x} {places[0]:.0f}V{places[-1]:.0f}"
                self._content.append(tag("path", d=line, class_="net"))
            for y in places:
                self._content.append(tag("path", d=f"M{x} {y:.0f}H{self._left}", class_="net"))
                about = tag("title", net)
                self._content.append(tag("circle", about, cx=x, cy=y, r=4, class_="joint"))

    def _box(self, box: Box, x: float, y: float, wide: float) -> float:
        """Draw a box with what is in it; return where it ends."""
        here = len(self._content)
        letters = int((wide - 2 * _PAD) / _LETTER)
        title = _fitted(box.title, letters)
        self._content.append(tag("text", title, x=x + _PAD, y=y + 17, class_="b"))
        parts, top = box.parts[:MOST_TILES], y + _HEAD
        # Boxes in boxes are narrower, and so are their tiles.
        inside = wide - 2 * _PAD + _GAP
        across = max(1, min(self._across, int(inside // (_LEAST_TILE + _GAP))))
        tile_wide = inside / across - _GAP
        for number, part in enumerate(parts):
            down, along = divmod(number, across)
            left = x + _PAD + along * (tile_wide + _GAP)
            tile = tile_of(part, box.groups, self._uses)
            self._draw(tile, left, top + down * (_HIGH + _GAP), tile_wide)
        end = top + -(-len(parts) // across) * (_HIGH + _GAP)
        if more := len(box.parts) - len(parts):
            told = f"and {counted(more, 'more part')}"
            self._content.append(tag("text", told, x=x + _PAD, y=end + 10, class_="soft"))
            end += 18
        for inner in box.inner:
            end = self._box(inner, x + _PAD, end, wide - 2 * _PAD) + _GAP
        end += _PAD - _GAP if parts or box.inner else 2
        frame = tag("rect", x=x, y=y, width=wide, height=end - y, class_="box")
        self._content.insert(here, frame)
        return end

    def _draw(self, tile: Tile, x: float, y: float, wide: float) -> None:
        about = ", ".join(filter(None, (tile.part.name, tile.kind, tile.use, tile.part.values)))
        rect = {"x": x, "y": y, "width": wide, "height": _HIGH}
        inside = [tag("rect", tag("title", about), class_=f"u{tile.level}", **rect)]
        frame = "storeframe" if tile.store else "frame"
        round_ = 8 if tile.store else 0
        inside.append(tag("rect", class_=frame, rx=round_, **rect))
        if tile.store:
            small = {"x": x + 3, "y": y + 3, "width": wide - 6, "height": _HIGH - 6}
            inside[0] = tag("rect", tag("title", about), class_="u0", rx=8, **rect)
            inside.append(tag("rect", class_="storeframe thin", rx=6, **small))
        ink = f"i{tile.level}"
        bold, letters = int((wide - 16) / _LETTER), int((wide - 14) / _TINY)
        used = {"x": x + wide - 8, "y": y + 32, "class_": f"e b {ink}"}
        kinds = int((wide - 22 - _LETTER * len(tile.use)) / _SMALL)
        inside += [
            tag("text", _fitted(tile.part.name, bold), x=x + 8, y=y + 17, class_=f"b {ink}"),
            tag("text", _kind(tile.kind, kinds), x=x + 8, y=y + 32, class_=ink),
            tag("text", tile.use, **used) if tile.use else Markup(),
            tag("text", _whole(tile.part.values, letters), x=x + 8, y=y + 46, class_=f"s {ink}"),
        ]
        if tile.share is not None:
            inside.append(
                tag("g", meter(tile.share, x + 8, y + 51, wide - 16), class_=f"u{tile.level}")
            )
        self._content += inside


def _kind(kind: str, letters: int) -> str:
    """Shorten a kind; of a store it is enough that a number is its hits.

    >>> _kind("buffer cache, hits", 10), _kind("timeshare", 8)
    ('hits', 'timesha…')
    """
    brief = kind.rpartition(", ")[2] if len(kind) > letters else kind
    return _fitted(brief, letters)


def _fitted(text: str, letters: int) -> str:
    """Shorten a text to so many letters.

    >>> _fitted("message-server", 9)
    'message-…'
    """
    return text if len(text) <= letters else f"{text[: max(0, letters - 1)]}…"


def _whole(values: str, letters: int) -> str:
    """Leave out the last values, so that the others fit.

    >>> _whole("rate 1 GB/s, latency 5 us", 16), _whole("rate 421 MB/s", 9)
    ('rate 1 GB/s', 'rate 421…')
    """
    while len(values) > letters and ", " in values:
        values = values.rpartition(", ")[0]
    return _fitted(values, letters)


# -- ways ----------------------------------------------------------------------------------------


def ways(machine: Machine, uses: Uses, plan: Plan) -> list[Markup]:
    """Return what requests of each file system go through, as lists; those of this run first."""
    taken = {plan.paths[file.path].name for file in plan.files}
    every = [way for name in machine.filesystems for way in ways_of(machine, name)]
    mine = [way for way in every if way[0] in taken]
    others = [way for way in every if way[0] not in taken]
    made = [_way(uses, *one) for one in mine[:MOST_WAYS]]
    if others:
        made.append(tag("p", "Not used in this run:", class_="note"))
        made += [_way(None, *one) for one in others[:MOST_WAYS]]
    more = max(0, len(mine) - MOST_WAYS) + max(0, len(others) - MOST_WAYS)
    if more:
        made.append(tag("p", f"({counted(more, 'more way')}; see nwtsim show)", class_="note"))
    return made


def _way(uses: Uses | None, path: str, purpose: str, tiers: Rows) -> Markup:
    first = [] if purpose else [tag("li", tag("span", "program", class_="rule"))]
    steps = tag("ol", first, [_step(uses, *one) for one in tiers], class_="way")
    return Markup(tag("h3", f"{path}: {purpose or 'read and write'}") + steps)


def _step(uses: Uses | None, where: str, about: str) -> Markup:
    sign, text = about[:2], about[2:].strip()
    at = f" ({where.replace('->', ARROW)})" if where else ""
    if sign == "[ ":
        name = text.removesuffix("]").strip()
        counts = None if uses is None else uses.store(name)
        looks = 0 if counts is None else counts["hits"] + counts["misses"]
        hits = f": hits {percent(counts['hits'], looks)}" if counts and looks else ""
        return tag("li", tag("span", f"{name}{at}{hits}", class_="store u0"))
    if sign != "| ":
        return tag("li", tag("span", f"{text}{at}", class_="rule"))
    names = text.partition(",")[0].partition(":")[0].split(" + ")
    asked = [] if uses is None else map(uses.part, names)
    most = max((one for one in asked if one is not None), default=None)
    busy = "" if most is None else f": busy {percent(most, 1)}"
    return tag("li", tag("span", f"{text}{at}{busy}", class_=f"u{level(most)}"))

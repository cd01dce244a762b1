"""Pages of the keys of files, from the sections that read them: value, default, its source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from docs.site.commands import escaped
from simulator.config.quantities import Leaf
from simulator.config.schema import KINDS, json_schema
from simulator.config.section import (
    TAG,
    Choice,
    Items,
    Key,
    Named,
    Section,
    Shape,
    fields_of,
    keys_in,
)
from simulator.report.recordkeys import keys_of, records

Places = dict[type[Section], list[str]]
"""Sections, and where each may stand: `parts.NAME`, `disk`."""


def pages() -> dict[str, str]:
    """Return the pages in MyST Markdown: the kinds of files, and one page for each, by path."""
    rows = [f"| [{kind.noun}]({kind.noun}.md) | `format: {kind.format}` |" for kind in KINDS]
    rows.append("| [report](report.md): what commands return | `format: report/1` |")
    names = "\n".join([*(kind.noun for kind in KINDS), "report"])
    overview = [
        "# Keys of files",
        "Each key with its value, its default and the reason of the default. A value that may have"
        " a source is also written `{value: 36 MB/s, source: paper 2.1, note: ..., range: 20 %}`;"
        " sources are `paper SECTION`, `literature KEY`, `calibrated TABLES`, `measured HOW` or"
        " `assumed`.",
        "\n".join(["| file | first line |", "|---|---|", *rows]),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```\n",
    ]
    known: set[str] = set()
    made = {f"keys/{kind.noun}.md": page(kind.noun, kind.section, known) for kind in KINDS}
    made["keys/report.md"] = report_page()
    return {"keys/index.md": "\n\n".join(overview)} | made


def report_page() -> str:
    """Write the page of the keys of JSON records: a table for each."""
    parts = [
        "# Keys of a report",
        "`nwtsim schema report` prints the keys of `--format json`. `{a,b}.c` stands for `a.c` and"
        " `b.c`, `<name>` for any name, `[]` for each item of a list.",
    ]
    for record, has in records().items():
        rows = [f"| `{key}` | {told(meaning)} |" for key, meaning in keys_of(record)]
        table = "\n".join(["| key | meaning |", "|---|---|", *rows])
        parts += [f"## {record}", told(has["about"]), table]
    return "\n\n".join(parts) + "\n"


def page(noun: str, top: type[Section], known: set[str]) -> str:
    """Write the page of one kind of file: its keys, and those of each section in it.

    A section that a page before has, which ``known`` says, begins with the kind of file.
    """
    schema = json_schema(noun)
    described = {top.__name__: schema, **schema["$defs"]}
    places = found_in(top)
    parts = [f"# Keys of a {noun} file", f"An editor completes them: `nwtsim schema {noun}`."]
    for section in [top, *sorted(set(places) - {top}, key=lambda one: titled(one, one is top))]:
        name = section.__name__
        outer = noun if section is top else f"{noun}.{name}" if name in known else name
        parts += part(section, places, described[name], outer, top=section is top)
        known.add(name)
    return "\n\n".join(parts) + "\n"


def found_in(top: type[Section]) -> Places:
    """Return the sections of a file, and the keys at which each of them may stand."""
    places: Places = defaultdict(list)
    waiting, seen = [top], {top}
    while waiting:
        outer = waiting.pop()
        for key, shape in fields_of(outer).items():
            for inner, path in sections_at(shape, key):
                where = path if outer is top else f"{path} of {titled(outer, False)}"
                places[inner].append(where)
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
    return places


def sections_at(shape: Shape, path: str) -> Iterator[tuple[type[Section], str]]:
    """Yield the sections that may stand at a key, each with how its place is written."""
    if isinstance(shape, Named | Items):
        yield from sections_at(shape.item, f"{path}.{'NAME' if isinstance(shape, Named) else 'N'}")
    elif isinstance(shape, Choice):
        for one in dict.fromkeys(shape.options.values()):
            yield from sections_at(one, path)
    elif isinstance(shape, type):
        yield shape, path


def titled(section: type[Section], top: bool) -> str:
    """Return the heading of a section: `kind: disk` where a word chooses it."""
    if top:
        return "The file"
    tags = [(name, shape) for name, shape in fields_of(section).items() if is_tag(shape)]
    for name, shape in tags:
        return f"{name}: {' or '.join(shape.schema['enum'])}"
    first = next(iter(fields_of(section)))
    return f"{section.__name__} ({first}, ...)"


def is_tag(shape: Shape) -> bool:
    """Whether a key chooses its section."""
    return isinstance(shape, Leaf) and shape.name == TAG


def part(
    section: type[Section], places: Places, described: dict[str, Any], outer: str, *, top: bool
) -> Iterator[str]:
    """Yield the blocks of a section: what it is, where it stands, and its keys."""
    schema = next((one for one in described.get("anyOf", []) if "properties" in one), described)
    yield f"## {titled(section, top)}"
    yield told(schema.get("description") or "")
    if not top:
        yield f"Stands at {', '.join(f'`{one}`' for one in dict.fromkeys(places[section]))}."
    for form, key in section.shorthand.items():
        yield f"A plain {form} is its `{key}`."
    for key in keys_in(section):
        if not is_tag(key.shape):
            yield key_of(section, key, schema["properties"][key.name], f"{outer}.{key.name}")


def key_of(section: type[Section], key: Key, schema: dict[str, Any], name: str) -> str:
    """Write one key as an object that the search finds by its name."""
    said = [told(schema.get("description") or "")]
    if key.required:
        facts = ["required"]
    elif "default" in schema and schema["default"] != "":
        why = section.reasons.get(key.name, "")
        facts = [f"default `{schema['default']}`" + (f" ({escaped(why)})" if why else "")]
    else:
        facts = ["may be left out"]
    if isinstance(key.shape, Leaf):
        words = [f"`{one}`" for one in key.shape.schema.get("enum", [])]
        facts.append(
            f"one of {', '.join(words)}" if words else f"written like `{key.shape.example}`"
        )
        if key.shape.sourced:
            facts.append("may have a source")
    said.append("; ".join(facts) + ".")
    return f"````{{key}} {name}\n\n" + "\n\n".join(filter(None, said)) + "\n````"


def told(text: str) -> str:
    """Write a sentence of a docstring as Markdown."""
    parts = text.replace("``", "`").split("`")
    parts[::2] = [escaped(one) for one in parts[::2]]
    return "`".join(parts) if len(parts) % 2 else escaped(text)

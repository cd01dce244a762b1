"""docs/machines.md: its tables of kinds, made from what stands in their folders.

``python -m tests.docs.kinds_page`` writes them anew.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from simulator.config.machine_file import sections
from simulator.config.section import tags_of
from simulator.kinds import names, part_module

PAGE = Path(__file__).resolve().parents[2] / "docs" / "machines.md"
TABLE = r"(\| {} \|[^\n]*\n\|[-|]+\|\n)(?:\|[^\n]*\n)+"


def rows_of_parts() -> Iterator[str]:
    """Yield a row for each kind of part: its name, and the first paragraph about it."""
    for section in sections():
        (kind,) = tags_of(section, "kind")
        yield f"| `{kind}` | {sentence(inspect.getdoc(section))} |\n"


def rows_of_policies() -> Iterator[str]:
    """Yield a row for each replacement policy: its name, and the first paragraph about it."""
    for name in names("policies", "reference"):
        module = part_module("policies", name, "reference")
        yield f"| `{name}` | {sentence(module.__doc__)} |\n"


def sentence(text: str | None) -> str:
    """Return the first paragraph of a docstring on one line, as in a table."""
    first = (text or "").partition("\n\n")[0].rstrip(".")
    return " ".join(first.split()).replace("``", "`").replace("|", "\\|")


def with_tables(page: str) -> str:
    """Return the page with its tables as they should be."""
    for head, rows in (("kind", rows_of_parts()), ("policy", rows_of_policies())):
        (old,) = re.finditer(TABLE.format(head), page)
        page = page.replace(old[0], old[1] + "".join(rows))
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), encoding="utf-8")

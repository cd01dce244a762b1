"""A page: the answer, then its sections. The same input gives the same bytes; there is no date."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simulator.report.html.markup import Child, Markup, joined, tag
from simulator.report.html.style import STYLE
from simulator.report.html.svg import PATTERNS

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""For browsers: this page loads nothing, and runs nothing."""
_ICON = "data:,"
"""An empty icon: else a browser would ask the server for one."""


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a page; it is left out if there is nothing in it."""

    title: str
    content: Child

    def markup(self) -> Markup:
        """Return the section, which links can point to."""
        inside = joined(self.content)
        if not inside:
            return Markup()
        return tag("section", tag("h2", self.title), inside, id=self.anchor)

    @property
    def anchor(self) -> str:
        """The ``id`` of the section.

        >>> Section("What limits", "").anchor
        'what-limits'
        """
        return "".join(letter if letter.isalnum() else "-" for letter in self.title.lower())


def page(title: str, about: Sequence[str], answer: Child, sections: Iterable[Section]) -> str:
    """Return a whole page: title, a line or two about it, the answer, the sections."""
    made = [(one, one.markup()) for one in sections]
    kept = [(one, text) for one, text in made if text]
    links = [tag("a", one.title, href=f"#{one.anchor}") for one, _ in kept]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="generator", content="nwtsim"),
        tag("title", title),
        tag("link", rel="icon", href=_ICON),
        Markup(f"<style>\n{STYLE}</style>"),
    ]
    body = [
        tag("header", tag("h1", title), [tag("p", line, class_="about") for line in about]),
        tag(
            "main",
            tag("div", answer, class_="answer", id="answer", role="region", aria_label="answer"),
            tag("nav", [(link, " ") for link in links], aria_label="sections"),
            Markup("\n"),
            [Markup(f"{text}\n") for _, text in kept],
        ),
    ]
    if any("url(#waiting)" in text for _, text in kept):
        body.insert(0, PATTERNS)
    whole = tag("html", tag("head", head), Markup("\n"), tag("body", body), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def paragraphs(lines: Iterable[str]) -> list[Markup]:
    """Return each line as a paragraph."""
    return [tag("p", line) for line in lines if line]


def listed(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """Return names and what they stand for."""
    return tag("dl", [(tag("dt", name), tag("dd", text)) for name, text in pairs])


def code(lines: Iterable[str]) -> Markup:
    """Return commands that can be copied; they are not shortened."""
    from html import escape

    from simulator.report.lined import printable

    text = "\n".join(escape(printable(line)) for line in lines)
    return tag("pre", tag("code", Markup(text)))

"""What comes from outside cannot become markup, whatever is in it."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from simulator.report.html.markup import LONGEST, tag
from simulator.report.html.page import page_html
from simulator.report.lined import printable
from simulator.report.page import Column, Markup, Page, Section, Table, ValueInWords
from tests.report.html.reading import Reader

LETTERS = st.one_of(
    st.sampled_from(["<", ">", "&", '"', "'", "</p>", "<!--", "]]>", "&#60;", "\udcff", "\u202e"]),
    st.characters(),
)
TEXTS = st.lists(LETTERS, max_size=40).map("".join)


class _Once(HTMLParser):
    """The texts and attributes of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the name and the attributes."""
        self.seen += [tag, *(value for _, value in attrs)]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.seen.append(data)


@given(TEXTS, TEXTS)
def test_texts_and_attributes_come_back(text: str, attribute: str) -> None:
    once = _Once()
    once.feed(tag("p", "[", text, "]", title=attribute))
    once.close()
    assert once.seen[:2] == ["p", printable(attribute)]
    assert "".join(map(str, once.seen[2:])) == f"[{printable(text)}]"


@given(TEXTS)
def test_a_page_of_any_texts_is_well_formed(text: str) -> None:
    head = [Column("name", "name"), Column("value", text, "decimal")]
    one = Table("one", text, head, [[text, ValueInWords(1.5, text)]], note=text)
    made = page_html(Page(text, [text], [text], [Section("One", [one])]))
    made.encode("utf-8")
    cell = Reader(made).tables["one"].rows[1]
    assert (cell[0].text, cell[1].value) == (printable(text), 1.5)


def test_long_texts_are_shortened_and_markup_is_not() -> None:
    assert len(tag("p", "x" * 10_000)) < LONGEST + 20
    assert len(tag("p", Markup("x" * 10_000))) > 10_000

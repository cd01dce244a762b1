"""Wrong columns, colons, quotes and brackets: what is said is what the author should write.

The mark | in a text is where the message should point. The texts are of a format of their own
(tests/config/old_sections.py), which has more lines than values in braces.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from simulator.config import ConfigError, yamltree
from simulator.config.formats import MACHINE as MACHINE_2
from tests.config import old_sections

FOLDER = Path(__file__).parents[1] / "data" / "config"
MACHINE = (FOLDER / "old-machine.yaml").read_text(encoding="utf-8")
WORKLOAD = (FOLDER / "old-workload.yaml").read_text(encoding="utf-8")


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of PyYAML's: messages come from the text, not from what they say."""
    if not hasattr(yaml, request.param):
        pytest.skip(f"this PyYAML has no {request.param}")
    monkeypatch.setattr(yamltree, "LOADER", getattr(yaml, request.param))


def parsed(text: str) -> None:
    workload = "workload/1" in text or text.startswith("format: workload")
    kind = old_sections.WORKLOAD if workload else old_sections.MACHINE
    kind.parse(text, "f", ())


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parsed(text)
    return [line.removeprefix("f:") for line in str(caught.value).splitlines()]


CROSSBAR = "crossbar:\n  port_rate: 420 MB/s\n  latency: 5 us\n"
LATENCY = "  latency: 5 us\n"
LAN = "lan: {rate: 1.25 MB/s, latency: 200 us, sharing: fair}"
START = "start: [mark, close]"
BELOW_RATE = (
    "this line is indented below 'port_rate' (line 11), which has a value already; write it"
)
NO_COLON = "this line has no ': ' after its key; write "
NO_END = "the text that begins with {0} here has no end; write {0} after its last word"

MISTAKES = [
    # columns
    (LATENCY, "   |latency: 5 us\n", f"{BELOW_RATE} in column 3, or take that value out"),
    (LATENCY, "      |latency: 5 us\n", f"{BELOW_RATE} in column 3, or take that value out"),
    (
        LATENCY,
        " |latency: 5 us\n",
        "this line begins in column 2, where no section does; write it in column 3 like 'port_rate'"
        " in line 11, or in column 1 like 'crossbar' in line 10",
    ),
    (
        "crossbar:\n",
        " |crossbar:\n",
        "this line begins in column 2, where no section does; write it in column 3 like"
        " 'call_overhead' in line 9, or in column 1 like 'pe' in line 4",
    ),
    (
        "  port_rate: 420 MB/s\n  latency",
        "    port_rate: 420 MB/s\n  |latency",
        "this line begins in column 3, where no section does; write it in column 5 like 'port_rate'"
        " in line 11, or in column 1 like 'crossbar' in line 10",
    ),
    (LATENCY, "|latency: 5 us\n", "latency: is a key of crossbar; indent it as the keys of cross"),
    ("crossbar:\n  port", "  |crossbar:\n    port", "pe.crossbar: is a key of the file; indent it"),
    (LATENCY, "|\tlatency: 5 us\n", "a tab indents this line; indent with spaces"),
    (LATENCY, "  |\tlatency: 5 us\n", "a tab indents this line; indent with spaces"),
    (LATENCY, "|\xa0\xa0latency: 5 us\n", "the character U+00A0 indents this line; indent with"),
    (LATENCY, "|\u3000latency: 5 us\n", "the character U+3000 indents this line; indent with"),
    ("pe:\n  small", "pe: 4\n  |small", "this line is indented below 'pe' (line 4), which has a v"),
    (
        LATENCY,
        "  |- latency: 5 us\n",
        "'- ' begins an item of a list, but in this column are keys, like 'port_rate' in line 11;"
        " leave the '- ' out, or put the list under a key",
    ),
    # colons
    (LATENCY, "  |latency 5 us\n", f"{NO_COLON}'latency: 5 us'"),
    ("port_rate: 420", "|port_rate 420", f"{NO_COLON}'port_rate: 420 MB/s'"),
    ("crossbar:", "|crossbar", f"{NO_COLON}'crossbar:' and its value"),
    (LATENCY, "  |latency:5 us\n", "a space is missing after the ':'; write 'latency: 5 us'"),
    ("port_rate: 420", "|port_rate:420", "a space is missing after the ':'; write 'port_rate: 420"),
    (LATENCY, "  |latency = 5 us\n", "'=' stands here for ':'; write 'latency: 5 us'"),
    (LATENCY, "  |latency\uff1a 5 us\n", "'\uff1a' stands here for ':'; write 'latency: 5 us'"),
    (LATENCY, "  |: 5 us\n", "there is no key before this ':'; write one"),
    (LATENCY, "  latency: 5 us, then|: 3\n", "a second key is in this line; write each in a line"),
    (
        "name: small",
        "name: small\ntitle: a|: b",
        "': ' is here for the second time in this line; put the whole text in quotes, or write the"
        " second key in a line of its own",
    ),
    (
        "latency: 200 us",
        "|latency:200 us",
        "lan.latency:200 us: a space is missing after the ':'; w",
    ),
    (
        "latency: 200 us",
        "|latency 200 us",
        "lan.latency 200 us: has no ':' after its key; write 'la",
    ),
    # quotes
    (LATENCY, '  latency: |"5 us\n', NO_END.format('"')),
    (LATENCY, "  latency: |'5 us\n", NO_END.format("'")),
    ("latency: 200 us", 'latency: |"200 us', NO_END.format('"')),
    ("name: small", "name: |'small\ntitle: 'a small one'", NO_END.format("'")),
    ("name: small", 'name: |"small\ntitle: "a small one"', NO_END.format('"')),
    ("name: small", "name: small\ntitle: 'it'|s'", "this follows a text in quotes, or a list or m"),
    (
        LATENCY,
        '  latency: "5" |us\n',
        "this follows a text in quotes, or a list or mapping, that h",
    ),
    ("name: small", "name: small\ntitle: |@home", "a text cannot begin with '@'; put it in quotes"),
    ("name: small", "name: small\ntitle: |`a`", "a text cannot begin with '`'; put it in quotes"),
    # brackets
    (LAN, LAN.replace("{", "|{")[:-1], "this '{' is not closed; write '}' after its last value"),
    (LAN, f"{LAN}|}}", "'}' closes nothing here; leave it out"),
    (
        "low_mark: 40 %}",
        "low_mark: 40 %|]}",
        "']' is here, but the '{' of column 14 is still open; write '}' before it, or leave it out",
    ),
    (START, "start: [mark, close|}", "'}' is here, but the '[' of column 22 is still open; write"),
    (
        "1.25 MB/s, latency",
        "1.25 MB/s latency|",
        "a comma is missing before this, inside of the '{' of column 6; write it like {a: 1, b: 2}",
    ),
    (
        "stripes: 1}",
        "stripes: 1\n",
        "this '{' is not closed; write '}' after its last value",
    ),
]


@pytest.mark.parametrize(("old", "new", "about"), MISTAKES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mistake_in_a_machine(old: str, new: str, about: str, end: str) -> None:
    assert old in MACHINE
    marked = MACHINE.replace(old, new, 1)
    before = marked.partition("|")[0].split("\n")
    place = f"{len(before)}:{len(before[-1]) + 1}: " if "|" in new else ""
    lines = problems_of(marked.replace("|", "", 1).replace("\n", end))
    assert [line for line in lines if line.startswith(place) and about in line], lines


LAB = """\
format: machine/2
name: lab
title: A lab's disk
parts:
  lan: {kind: queue, rate: 10 MB/s, overhead: 1 us}
  disk:
    kind: disk
    rate: 100 MB/s
    seek: 8 ms
filesystems:
  home:
    - [lan]
    - [disk]
"""
SEEK, TITLE = "    seek: 8 ms\n", "title: A lab's disk"
PEOPLE_MAKE = {
    "a tab": (SEEK, "\tseek: 8 ms\n", "9:1: a tab indents this line; indent with spaces"),
    "no space after a colon": ("rate: 100", "rate:100", "8:5: a space is missing after the ':'; w"),
    "no colon": (SEEK, "    seek 8 ms\n", "9:5: this line has no ': ' after its key; write 'seek:"),
    "an equals sign": (SEEK, "    seek = 8 ms\n", "9:5: '=' stands here for ':'; write 'seek: 8 m"),
    "one space less": (SEEK, "   seek: 8 ms\n", "9:4: this line begins in column 4, where no sect"),
    "one space more": (SEEK, "     seek: 8 ms\n", "9:6: this line is indented below 'rate' (line"),
    "no indent": (SEEK, "seek: 8 ms\n", "9:1: seek: unknown key; there are format, name, title, "),
    "an item without its space": ("- [disk]", "-[disk]", "13:5: a space is missing after the '-';"),
    "an item without its dash": ("    - [disk]", "    [disk]", "13:5: in this column are items of"),
    "a dash too many": (
        SEEK,
        "    - seek: 8 ms\n",
        "9:5: '- ' begins an item of a list, but in th",
    ),
    "a key twice": (SEEK, f"{SEEK}    rate: 9 MB/s\n", "10:5: parts.disk.rate: is here for the se"),
    "a quote that is not closed": (
        TITLE,
        "title: 'A disk",
        "3:8: the text that begins with ' here",
    ),
    "an apostrophe in quotes": (TITLE, "title: 'A lab's disk'", "3:15: this follows a text in quo"),
    "typographic quotes": ("100 MB/s", "\u201c100 MB/s\u201d", "8:11: parts.disk.rate: '\u201c100"),
    "a bracket that is not closed": ("1 us}", "1 us", "5:8: this '{' is not closed; write '}' aft"),
    "a bracket too many": ("1 us}", "1 us}}", "5:52: '}' closes nothing here; leave it out"),
    "a wrong bracket": ("- [disk]", "- [disk}", "13:12: '}' is here, but the '[' of column 7 is"),
    "no comma in brackets": ("MB/s, o", "MB/s o", "5:44: a comma is missing before this, inside"),
    "a colon in a text": (TITLE, "title: lab: a disk", "3:11: ': ' is here for the second time i"),
    "a text with a special sign": (TITLE, "title: @lab", "3:8: a text cannot begin with '@'; put"),
    "a comma as decimal point": ("100 MB/s", "1,5 MB/s", "8:11: parts.disk.rate: '1,5 MB/s' has"),
    "the same in brackets": ("10 MB/s", "1,5 MB/s", "5:30: parts.lan.5 MB/s: unknown key; a comm"),
}
"""What is changed in a file to what, and what is said first."""


@pytest.mark.parametrize("mistake", PEOPLE_MAKE)
def test_a_mistake_that_people_make_is_one_line_with_its_place_and_its_cure(mistake: str) -> None:
    old, new, about = PEOPLE_MAKE[mistake]
    assert LAB.count(old) == 1
    with pytest.raises(ConfigError) as caught:
        MACHINE_2.parse(LAB.replace(old, new), "lab.yaml", ())
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"lab.yaml:{about}")
    assert re.search(r"write|indent|there are|the first is|leave|put", line)


ITEMS = "format: workload/1\nname: x\njobs:\n  - name: a\n"


@pytest.mark.parametrize(
    ("more", "place", "about"),
    [
        (
            "   count: 2\n",
            "5:4",
            "column 4, where no section does; write it in column 5 like 'name'",
        ),
        (
            "      count: 2\n",
            "5:7",
            "below 'name' (line 4), which has a value already; write it in",
        ),
        (
            " - name: b\n",
            "5:2",
            "no section does; write it in column 3 like the '- ' in line 4, or",
        ),
        ("    - name: b\n", "5:5", "leave the '- ' out, or write it in column 3"),
        (
            "  count: 2\n",
            "5:3",
            "in this column are items of a list, like the '- ' in line 4; write",
        ),
    ],
)
def test_a_mistake_in_a_list(more: str, place: str, about: str) -> None:
    (line,) = problems_of(ITEMS + more)
    assert line.startswith(f"{place}: ")
    assert about in line


def test_an_item_without_its_space() -> None:
    text = ITEMS.replace("- name", "-name") + "    count: 2\n"
    assert problems_of(text) == ["4:3: a space is missing after the '-'; write '- name: a'"]


def shifted() -> Iterator[tuple[int, str]]:
    """Both files with one line in another column, and the number of the line."""
    for text in (MACHINE, WORKLOAD):
        lines = text.splitlines(keepends=True)
        for number, line in enumerate(lines):
            bare = line.lstrip(" ")
            for indent in range(len(line) - len(bare) + 4):
                moved = [*lines[:number], " " * indent + bare, *lines[number + 1 :]]
                if moved != lines and not bare.startswith("#"):
                    yield number + 1, "".join(moved)


def test_any_line_in_any_wrong_column() -> None:
    far = tried = 0
    for number, text in shifted():
        try:
            parsed(text)
        except ConfigError as error:
            tried += 1
            told = str(error)
            assert "quotes" not in told, told
            assert "not YAML" not in told, told
            assert any(word in told for word in ("column", "indent", "key", "write")), told
            far += all(abs(problem.line - number) > 1 for problem in error.problems)
    assert tried > 200
    assert far < tried / 50  # The line itself is named, or the one beside it.


@given(
    st.lists(st.sampled_from(["a: ", "b", "  ", "- ", "'", '"', "{", "]", ", ", ":", "\n", "#"]))
)
def test_whatever_is_wrong_is_said_in_a_line_with_a_place_in_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        yamltree.read_tree(text, "f")
    except ConfigError as error:
        lines = text.split("\n")
        for problem in error.problems:
            assert str(problem).isprintable()
            assert 1 <= problem.line <= len(lines)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1

"""Wrong columns, colons, quotes and brackets: what is said is what the author should write.

The mark | in a text is where the message should point.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from simulator.config import ConfigError, yamltree
from simulator.config.formats import MACHINE, WORKLOAD
from tests.config.machine_texts import changes_in

DATA = Path(__file__).parents[1] / "data" / "config"


@pytest.fixture(
    params=["CSafeLoader", pytest.param("SafeLoader", marks=pytest.mark.slow)], autouse=True
)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of PyYAML's: messages come from the text, not from what they say."""
    if not hasattr(yaml, request.param):
        pytest.skip(f"this PyYAML has no {request.param}")
    monkeypatch.setattr(yamltree, "LOADER", getattr(yaml, request.param))


def parsed(text: str) -> None:
    (WORKLOAD if "workload/2" in text else MACHINE).parse(text, "f", ())


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parsed(text)
    return [line.removeprefix("f:") for line in str(caught.value).splitlines()]


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

MISTAKES = changes_in(r"""
- seek: 8 ms => |\tseek: 8 ms
  a tab indents this line; indent with spaces
-     seek: 8 ms =>   |\tseek: 8 ms
  a tab indents this line; indent with spaces
-     seek: 8 ms => |\xa0\xa0seek: 8 ms
  the character U+00A0 indents this line; indent with spaces
-     seek: 8 ms => |\u3000seek: 8 ms
  the character U+3000 indents this line; indent with spaces
-     seek: 8 ms =>       |seek: 8 ms
  this line is indented below 'rate' (line 8), which has a value already; write it in column 5,
  or take that value out
-     seek: 8 ms =>    |seek: 8 ms
  this line begins in column 4, where no section does; write it in column 5 like 'rate' in line
  8, or in column 3 like 'disk' in line 6
- filesystems: =>  |filesystems:
  this line begins in column 2, where no section does; write it in column 3 like 'disk' in line
  6, or in column 1 like 'parts' in line 4
-     kind: disk\n    rate =>       kind: disk\n    |rate
  this line begins in column 5, where no section does; write it in column 7 like 'kind' in line
  7, or in column 3 like 'disk' in line 6
- filesystems: => runtime:\n  policy: nwt\n|buffer: 1 MB\nfilesystems:
  buffer: is a key of runtime; indent it as the keys of runtime are
- filesystems:\n  home:\n => runtime:\n  policy: nwt\n  |filesystems:\n    home:\n
  runtime.filesystems: is a key of the file; indent it less, as the keys there are
- parts:\n  lan: => parts: 4\n  |lan:
  this line is indented below 'parts' (line 4), which has a value already; write it in column 1,
  or take that value out
-     seek: 8 ms =>     |- seek: 8 ms
  '- ' begins an item of a list, but in this column are keys, like 'rate' in line 8; leave the
  '- ' out, or put the list under a key
-     seek: 8 ms =>     |seek 8 ms
  this line has no ': ' after its key; write 'seek: 8 ms'
- kind: disk\n => |kind disk\n
  this line has no ': ' after its key; write 'kind: disk'
-   disk: =>   |disk
  this line has no ': ' after its key; write 'disk:' and its value
-     seek: 8 ms =>     |seek:8 ms
  a space is missing after the ':'; write 'seek: 8 ms'
-     seek: 8 ms =>     |seek = 8 ms
  '=' stands here for ':'; write 'seek: 8 ms'
-     seek: 8 ms =>     |seek\uff1a 8 ms
  '\uff1a' stands here for ':'; write 'seek: 8 ms'
-     seek: 8 ms =>     |: 8 ms
  there is no key before this ':'; write one
-     seek: 8 ms =>     seek: 8 ms, then|: 3
  a second key is in this line; write each in a line of its own, or {a: 1, b: 2}
- title: A lab's disk => title: lab|: a disk
  ': ' is here for the second time in this line; put the whole text in quotes, or write the
  second key in a line of its own
- overhead: 1 us => |overhead:1 us
  parts.lan.overhead:1 us: a space is missing after the ':'; write 'overhead: 1 us'
- overhead: 1 us => |overhead 1 us
  parts.lan.overhead 1 us: has no ':' after its key; write 'overhead: 1 us'
-     seek: 8 ms =>     seek: |"8 ms
  the text that begins with " here has no end; write " after its last word
-     seek: 8 ms =>     seek: |'8 ms
  the text that begins with ' here has no end; write ' after its last word
- name: lab\ntitle: A lab's disk => name: |'lab\ntitle: 'a disk'
  the text that begins with ' here has no end; write ' after its last word
- name: lab\ntitle: A lab's disk => name: |"lab\ntitle: "a disk"
  the text that begins with " here has no end; write " after its last word
- A lab's disk => 'A lab'|s disk'
  this follows a text in quotes, or a list or mapping, that has ended; put all of it in quotes,
  or leave this out
- 8 ms => "8" |ms
  this follows a text in quotes, or a list or mapping, that has ended; put all of it in quotes,
  or leave this out
- A lab's disk => |@home
  a text cannot begin with '@'; put it in quotes
- A lab's disk => |`a`
  a text cannot begin with '`'; put it in quotes
- 1 us} => 1 us}|}
  '}' closes nothing here; leave it out
- 1 us} => 1 us|]}
  ']' is here, but the '{' of column 8 is still open; write '}' before it, or leave it out
- [disk] => [disk|}
  '}' is here, but the '[' of column 7 is still open; write ']' before it, or leave it out
- MB/s, overhead => MB/s overhead|
  a comma is missing before this, inside of the '{' of column 8; write it like {a: 1, b: 2}
- [disk] => |[disk
  this '[' is not closed; write ']' after its last value
-     seek: 8 ms => |seek: 8 ms
  seek: unknown key; there are format, name, title, references, nodes, parts, stores,
  buffer_caches, filesystems, messages, sites, services, runtime, events
- - [disk] => |-[disk]
  a space is missing after the '-'; write '- [disk]'
-     - [disk] =>     |[disk]
  in this column are items of a list, like the '- ' in line 12; write '- ' before it
-     seek: 8 ms =>     seek: 8 ms\n    |rate: 9 MB/s
  parts.disk.rate: is here for the second time; the first is line 8
- title: A lab's disk => title: |'A disk
  the text that begins with ' here has no end; write ' after its last word
- 100 MB/s => |\u201c100 MB/s\u201d
  parts.disk.rate: '\u201c100 MB/s\u201d' is not a rate; write it like '36 MB/s'
- 100 MB/s => |1,5 MB/s
  parts.disk.rate: '1,5 MB/s' has separators; write its digits alone, like '36 MB/s'
- 10 MB/s => 1,|5 MB/s
  parts.lan.5 MB/s: unknown key; a comma begins it: write decimals with a point, like '1.5 MB/s'
- lan: {kind: queue, rate: 10 MB/s, overhead: 1 us} => lan: |{kind: queue, rate: 10 MB/s
  this '{' is not closed; write '}' after its last value
""")


@pytest.mark.few(44)
@pytest.mark.parametrize(("old", "new", "about"), MISTAKES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mistake_in_a_machine(old: str, new: str, about: str, end: str) -> None:
    """It is one line, with its place and its cure."""
    assert LAB.count(old) == 1
    marked = LAB.replace(old, new)
    before = marked.partition("|")[0].split("\n")
    (line,) = problems_of(marked.replace("|", "").replace("\n", end))
    assert line == f"{len(before)}:{len(before[-1]) + 1}: {about}"
    assert re.search(r"write|indent|there are|the first is|leave|put", line)


ITEMS = "format: workload/2\nname: x\njobs:\n  - name: a\n"


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
    texts = [
        LAB,
        *((DATA / name).read_text(encoding="utf-8") for name in ("machine.yaml", "workload.yaml")),
    ]
    for text in texts:
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
    assert far < tried / 40  # The line itself is named, or the one beside it.


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

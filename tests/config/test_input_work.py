"""Hostile texts of 1 MB: each is answered in a few seconds of processor time, whatever is in it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from simulator.config import ConfigError
from simulator.config.axis import MOST_VALUES, VaryError, read_axis
from simulator.config.formats import MACHINE

SIZE = 990_000
MOST_S = 5.0
"""Of this process's own processor time, which other processes do not take: what is quadratic
takes minutes."""
HEAD = "format: machine/2\n"


def filled(piece: str, size: int = SIZE) -> str:
    """Repeat a piece to about ``size`` bytes."""
    return piece * (size // len(piece.encode()))


@contextmanager
def little_work() -> Iterator[None]:
    """Fail after :data:`MOST_S` of processor time."""

    def stop(_: int, __: FrameType | None) -> None:
        raise AssertionError(f"more than {MOST_S} s of work")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


HOSTILE = {
    "quotes": filled('"'),
    "apostrophes": filled("'"),
    "spaced quotes": filled(' "'),
    "a line of quotes": HEAD + "a: " + filled("x' ") + "\nb: 'c\n",
    "words and quotes": HEAD + "a: " + filled('" x') + "\n- [",
    "brackets": filled("["),
    "brackets in words": "a: {b\n" + filled("x["),
    "closed brackets": "a: ]" + filled("[]"),
    "lines of brackets": filled("a: [\n"),
    "colons": filled(": "),
    "bare colons": filled(":"),
    "keys in a line": filled("a: "),
    "tabs": filled("\t"),
    "lines of tabs": filled("\t\n"),
    "indents of tabs": filled("\t\n") + "a: 1",
    "spaces inside": HEAD + "a" + filled(" ") + "b\n",
    "spaces before a colon": "- a\nb" + filled(" ") + "x: y\n",
    "spaces and equals": "a: 1\nb" + filled(" ") + "x\n",
    "dashes": filled("- "),
    "dashes above": "a: 1\n" + filled("- "),
    "lines of dashes": filled("-\n"),
    "dashes, then a wrong column": filled("- ") + "a: 1\n b: 2\n",
    "questions": filled("? "),
    "anchors": filled("&a "),
    "many anchors": "".join(f"- &a{number} x\n" for number in range(60_000)),
    "aliases": "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(50_000)),
    "laughs": "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9 if n else 'x'}]\n" for n in range(40)),
    "documents": filled("---\n"),
    "a long word": HEAD + filled("x"),
    "a long key": HEAD + "? " + filled("x") + "\n: 1\n",
    "marks upon a key": HEAD + '? "a' + filled("\u0315\u0316") + '"\n: 1\n',
    "marks upon a value": HEAD + 'name: "a' + filled("\u0315\u0316") + '"\n',
    "comments": HEAD + filled("#\n"),
    "nested steps": "".join(" " * n + "a:\n" for n in range(1400)),
    "wrong columns": HEAD + "".join(f"{' ' * (n % 7)}a{n}: 1\n" for n in range(60_000)),
    "unknown keys": HEAD + "".join(f"a{n}: 1\n" for n in range(9_000)),
    "keys twice": HEAD + filled("a: 1\n"),
    "unknown parts": HEAD
    + "devices:\n"
    + "".join(f"  d{n}: {{raet: 1 MB/s}}\n" for n in range(3_000)),
    "blocks": HEAD + filled("a: |\n x\n"),
    "percent": filled("%"),
    "stars": filled("*"),
    "equals": HEAD + "a: 1\n" + filled("b=") + "\n",
}


@pytest.mark.few(2)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_refused_at_once(text: str) -> None:
    with little_work(), pytest.raises(ConfigError) as caught:
        MACHINE.parse(text, "machine", ())
    told = str(caught.value)
    assert len(told.splitlines()) <= 51, "mistakes beyond some 50 are counted only"
    assert len(told) < 100_000


RANGES = [
    "1 MB/s..1 GB/s x1.00001",
    "1..1e9 +1",
    "1 %..100 % x1.0001",
    "1..1e999 x1.0000000001",
    "1..2 +1e-300",
    "1..2 x1e-999",
    "1e-400..1e400 x2",
    f"1..{'1' * 50_000}x{'*' * 50_000}",
    ",".join(f"{n}..{n + 90_000} +1" for n in range(3_000)),
    "{" * 100_000,
]


@pytest.mark.few(2)
@pytest.mark.parametrize("spec", RANGES, ids=lambda spec: spec[:24])
def test_a_range_is_counted_before_it_is_listed(spec: str) -> None:
    with little_work():
        if spec[0] == "{":
            assert read_axis("a", "a", spec).texts == (spec,)
            return
        with pytest.raises(VaryError):
            read_axis("a", "a", spec)


@pytest.mark.slow
def test_a_range_says_how_many_values_it_would_have() -> None:
    with pytest.raises(VaryError, match=rf"1,000,000,000 values.*at most {MOST_VALUES:,}"):
        read_axis("a", "a", "1..1e9 +1")
    assert len(read_axis("a", "a", f"1..{MOST_VALUES} +1").texts) == MOST_VALUES
    assert read_axis("a", "a", "1..1000 x10").texts == ("1", "10", "100", "1000")

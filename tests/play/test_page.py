"""The page in a browser: sliders are moved, and its numbers are the command line's."""

from __future__ import annotations

import itertools
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.cli.serve import leading_to
from simulator.play.server import PageServer
from tests.browser import Browser, opened
from tests.cli.commands import Capture, as_json

pytestmark = pytest.mark.real("chromium")

SIZES = ((390, 844), (1280, 900), (1920, 1080), (3840, 2160))
READY = "['whole', 'refused'].includes(document.body?.dataset.stand)"
COMMAND = "document.getElementById('command').textContent"
HEADLINE = "document.getElementById('headline').textContent"
DOTS = "document.querySelectorAll('#curve .dot').length"
MEANS = "document.querySelectorAll('#curve .mean title')"
SLIDERS = "document.querySelectorAll('#sliders [id^=s-]:is(input, select)')"
WIDER = """[...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && box.right > document.documentElement.clientWidth + 1
    && !one.closest('.scroll, .unseen, .skip, svg svg');
}).map((one) => one.outerHTML.slice(0, 80))"""
UNNAMED = """[...document.querySelectorAll('input, select, button, summary, svg[role=img]')]
.filter((one) => !one.closest('[aria-hidden=true]')
  && !(one.labels?.length || one.ariaLabel || one.textContent.trim()))
.map((one) => one.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server on a free port."""
    made = PageServer(0)
    threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True).start()
    yield made.address
    made.shutdown()
    made.end()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with one page."""
    with opened(tmp_path_factory.mktemp("profile")) as made:
        yield made


def go(browser: Browser, address: str, words: str = "") -> None:
    """Open the page anew, and wait until it is whole."""
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=f"{address}#{words}")
    browser.wait(READY)


def move(browser: Browser, name: str, *keys: str) -> None:
    """Move a slider as a person with a keyboard does, and wait for the run."""
    before = browser.run(COMMAND)
    browser.run(f"document.getElementById('s-{name}').focus()")
    for key in keys:
        browser.key(key)
    browser.wait(f"{COMMAND} !== {before!r} && {READY}")


def clean(browser: Browser, address: str) -> None:
    """Check that nothing was complained of, and nothing asked of another place."""
    assert browser.complaints == []
    assert browser.remarks == []
    asked = [one for one in browser.requests if not one.startswith((address, "data:", "about:"))]
    assert asked == []


def test_three_sliders_give_the_numbers_of_the_command_line(
    browser: Browser, address: str, capsys: Capture
) -> None:
    browser.size(1280, 900)
    go(browser, address)
    assert browser.run(HEADLINE).startswith("Writing: 14.5 MB/s")
    for name, key in (("buffer", "ArrowRight"), ("array", "ArrowRight"), ("record", "ArrowLeft")):
        move(browser, name, key)
        program, *words = shlex.split(browser.run(COMMAND))
        assert program == "nwtsim"
        record = as_json(capsys, *words, "--no-limits")
        assert browser.run(HEADLINE).startswith(f"Writing: {record['write_MBps']:.1f} MB/s")
    assert words == [
        *("run", "nwt", "test-write", "--set", "buffer=1 MB"),
        *("--set", "array=2", "--set", "record=16 kB"),
    ]
    text = browser.run("document.getElementById('s-record').getAttribute('aria-valuetext')")
    assert text == "16 kB"
    clean(browser, address)


def test_the_curve_has_the_papers_points(browser: Browser, address: str) -> None:
    go(browser, address, "machine=nwt&workload=test-write-120MB&set=policy%3Dnwt-predicted")
    stops = browser.run("document.getElementById('s-buffer').max")
    browser.wait(f"{DOTS} === {int(stops) + 1}")
    told = browser.run(f"[...{MEANS}].map((one) => one.textContent)")
    assert told == [
        "58.8 (52.9 to 61 MB/s, 8 runs, table 4.3)",
        "80.9 (72 to 89.1 MB/s, 8 runs, table 4.3)",
    ]
    clean(browser, address)


def test_the_link_holds_the_state(browser: Browser, address: str) -> None:
    go(browser, address)
    move(browser, "buffer", "End")
    headline, command = browser.run(HEADLINE).partition(" (before")[0], browser.run(COMMAND)
    words = browser.run("location.hash.slice(1)")
    assert "set=buffer%3D32+MB" in words
    go(browser, address, words)
    assert (browser.run(HEADLINE), browser.run(COMMAND)) == (headline, command)
    clean(browser, address)


def test_the_seed_is_in_the_command_and_the_link(
    browser: Browser, address: str, capsys: Capture
) -> None:
    go(browser, address)
    browser.run("document.getElementById('seed').value = '7'")
    before = browser.run(COMMAND)
    browser.run("document.querySelector('#draw button').click()")
    browser.wait(f"{COMMAND} !== {before!r} && {READY}")
    _, *words = shlex.split(browser.run(COMMAND))
    assert words[-2:] == ["--seed", "7"]
    rate = as_json(capsys, *words, "--no-limits")["write_MBps"]
    headline = browser.run(HEADLINE).partition(" (before")[0]
    assert headline.startswith(f"Writing: {rate:.1f} MB/s")
    go(browser, address, browser.run("location.hash.slice(1)"))
    assert browser.run(HEADLINE) == headline
    assert browser.run("document.getElementById('seed').value") == "7"
    go(browser, address, "seed=x")
    assert "not a whole number" in browser.run("document.getElementById('wrong').textContent")
    clean(browser, address)


def test_what_cannot_be_is_told_and_the_page_goes_on(browser: Browser, address: str) -> None:
    go(browser, address, "set=ssu.capacity%3D3+MB")
    assert "more than the capacity" in browser.run("document.getElementById('wrong').textContent")
    browser.run("document.getElementById('reset').click()")
    gone = "document.getElementById('wrong').hidden"
    browser.wait(f"{gone} && {HEADLINE}.startsWith('Writing: 14.5')")
    clean(browser, address)


def test_the_file_that_open_gives_to_a_browser_leads_to_the_page(
    browser: Browser, address: str
) -> None:
    with leading_to(address) as file:
        here = Path(file.removeprefix("file://"))
        assert here.parent.stat().st_mode & 0o077 == 0
        browser.call("Page.navigate", url=file)
        browser.wait(READY)
    assert not here.exists()
    browser.requests.remove(file)
    clean(browser, address)
    assert browser.run("location.href").startswith(address)


def test_names_in_a_link_do_not_become_markup(browser: Browser, address: str) -> None:
    bad = "%3Cimg src=x onerror=alert(1)%3E"
    go(browser, address, f"machine={bad}&set={bad}%3D1")
    assert "<img" in browser.run("document.getElementById('wrong').textContent")
    assert browser.run("document.querySelectorAll('img').length") == 0
    go(browser, address, f"set=buffer%3D{bad}")
    assert browser.run("document.querySelectorAll('img').length") == 0
    clean(browser, address)


@pytest.mark.parametrize("words", ["", "machine=workstation&workload=copy-file"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_wider_than_the_window(
    browser: Browser, address: str, width: int, height: int, words: str
) -> None:
    browser.size(width, height)
    go(browser, address, words)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.run(WIDER) == []
    clean(browser, address)


def test_everything_that_can_be_used_has_a_name(browser: Browser, address: str) -> None:
    go(browser, address)
    assert browser.run(UNNAMED) == []
    heads = browser.run("[...document.querySelectorAll('h1,h2,h3')].map((a) => +a.tagName[1])")
    assert heads[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(heads))
    assert browser.run("document.querySelectorAll('[aria-live=polite][role=status]').length")
    ids = browser.run("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_a_keyboard_reaches_every_slider(browser: Browser, address: str) -> None:
    browser.size(1280, 900)
    go(browser, address)
    wanted = set(browser.run(f"[...{SLIDERS}].map((one) => one.id)"))
    assert len(wanted) == 7
    seen = set()
    for _ in range(40):
        browser.key("Tab")
        seen.add(browser.run("document.activeElement.id"))
    assert wanted <= seen
    shown = "getComputedStyle(document.activeElement).outlineStyle"
    assert browser.run(shown) != "none"


@pytest.mark.slow
def test_pictures_of_the_page(browser: Browser, address: str, tmp_path: Path) -> None:
    for dark in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": dark}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        for width, height in SIZES[:2]:
            browser.size(width, height)
            go(browser, address)
            file = tmp_path / f"{dark}-{width}.png"
            browser.picture(file)
            assert file.stat().st_size > 20_000
    clean(browser, address)

"""The built site in Chromium, for which every other host is unknown: pages, search, the lab."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

import nwtsim
from docs.site.wasm import PLATFORM
from notebooks.course import MODULES
from tests.browser import Browser, axe, opened, served
from tests.render_notebooks import LESSONS, code_cells

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
PAGES = (
    *("index", "commands/run", "keys/machine", "python/index", "course/index", "course/teacher"),
    *("docs/glossary", "docs/composition", "experiments/nwt/README"),
    *(f"notebooks/{one}" for one in MODULES),
    *("gallery/index", "docs/validation/nwt"),
)
if not (SITE / "gallery" / "index.html").exists():  # Left out without the compiled engine.
    PAGES = tuple(one for one in PAGES if one != "gallery/index")
FAVICON = "/favicon.ico"
MOST_POINT_MS = 200
"""How long a point of the page may take."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.real("chromium"),
    pytest.mark.skipif(not SITE.is_dir(), reason="make site builds the site"),
]


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with opened(tmp_path) as page:
        yield page


def complaints(browser: Browser) -> list[str]:
    return [one for one in browser.complaints if FAVICON not in one]


def asked_elsewhere(browser: Browser, here: str) -> list[str]:
    own = (here, "data:", "blob:", "about:")
    return [one for one in browser.requests if not one.startswith(own)]


# -- pages ------------------------------------------------------------------------------------

WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_pages_opened_as_files_fit_narrow_and_wide_screens(browser: Browser) -> None:
    wide = []
    for name in PAGES:
        for width in (390, 1280):
            browser.size(width, 900)
            browser.open((SITE / f"{name}.html").as_uri())
            if over := browser.run(WIDER):
                wide.append((name, width, over))
    assert wide == []
    assert complaints(browser) == []
    assert asked_elsewhere(browser, SITE.as_uri()) == []


LOOK = """
axe.run({resultTypes: ["violations"]}).then(found => found.violations
  .filter(one => ["serious", "critical"].includes(one.impact))
  .map(one => `${one.id}: ${one.nodes[0].html.slice(0, 100)}`))
"""


def test_pages_can_be_read_by_keyboard_and_ear_in_light_and_dark(browser: Browser) -> None:
    script, found = axe(), {}
    for scheme in ("light", "dark"):
        wanted = {"name": "prefers-color-scheme", "value": scheme}
        browser.call("Emulation.setEmulatedMedia", features=[wanted])
        for name in PAGES:
            browser.open((SITE / f"{name}.html").as_uri())
            browser.run(f"{script};0")
            found[name, scheme] = browser.run(LOOK)
    assert {page: wrong for page, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("uncertainty", "commands/uncertainty.html"),
        ("replications", "commands/run.html#cmdoption-nwtsim-run-replications"),
        ("flush_overhead", "keys/machine.html#key-Cpu.flush_overhead"),
        ("backfill", "keys/machine.html#key-BatchQueue.backfill"),
        ("fortran_calls", "python/index.html#nwtsim.fortran_calls"),
        ("watermark", "docs/glossary.html"),
    ],
)
def test_the_search_finds_commands_keys_functions_and_words(
    browser: Browser, words: str, page: str
) -> None:
    browser.open((SITE / "search.html").as_uri() + f"?q={words}")
    links = "[...document.querySelectorAll('#search-results li a')].map(one => one.href)"
    browser.wait("document.querySelector('#search-results .search-summary')?.innerText")
    browser.wait(f"{links}.length > 0")
    found = browser.wait(f"{links}.some(one => one.includes({json.dumps(page)})) && {links}")
    assert len(found) < 100
    assert complaints(browser) == []
    assert asked_elsewhere(browser, SITE.as_uri()) == []


# -- the lab ----------------------------------------------------------------------------------

SHOWN = "window.jupyterapp?.shell.currentWidget"
READY = f"!!{SHOWN}?.context?.isReady && {SHOWN}.sessionContext.session?.kernel?.name"
OUTPUTS = f"JSON.stringify({SHOWN}.content.model.toJSON().cells)"
ASK = """
(async code => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const asked = kernel.requestExecute({code});
  let said = "";
  asked.onIOPub = one => { said += one.content.text ?? one.content.evalue ?? ""; };
  await asked.done;
  return said;
})
"""


def asked(browser: Browser, code: str) -> str:
    """Run code in the notebook's kernel; what it printed."""
    return str(browser.run(f"({ASK})({json.dumps(code)})"))


def texts(cells: list[dict]) -> list[str]:  # type: ignore[type-arg]
    """What each cell of code printed or returned, as text."""
    outputs = [one for cell in cells if cell["cell_type"] == "code" for one in cell["outputs"]]
    found = [one.get("text") or one.get("data", {}).get("text/plain") or one for one in outputs]
    return ["".join(one).rstrip() for one in found]


@pytest.mark.skipif(not (SITE / "lab").is_dir(), reason="make site left the lab out")
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_in_the_lab_with_the_numbers_of_a_native_run(
    browser: Browser, path: Path
) -> None:
    wanted = nbformat.read(path, as_version=4)
    with served(SITE) as here:
        browser.size(1280, 900)
        address = f"{here}/lab/notebooks/index.html?path={path.name}"
        browser.open(address)
        assert browser.wait(READY) == "python"
        browser.run("jupyterapp.commands.execute('notebook:run-all-cells').then(String)")
        cells = json.loads(browser.run(OUTPUTS))
        assert texts(cells) == texts(code_cells(wanted))
        assert len(texts(cells)) >= len(code_cells(wanted))
        assert asked(browser, "print(lesson.answer(1, 3))").startswith("Not yet. Hint: ")
        assert asked(browser, "print(lesson.answer(1, lesson.truth(1)))").startswith("Right. ")
        browser.run("jupyterapp.commands.execute('docmanager:save').then(String)")
        browser.open("about:blank")  # What was done is kept in the browser's own memory.
        browser.open(address)
        assert browser.wait(READY) == "python"
        module = MODULES[path.stem].__name__.rpartition(".")[2]
        again = f"from course import {module}; print({module}.lesson('Ada').kept())"
        assert asked(browser, again) == "{'1': 'right'}\n"
        assert complaints(browser) == []
        assert asked_elsewhere(browser, here) == []


@pytest.mark.skipif(not (SITE / "play").is_dir(), reason="this site has no page with sliders")
def test_the_page_with_sliders_runs_on_the_python_of_the_lab(browser: Browser) -> None:
    with served(SITE) as here:
        began = time.monotonic()
        browser.open(f"{here}/play/index.html")
        rate = nwtsim.run("nwt", "test-write").write_MBps
        browser.wait(f"document.body.innerText.includes('Writing: {rate:.1f} MB/s')")
        print(f"first answer after {time.monotonic() - began:.1f} s")
        assert complaints(browser) == []
        assert asked_elsewhere(browser, here) == []


POINTS = """
(async (points) => {
  const made = new Worker('worker.js', { type: 'module' });
  const named = (name) => document.querySelector(`meta[name=${name}]`).content.split(' ');
  const full = (name) => named(name).map((one) => new URL(one, location.href).href);
  const ask = (question) => new Promise((done) => {
    made.onmessage = ({ data }) => done(data.answer);
    made.postMessage({ number: 1, question });
  });
  made.postMessage({ pyodide: full('pyodide')[0], packages: full('packages') });
  const pair = { machine: 'nwt', workload: 'test-write' };
  const first = await ask({ ask: 'run', ...pair });
  const began = performance.now(), answers = [];
  for (const settings of points) answers.push(await ask({ ask: 'point', ...pair, settings }));
  return JSON.stringify([first.engine, performance.now() - began, answers]);
})
"""


@pytest.mark.skipif(not (SITE / "play").is_dir(), reason="this site has no page with sliders")
def test_points_of_the_page_are_those_of_a_native_run_and_come_in_time(browser: Browser) -> None:
    buffers = ["64 kB", "256 kB", "1 MB", "2 MB", "4 MB", "6 MB", "8 MB", "12 MB", "16 MB"]
    settings = [{"buffer": one} for one in buffers]
    with served(SITE) as here:
        browser.open(f"{here}/play/index.html")
        found = json.loads(browser.run(f"({POINTS})({json.dumps(settings)})"))
    engine, took_ms, answers = found
    compiled = list((SITE / "lab" / "static" / "pyodide").glob(f"*{PLATFORM}.whl"))
    assert engine == ("native" if compiled else "reference")
    print(f"a point in {took_ms / len(buffers):.0f} ms")
    assert [one["elapsed_ns"] / 1e9 for one in answers] == [
        nwtsim.run("nwt", "test-write", settings=one).elapsed_s for one in settings
    ]
    if compiled:
        assert took_ms / len(buffers) < MOST_POINT_MS

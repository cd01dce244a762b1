"""Build the site: ``python -m docs.site.build``, which ``make site`` calls.

The pages of the repository are assembled in ``build/site-source`` beside pages that are generated
from parsers, sections, docstrings and commands; Sphinx makes ``build/site`` of them. A warning is
an error, and so is a link within the site that leads nowhere.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from docs.site import commands, course, gallery, keys, lab, links, python
from simulator import native

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "build" / "site-source"
OUT = ROOT / "build" / "site"
PLAY = importlib.util.find_spec("simulator.play") is not None
"""Whether this version has the page with sliders; in the site the lab's Python answers it."""

PLAYED = ("nwtsim", "simpy", "pyyaml")
"""Wheels of the lab that the page with sliders needs."""

GLOBS = ("*.md", "docs/**/*.md", "experiments/*/README.md", "notebooks/*.ipynb")
CONTENTS = {
    "Begin": ["docs/start", "play", "course/index", "gallery/index"],
    "Guides": [
        *("docs/machines", "docs/filesystems/index", "docs/measure", "docs/production"),
        *("docs/limits", "docs/advise", "docs/failures", "docs/traces", "docs/tracing"),
        *("docs/sweeps", "docs/sizing", "docs/uncertainty", "docs/calibration", "docs/scale"),
    ],
    "Reference": [
        *("commands/index", "keys/index", "docs/python", "python/index", "docs/composition"),
        *("docs/results", "docs/extending", "docs/glossary"),
    ],
    "Background": [
        *("docs/model", "docs/validation", "docs/assumptions", "docs/testing"),
        *("docs/performance", "experiments/index", "docs/decisions/README"),
    ],
    "Project": ["CONTRIBUTING", "CHANGELOG", "SECURITY", "CODE_OF_CONDUCT"],
}
FOLDERS = {"docs/filesystems": "File systems", "experiments": "Studies"}
"""Folders without a page of their own: each gets a list of what is in it."""
LED = {"notebooks": "course/index.md"}
"""Folders of README that have a page elsewhere."""
BELOW = {"docs/validation": "validation/*", "docs/decisions/README": "0*"}
"""Pages under which others stand."""


def main() -> int:
    """Build the site; returns Sphinx's exit code."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--no-gallery", action="store_true", help="draw no pictures")
    parser.add_argument("--no-lab", action="store_true", help="build no lab")
    arguments = parser.parse_args()
    start = time.monotonic()
    with_lab = not arguments.no_lab and lab.fetched()
    assemble(pictures=not arguments.no_gallery and drawn(), with_lab=with_lab)
    shutil.rmtree(OUT, ignore_errors=True)  # Nothing of an earlier build stays.
    code = sphinx()
    if code == 0:
        add_folders()
        if with_lab:
            lab.build(OUT / "lab", course.LESSONS)
        if with_lab and PLAY:
            add_play()
        wrong = links.broken(OUT)
        print("\n".join(wrong), file=sys.stderr)
        code = 1 if wrong else 0
    said = f"{sum(1 for _ in OUT.rglob('*.html'))} pages in build/site"
    print(f"{said}, {time.monotonic() - start:.0f} s" if code == 0 else "The site was not built")
    return code


def drawn() -> bool:
    """Whether pictures can be drawn in seconds; says so if not."""
    if native.has_kernel():
        return True
    print("The native engine is not compiled: the gallery is left out, which would take minutes")
    return False


# -- the sources ------------------------------------------------------------------------------


def assemble(*, pictures: bool, with_lab: bool) -> None:
    """Write the sources of the site."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages = sorted(one for pattern in GLOBS for one in ROOT.glob(pattern))
    made = {path.relative_to(ROOT).as_posix(): text_of(path) for path in pages}
    made |= commands.pages() | keys.pages() | {"python/index.md": python.page()}
    made |= course.pages(with_lab=with_lab)
    made |= {f"{name}/index.md": folder_page(name, title, made) for name, title in FOLDERS.items()}
    if PLAY and with_lab:
        made["play.md"] = (
            '# Play\n\n<p><a href="play/index.html">Turn the knobs of a machine</a></p>\n'
        )
    if pictures:
        made["gallery/index.md"] = gallery.page(SOURCE / "gallery")
    for page, pattern in BELOW.items():
        made[f"{page}.md"] += toctree([pattern], "glob")
    made["index.md"] = made.pop("README.md") + "".join(
        toctree([one for one in names if present(one, made)], f"caption: {caption}")
        for caption, names in CONTENTS.items()
    )
    for name in {**made}:
        for target in files_linked(name, made[name]):
            copy(ROOT / target, SOURCE / target)
    for name, text in made.items():
        write(SOURCE / name, text)


def text_of(path: Path) -> str:
    """Read a page; of its links, those to folders lead to the pages of these."""
    text = path.read_text("utf-8")

    def led(found: re.Match[str]) -> str:
        if path.parent == ROOT and found[1] in LED:
            return f"]({LED[found[1]]})"
        target = path.parent / found[1]
        inner = "README.md" if (target / "README.md").exists() else "index.md"
        return f"]({found[1]}/{inner})" if target.is_dir() else found[0]

    return re.sub(r"\]\(([\w./-]+?)/?\)", led, text)


def present(name: str, made: dict[str, str]) -> bool:
    """Whether a page of the contents is there: some may be left out."""
    return f"{name}.md" in made


def folder_page(name: str, title: str, made: dict[str, str]) -> str:
    """Write the list of the pages in a folder."""
    inside = [one for one in made if one.startswith(f"{name}/")]
    paths = [one.removeprefix(f"{name}/").rpartition(".")[0] for one in inside]
    return f"# {title}\n" + toctree(paths, "maxdepth: 1", hidden=False)


def toctree(names: list[str], *options: str, hidden: bool = True) -> str:
    """Write a table of contents."""
    lines = [f":{one}:" if ":" not in one else f":{one}" for one in options]
    lines += [":hidden:"] if hidden else []
    return "\n\n" + "\n".join(["```{toctree}", *lines, "", *names, "```", ""])


def files_linked(name: str, text: str) -> Iterator[str]:
    """Yield the files of the repository, pages aside, to which a page has a link."""
    if name.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n\n".join(
            "".join(one["source"]) for one in cells if one["cell_type"] == "markdown"
        )
    for target in re.findall(r"\]\(\s*([^)\s#]+)", text):
        here = Path(os.path.normpath((ROOT / name).parent / target))
        if target.startswith("/"):
            here = ROOT / target[1:]
        if here.is_file() and here.suffix not in {".md", ".ipynb"}:
            yield here.relative_to(ROOT).as_posix()


def copy(source: Path, target: Path) -> None:
    """Copy a file into a folder that may not be there yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def write(target: Path, text: str) -> None:
    """Write a page into a folder that may not be there yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")


# -- the pages --------------------------------------------------------------------------------


def sphinx() -> int:
    """Make the pages; returns Sphinx's exit code."""
    command = [
        *(sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-E"),
        *("-j", "auto"),
        *("-c", str(Path(__file__).parent), str(SOURCE), str(OUT)),
        *("-d", str(ROOT / "build" / "site-doctrees")),
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def add_folders() -> None:
    """Copy into the site the pages of reports, which are none of Sphinx."""
    for page in (SOURCE / "gallery").glob("*.html"):
        copy(page, OUT / "gallery" / page.name)


def add_play() -> None:
    """Write the page with sliders; it runs Python and the wheels of the lab in a worker."""
    from simulator.play.files import page_files

    folder = OUT / "lab" / "static" / "pyodide"
    wheels = [one.name for name in PLAYED for one in folder.glob(f"{name}-*.whl")]
    at = "../lab/static/pyodide/"
    about = {"engine": "worker", "pyodide": at, "packages": " ".join(at + one for one in wheels)}
    for name, content in page_files(**about).items():
        (OUT / "play").mkdir(exist_ok=True)
        (OUT / "play" / name).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())

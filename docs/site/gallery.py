"""The gallery: pictures, each drawn at build by the command that stands under it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from docs.site.commands import fenced

ROOT = Path(__file__).resolve().parents[2]
LOG = "notebooks/data/job.strace.gz"


class Picture(NamedTuple):
    """A picture that a command draws."""

    title: str
    command: str
    file: str
    """What the command writes and the page shows, in its folder."""
    alt: str


PICTURES = (
    Picture(
        "Writing is slow with a buffer of exactly one unit of the cache",
        "nwtsim sweep nwt test-write --vary 'buffer=7.5 MB..8.5 MB +100 kB' --out sweep",
        "sweep/plot.svg",
        "A curve of the write rate over the buffer of the Fortran runtime.",
    ),
    Picture(
        "A larger buffer helps two Fortran runtimes, and one not at all",
        "nwtsim sweep nwt test-read --vary 'buffer=64 kB..32 MB x2'"
        " --vary policy=nwt,gfortran,flang --set workload.files.input.size='64 MB' --out two",
        "two/plot.svg",
        "The read rate over the buffer and the Fortran runtime.",
    ),
    Picture(
        "Which assumed or fitted value moves the time of a run most",
        "nwtsim uncertainty nwt test-write --out uncertainty",
        "uncertainty/tornado.svg",
        "A tornado chart: a bar for each value, by how far its range moves the time.",
    ),
    Picture(
        "One run, explained",
        "nwtsim run nwt test-write --html run.html",
        "run.html",
        "The page of a run: a diagram of the machine, its plots and tables.",
    ),
    Picture(
        "A morning of several jobs",
        "nwtsim run nwt morning --html morning.html",
        "morning.html",
        "The page of a run of several jobs: what limits each, and when they ran.",
    ),
    Picture(
        "Bytes that a traced program read and wrote over time",
        f"nwtsim trace rate {LOG} --plot rate.svg",
        "rate.svg",
        "Rates of reading and writing in each interval of the program's run.",
    ),
    Picture(
        "Every call on one file",
        f"nwtsim trace offsets {LOG} --file result.dat --plot offsets.svg",
        "offsets.svg",
        "Offset, size and duration of each call on result.dat over time.",
    ),
    Picture(
        "Lengths of reads and writes",
        f"nwtsim trace sizes {LOG} --plot sizes.svg",
        "sizes.svg",
        "A histogram of the lengths of reads and writes.",
    ),
)

KEPT = (
    Picture(
        "The tables of 1998 beside what is fitted and what is predicted",
        "make validation",
        "docs/validation.png",
        "Printed and simulated rates of the published tables.",
    ),
    Picture(
        "A checkpoint every hour",
        "make checkpoint",
        "experiments/checkpoint/checkpoint.png",
        "The wait for a checkpoint, and the restart, over what storage costs.",
    ),
)
"""Pictures of pages that take minutes: they are in the repository."""


def page(folder: Path) -> str:
    """Draw the pictures into a folder, and write the page that shows them.

    Raises:
        subprocess.CalledProcessError: a command failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("notebooks", "configs"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    parts = ["# Gallery", "Each picture is drawn by the command under it when this site is built."]
    for one in PICTURES:
        draw(one, folder)
        shown = framed(one) if one.file.endswith(".html") else f"![{one.alt}]({one.file})"
        parts += [f"## {one.title}", shown, fenced(one.command, "console")]
    for name in ("notebooks", "configs"):
        (folder / name).unlink()
    for one in KEPT:
        parts += [f"## {one.title}", f"![{one.alt}](/{one.file})", fenced(one.command, "console")]
    return "\n\n".join(parts) + "\n"


def draw(picture: Picture, folder: Path) -> None:
    """Carry out the command of a picture in a folder, which its paths are relative to."""
    _, *words = shlex.split(picture.command)
    command = [sys.executable, "-m", "simulator", *words, "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if not (folder / picture.file).exists():
        raise FileNotFoundError(f"{picture.command} did not write {picture.file}")


def framed(picture: Picture) -> str:
    """Show a page of its own in a frame, with a link to it."""
    name = Path(picture.file).name
    return (
        f'<iframe class="page" src="{name}" title="{picture.alt}" loading="lazy"></iframe>\n'
        f'<p><a href="{name}">{picture.alt}</a></p>'
    )

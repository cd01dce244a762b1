"""Pages of the course: its lessons, the way to the lab, and the teacher's page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from docs.site.commands import ROOT, escaped, fenced
from notebooks.course import MODULES, sources, ssken

LESSONS = sorted((ROOT / "notebooks").glob("lesson*.ipynb"))
STUDENT = "Ada"
"""Whose numbers the committed notebooks and the teacher's page have."""


def pages(*, with_lab: bool) -> dict[str, str]:
    """Return the pages in MyST Markdown, by path."""
    return {"course/index.md": overview(with_lab=with_lab), "course/teacher.md": teacher()}


def overview(*, with_lab: bool) -> str:
    """Write the page of the course: where lessons run, and what they are."""
    parts = ["# Course", "Each lesson begins with a question, and the simulator checks answers."]
    if with_lab:
        parts += [
            "The lab is a folder of this site: the lessons as notebooks that run in a browser,"
            " without a network and without anything else installed. Browsers run it from a server"
            " only, which may be this computer. In the folder of this site:",
            fenced("python3 -m http.server --bind 127.0.0.1", "console"),
            "Then open <http://127.0.0.1:8000/course/index.html>, and a lesson:",
            "<ul>" + "".join(f"<li>{lab_link(one)}</li>" for one in LESSONS) + "</ul>",
        ]
    parts += ["With Python and JupyterLab the same notebooks run by:"]
    parts += [fenced("nwtsim notebooks my-notebooks\njupyter lab my-notebooks", "console")]
    names = [f"/notebooks/{one.stem}" for one in LESSONS]
    contents = "\n".join(["```{toctree}", ":maxdepth: 1", "", *names, "teacher", "```", ""])
    return "\n\n".join([*parts, "To read them:", contents])


def lab_link(lesson: Path) -> str:
    """Link a lesson to where it runs."""
    title = markdown(lesson)[0].partition("\n")[0].strip("# ")
    return f'<a href="../lab/notebooks/index.html?path={lesson.name}">{title}</a>'


def markdown(lesson: Path) -> list[str]:
    """Return the texts of a lesson."""
    cells = json.loads(lesson.read_text("utf-8"))["cells"]
    return ["".join(one["source"]) for one in cells if one["cell_type"] == "markdown"]


def teacher() -> str:
    """Write the teacher's page: for each lesson its objectives, a sheet to print, and answers."""
    parts = [
        "# For teachers",
        "Numbers follow from the name that a student gives to `lesson`, as in `records.lesson`; the"
        ' answers of another one are told by `records.lesson("NAME").solutions()`.',
    ]
    for path in LESSONS:
        lesson = MODULES[path.stem].lesson(STUDENT)
        numbers = range(1, len(lesson.exercises) + 1)
        texts = markdown(path)
        parts += [f"## {texts[0].partition(chr(10))[0].strip('# ')}"]
        parts += re.findall(r"After this lesson.*?\n\n(?=\S)(?:- .*\n)+", texts[1])
        parts += ["### A sheet to print", f"Numbers of {STUDENT}."]
        units = dict(zip(numbers, (one.unit for one in lesson.exercises), strict=True))
        parts += [paragraph(f"{lesson.ask(one)}\n____________ {units[one]}") for one in numbers]
        parts += ["### Answers", *(paragraph(f"{one}. {lesson.told(one)}") for one in numbers)]
    return "\n\n".join([*parts, *printed()]) + "\n"


def printed() -> list[str]:
    """Write which tables and figures of the sources the lessons show, and why not the others."""
    rows = ["| source | beside | items | lesson |", "|---|---|---|---|"]
    for beside, listed in (
        ("simulated numbers", sources.SHOWN),
        ("what follows from other numbers", sources.CHECKED),
        ("simulated times that do not explain it", sources.UNEXPLAINED),
    ):
        for lesson, studies in listed.items():
            for study, items in studies.items():
                named = f"{sources.NAMES[study]} | {beside} | {'; '.join(items)}"
                rows.append(f"| {named} | {lesson[6]} |")
    reasons: dict[str, list[str]] = {}
    for study, found in sources.NOT_SHOWN.items():
        for item, why in found.items():
            reasons.setdefault(why, []).append(f"{sources.NAMES[study]} {item}")
    others = [f"- {', '.join(items)}: {why}." for why, items in reasons.items()]
    lost = [f"- {sources.NAMES[study]}: {'; '.join(one)}." for study, one in sources.LOST.items()]
    return [
        *("## What the sources print", f"{sources.count()} {ssken.alone()}", "\n".join(rows)),
        *("Not shown:", "\n".join(others)),
        "Graphs of which no value is left; lessons 4 and 5 draw curves without crosses for some:",
        "\n".join(lost),
    ]


def paragraph(text: str) -> str:
    """Write a text as a paragraph that keeps its lines."""
    lines = (line for line in text.splitlines() if not line.startswith("Answer in "))
    return "\\\n".join(map(escaped, lines))

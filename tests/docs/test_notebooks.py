"""The committed lessons: how their outputs are compared with those of a fresh execution."""

import copy
import re
from pathlib import Path

import nbformat
import pytest

from tests.render_notebooks import LESSONS, code_cells, differences, main, normalised, shown

MOST_BYTES = 200_000
lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


# -- as committed -----------------------------------------------------------------------------


@lesson
def test_holds_nothing_that_changes_from_run_to_run(path: Path) -> None:
    page = read(path)
    assert normalised(page) == page
    assert path.stat().st_size < MOST_BYTES
    for text in (text for cell in code_cells(page) for text in shown(cell)):
        assert not re.search(r"/tmp(?!/file\d)|/root|/home/(?!student)|\.py:\d", text), text


@lesson
def test_every_cell_shows_something_and_needs_no_other_package(path: Path) -> None:
    for cell in code_cells(read(path)):
        assert cell.outputs, f"{path.name}: {cell.id}"
        imported = re.findall(r"^\s*(?:from|import) (\w+)", cell.source, re.MULTILINE)
        assert set(imported) <= {"course"}, cell.id


# -- the comparison ---------------------------------------------------------------------------


def test_each_changed_output_is_named() -> None:
    kept = read(LESSONS[0])
    fresh = copy.deepcopy(kept)
    cells = {cell.id: cell for cell in fresh.cells}
    cells["mixed-show"].outputs[0].data["text/plain"] += "\none line more"
    cells["units"].outputs = []
    wrong = differences(fresh, kept)
    named = [re.match(r"cell ([\w-]+)", one)[1] for one in wrong]  # type: ignore[index]
    assert named == ["mixed-show", "units", "units"]  # As HTML and as text.
    assert wrong[0].splitlines()[1:] == ["+one line more"]
    assert differences(kept, kept) == []


def test_a_text_that_came_in_several_messages_is_one() -> None:
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", id="long")])
    texts = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in "ab"]
    shown_once = nbformat.v4.new_output("display_data", data={"text/plain": "a picture"})
    page.cells[0].outputs = [*texts, shown_once, copy.deepcopy(texts[0])]
    assert list(shown(normalised(page).cells[0])) == ["ab", "text/plain: a picture", "a"]


def test_a_cell_that_warns_is_refused() -> None:
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", id="loud")])
    page.cells[0].outputs = [nbformat.v4.new_output("stream", name="stderr", text="careful")]
    with pytest.raises(ValueError, match="cell loud writes to stderr: careful"):
        normalised(page)


def test_an_unknown_lesson_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["99"])
    assert "no lesson begins with 99" in capsys.readouterr().err

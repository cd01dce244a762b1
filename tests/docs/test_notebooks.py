"""The committed notebooks: what they show is what they show when they are executed."""

import base64
import copy
import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import PIL.Image
import pytest

from tests.render_notebooks import (
    NOTEBOOKS,
    code_cells,
    differences,
    executed,
    figure_signature,
    main,
    normalised,
    png_chunks,
    shown,
    smaller,
)

MOST_BYTES = 1_000_000
notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def pictures(page: nbformat.NotebookNode) -> list[bytes]:
    found = [output.get("data", {}) for cell in code_cells(page) for output in cell.outputs]
    return [base64.b64decode(one["image/png"]) for one in found if "image/png" in one]


# -- as committed -----------------------------------------------------------------------------


@notebook
def test_holds_nothing_that_changes_from_run_to_run(path: Path) -> None:
    page = read(path)
    assert normalised(page) == page
    for text in (text for cell in code_cells(page) for text in shown(cell)):
        assert not re.search(r"/tmp|/root|/home/(?!student)|\.py:\d", text), text


@notebook
def test_shows_pictures_without_versions_or_dates(path: Path) -> None:
    page = read(path)
    assert path.stat().st_size < MOST_BYTES
    drawing = [
        cell for cell in code_cells(page) if re.search(r"plt\.show\(|--plot \w", cell.source)
    ]
    assert len(pictures(page)) >= len(drawing) >= 5
    for picture in pictures(page):
        chunks = list(png_chunks(picture))
        assert [kind for kind, _ in chunks if kind in {b"tIME", b"iTXt", b"zTXt"}] == []
        texts = [content for kind, content in chunks if kind == b"tEXt"]
        assert [text.startswith(b"Signature\0") for text in texts] == [True]


@notebook
def test_every_cell_that_prints_has_its_output(path: Path) -> None:
    for cell in code_cells(read(path)):
        if re.search(r"^(print|plt\.show|nwtsim)\(", cell.source, re.MULTILINE):
            assert cell.outputs, f"{path.name}: {cell.id}"


# -- as executed ------------------------------------------------------------------------------


LONG = "07_which_machine.ipynb"
"""Half a CPU minute; what it calls is on pages whose commands other tests carry out."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(one, marks=[pytest.mark.long] if one.name == LONG else [], id=one.name)
        for one in NOTEBOOKS
    ],
)
def test_shows_what_it_shows_when_executed(path: Path) -> None:
    wrong = differences(executed(path), read(path))
    assert not wrong, "\n".join([*wrong, f"make notebooks ARGS={path.name[:2]} writes it anew"])


@pytest.mark.long
@pytest.mark.real("gfortran", "strace")
def test_traces_its_own_job_where_it_can() -> None:
    path = next(one for one in NOTEBOOKS if "traces" in one.name)
    text = "\n".join(
        text for cell in code_cells(executed(path, recorded=False)) for text in shown(cell)
    )
    assert "job.strace: traced here, in " in text
    assert "cured.strace: traced here, in " in text


@pytest.mark.real("gfortran", "strace")
def test_traces_its_own_records_where_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(one for one in NOTEBOOKS if "nwt" in one.name)
    monkeypatch.chdir(path.parent)
    monkeypatch.delenv("NWTSIM_NOTEBOOK_TRACES", raising=False)
    sources = {cell.id: cell.source for cell in code_cells(read(path))}
    names: dict[str, object] = {}
    for cell in ("imports", "calls", "trace", "trace-find", "trace-gfortran"):
        exec(sources[cell], names)
    assert str(names["origin"]).startswith("traced here, with gfortran")


@pytest.mark.long
@pytest.mark.real("cc", "strace")
def test_cures_its_own_program_where_it_can() -> None:
    path = next(one for one in NOTEBOOKS if "cure" in one.name)
    text = "\n".join(
        text for cell in code_cells(executed(path, recorded=False)) for text in shown(cell)
    )
    assert "timed here, in " in text
    assert "recorded here" in text
    assert "sync-write" in text


# -- the comparison ---------------------------------------------------------------------------


def drawn(heights: list[float], **style: object) -> str:
    figure, axes = plt.subplots()
    axes.bar(range(len(heights)), heights, **style)
    axes.set_title("heights")
    axes.imshow(np.log(heights).reshape(1, -1))
    signature = figure_signature(figure)
    plt.close(figure)
    return signature


def test_a_signature_is_of_the_data_and_not_of_their_last_bits() -> None:
    assert drawn([1.0, 2.0, 3.0]) == drawn([1.0, 2.0, 3.0 + 1e-14], color="red")
    assert drawn([1.0, 2.0, 3.0]) != drawn([1.0, 2.0, 3.01])


def test_a_smaller_picture_looks_the_same_and_keeps_its_signature() -> None:
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[10:20, 5:50] = (0, 114, 178)
    texts = PIL.PngImagePlugin.PngInfo()
    texts.add_text("Signature", "1 axes")
    content = io.BytesIO()
    PIL.Image.fromarray(pixels).save(content, "png", pnginfo=texts)
    made = smaller(content.getvalue())
    assert (b"tEXt", b"Signature\x001 axes") in list(png_chunks(made))
    with PIL.Image.open(io.BytesIO(made)) as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), pixels)


@pytest.mark.parametrize("damage", [b"GIF89a", b"\x89PNG\r\n\x1a\n\0\0\0\1IDATx\0\0\0\0"])
def test_a_damaged_picture_is_refused(damage: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a PNG file|IDAT chunk of a PNG file is damaged"):
        list(png_chunks(damage))


def test_each_changed_output_is_named() -> None:
    kept = read(NOTEBOOKS[0])
    fresh = copy.deepcopy(kept)
    cells = {cell.id: cell for cell in fresh.cells}
    cells["cure"].outputs[0].text += "one line more"
    cells["buffer-sweep"].outputs = []
    wrong = differences(fresh, kept)
    assert [re.match(r"cell ([\w-]+)", one)[1] for one in wrong] == [  # type: ignore[index]
        "cure",
        "buffer-sweep",
        "buffer-sweep",
    ]
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


def test_an_unknown_notebook_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["99"])
    assert "no notebook begins with 99" in capsys.readouterr().err


@notebook
def test_uses_only_the_package_for_users(path: Path) -> None:
    for cell in code_cells(read(path)):
        assert not re.search(r"^\s*(from|import) simulator", cell.source, re.MULTILINE), cell.id

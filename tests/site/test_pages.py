"""Generated pages of the site against what they are generated from, and the check of links."""

import re
from pathlib import Path

import pytest

from docs.site import build, commands, gallery, keys, links
from simulator.cli.main import COMMANDS
from simulator.config.schema import KINDS, json_schema
from simulator.report.recordkeys import keys_of, records
from tests.cli.commands import parsers


def test_every_command_and_option_is_on_a_page() -> None:
    pages = commands.pages()
    assert {f"commands/{name}.md" for name in COMMANDS} < set(pages)
    for words, parser in parsers():
        page = pages[f"commands/{words[0]}.md"]
        assert f"```{{program}} nwtsim {' '.join(words)}\n" in page
        options = [one for one in parser._actions if commands.shown(one)]
        for name in (name for one in options for name in one.option_strings):
            assert re.search(rf"^````{{option}} (.*, )?{re.escape(name)}\b", page, re.M), name


def test_every_key_of_every_file_is_on_a_page() -> None:
    pages = keys.pages()
    for kind in KINDS:
        schema = json_schema(kind.noun)
        sections = {kind.noun: schema, **schema["$defs"]}
        for name, section in sections.items():
            for one in [section, *section.get("anyOf", [])]:
                for key in one.get("properties", {}) if "title" in one or one is schema else {}:
                    chosen = "const" in one["properties"][key] or "enum" in one["properties"][key]
                    names = (f"{name}.{key}", f"{kind.noun}.{name}.{key}")
                    page = pages[f"keys/{kind.noun}.md"]
                    found = any(f"````{{key}} {one}\n" in page for one in names)
                    assert found or chosen, (kind.noun, name, key)


def test_every_key_of_a_report_is_on_its_page() -> None:
    page = keys.pages()["keys/report.md"]
    for record in records():
        assert f"\n## {record}\n" in page
        assert [key for key, _ in keys_of(record) if f"\n| `{key}` | " not in page] == []


def test_no_two_keys_have_one_name() -> None:
    named = re.findall(r"^````\{key\} (.*)$", "\n".join(keys.pages().values()), re.M)
    assert len(named) == len(set(named)) > 500


def test_a_key_has_unit_default_and_the_reason_of_the_default() -> None:
    page = keys.pages()["keys/machine.md"]
    (told,) = re.findall(r"````\{key\} Cpu\.copy_rate\n\n(.*?)\n````", page, re.S)
    assert re.search(r"default `5 GB/s` \(assumed: a core .*\); written like `36 MB/s`", told)


@pytest.mark.parametrize("text", ["a *b*", "x_y_z", "<a|b>", "a [b](c)", "1 ~ 2 # 3", "$a$"])
def test_a_help_has_no_markup(text: str) -> None:
    markdown_it = pytest.importorskip("markdown_it")

    (paragraph,) = [
        one for one in markdown_it.MarkdownIt().parse(commands.told(text)) if one.children
    ]
    assert "".join(one.content for one in paragraph.children or []) == text


def test_a_help_links_pages_and_keeps_code() -> None:
    assert commands.told("see docs/sweeps.md, `a_b`") == (
        "see [docs/sweeps.md](/docs/sweeps.md), `a_b`"
    )


def test_contents_name_every_page_once() -> None:
    names = [name for some in build.CONTENTS.values() for name in some]
    assert len(names) == len(set(names))
    pages = {path.relative_to(build.ROOT) for one in build.GLOBS for path in build.ROOT.glob(one)}
    below = {one.parent.as_posix() for one in map(Path, names) if one.name in ("index", "README")}
    below |= {"docs/validation", "."}
    missing = [
        path.as_posix()
        for path in pages
        if path.with_suffix("").as_posix() not in names
        and not any(path.as_posix().startswith(f"{one}/") for one in below)
    ]
    lessons = [one.relative_to(build.ROOT).as_posix() for one in build.course.LESSONS]
    assert sorted(missing) == ["README.md", *lessons]
    overview = build.course.overview(with_lab=False)
    assert all(f"\n/{one.removesuffix('.ipynb')}\n" in overview for one in lessons)


@pytest.mark.parametrize("picture", gallery.PICTURES, ids=lambda one: one.title)
def test_a_picture_has_a_command_that_writes_it_and_a_text(picture: gallery.Picture) -> None:
    assert picture.command.startswith("nwtsim ")
    assert Path(picture.file).parts[0] in picture.command.split()
    assert picture.alt


# -- links ------------------------------------------------------------------------------------

GOOD = '<h1 id="a">A</h1><a href="#a">A</a><a href="https://example.org">B</a><img src="data:,">'


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (GOOD, ""),
        ('<a href="b.html">B</a>', "b.html is not there"),
        ('<a href="#b">B</a>', "#b has no place of that name"),
        ('<a href="inner/">B</a>', "inner/ is a folder, which opens in no browser"),
        ('<a href="../x.html">B</a>', "../x.html leads out of the site"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loads //example.org/x.css"),
    ],
)
def test_a_link_that_leads_nowhere_is_named(page: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "page.html").write_text(page, "utf-8")
    found = links.broken(tmp_path)
    assert bool(found) == bool(told)
    assert not told or (found[0].startswith(f"page.html: {told}") and len(found) == 1)


def test_a_link_to_a_folder_leads_to_its_page() -> None:
    page = build.text_of(build.ROOT / "README.md")
    assert "](docs/filesystems/index.md)" in page
    assert "](docs/decisions/README.md)" in page
    assert "](course/index.md)" in page
    assert "](docs/start.md)" in page

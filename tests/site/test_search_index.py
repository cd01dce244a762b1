"""The index of the built site's search: every command, option, key, function and word is in it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import nwtsim
from docs.site import commands, keys
from tests.cli.commands import parsers

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
GLOSSARY = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SITE.is_dir(), reason="make site builds the site"),
]


@pytest.fixture(scope="module")
def index() -> dict[str, Any]:
    text = (SITE / "searchindex.js").read_text("utf-8")
    found: dict[str, Any] = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    return found


@pytest.fixture(scope="module")
def objects(index: dict[str, Any]) -> set[str]:
    found = index["objects"].items()
    return {f"{outer}.{one[4]}" if outer else one[4] for outer, inner in found for one in inner}


def test_every_command_is_a_title(index: dict[str, Any]) -> None:
    words = [" ".join(["nwtsim", *words]) for words, _ in parsers()]
    assert [one for one in words if one not in index["alltitles"]] == []


def test_every_option_is_found_by_name(objects: set[str]) -> None:
    wanted = {
        f"{'-'.join(['nwtsim', *words])}.{name}"
        for words, parser in parsers()
        for one in parser._actions
        if commands.shown(one)
        for name in one.option_strings
    }
    assert len(wanted) > 200
    assert sorted(wanted - objects) == []


def test_every_key_is_found_by_name(objects: set[str]) -> None:
    pages = "\n".join(keys.pages().values())
    assert set(re.findall(r"^````\{key\} (.*)$", pages, re.M)) <= objects


def test_every_function_and_class_is_found_by_name(objects: set[str]) -> None:
    names = {f"nwtsim.{name}" for name in nwtsim.__all__ if not name.startswith("_")}
    assert sorted(names - objects) == []


def test_every_word_of_the_glossary_is_found(index: dict[str, Any]) -> None:
    english = pytest.importorskip("sphinx.search.en").SearchEnglish({})
    rows = re.findall(r"^\| ([^|]+) \|", GLOSSARY.read_text("utf-8"), re.M)
    words = {word for row in rows for word in re.findall(r"\w{3,}", row.lower())}
    sought = {word for word in words if english.word_filter(word)}
    known = {*index["terms"], *index["titleterms"]}
    assert len(sought) > 50
    assert [word for word in sorted(sought) if english.stem(word) not in known] == []

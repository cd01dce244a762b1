"""The page under axe-core, which finds what people with assistive technology would stumble on."""

from __future__ import annotations

import json

import pytest

from tests.play.browser import Browser
from tests.play.registry import fetched
from tests.play.test_page import SIZES, address, browser, go

__all__ = ["address", "browser"]

AXE = "4.14.1"
PACKED = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
FOUND = """axe.run().then((found) => JSON.stringify(found.violations.map((one) =>
  [one.id, one.impact, one.nodes.map((node) => node.html.slice(0, 120))])))"""

pytestmark = [pytest.mark.long, pytest.mark.real("chromium", "npm")]


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the program."""
    folder = fetched("axe-core", AXE, PACKED, tmp_path_factory.mktemp("axe"))
    return (folder / "axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("words", ["set=buffer%3D8+MB", "set=ssu.capacity%3D3+MB"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    browser: Browser, address: str, axe: str, scheme: str, width: int, words: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=features)
    browser.size(width, dict(SIZES)[width])
    go(browser, address, words)
    browser.run(axe)
    assert json.loads(browser.run(FOUND)) == []

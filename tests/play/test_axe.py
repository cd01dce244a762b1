"""The page under axe-core, which finds what people with assistive technology would stumble on."""

from __future__ import annotations

import json

import pytest

from tests.browser import Browser, axe
from tests.play.test_page import SIZES, address, browser, go

__all__ = ["address", "browser"]

FOUND = """axe.run().then((found) => JSON.stringify(found.violations.map((one) =>
  [one.id, one.impact, one.nodes.map((node) => node.html.slice(0, 120))])))"""

pytestmark = [pytest.mark.long, pytest.mark.real("chromium", "npm")]


@pytest.mark.parametrize("words", ["set=buffer%3D8+MB", "set=ssu.capacity%3D3+MB"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    browser: Browser, address: str, scheme: str, width: int, words: str
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=features)
    browser.size(width, dict(SIZES)[width])
    go(browser, address, words)
    browser.run(f"{axe()};0")
    assert json.loads(browser.run(FOUND)) == []

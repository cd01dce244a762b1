"""Sphinx's settings of the site; the sources are assembled by ``docs/site/build.py``."""

import simulator

project = "nwtsim"
author = copyright = "the nwtsim authors"  # noqa: A001
version = release = simulator.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docs.site.keydomain"]
exclude_patterns = ["*/data/*"]
templates_path = []
nitpicky = False
highlight_language = "none"
"""What has no language is a screen, or a file of another program."""

myst_heading_anchors = 6
myst_enable_extensions = ["attrs_inline"]
nb_execution_mode = "off"
"""The outputs are committed, and tests execute the notebooks and compare."""
suppress_warnings = ["mystnb.unknown_mime_type"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_numpy_docstring = False
toc_object_entries = False

html_theme = "furo"
html_title = "nwtsim"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {"sidebar_hide_name": False, "footer_icons": []}

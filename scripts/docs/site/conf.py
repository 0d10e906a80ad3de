# SPDX-License-Identifier: Apache-2.0
"""What Sphinx reads: MyST takes the pages as the CommonMark that they are, Furo shows them. Nothing is loaded from elsewhere."""

import functools
import html
import os
import sys

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.search.en import SearchEnglish

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import navigation  # noqa: E402

project = "Fairway"
html_title = "Fairway"
language = "en"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "index"
# The anchors of headings are those of a Git host.
myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
# Quotes, and the two dashes of flags, stay as they are typed.
smartquotes = False
# Files that are shown as they are may be no JSON to a strict reader (comments).
suppress_warnings = ["misc.highlighting_failure"]

# The button of a console block copies its commands: without prompts, also those of here-documents, and without output.
copybutton_prompt_text = r"\$ |> |>$"
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_copy_empty_lines = False

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["fairway.css"]
html_search_scorer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "search-scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_use_index = False
html_domain_indices = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


class Mermaid(Directive):
    """A diagram, which static/draw-diagrams.js draws."""

    has_content = True

    def run(self):
        text = '<pre class="mermaid">' + html.escape("\n".join(self.content)) + "</pre>"
        return [nodes.raw("", text, format="html", classes=["mermaid"])]


def add_mermaid(app, _page, _template, _context, doctree):
    """Adds the scripts to a page that has a diagram: they are long."""
    if doctree and any("mermaid" in node["classes"] for node in doctree.findall(nodes.raw)):
        app.add_js_file("mermaid.min.js", loading_method="defer")
        app.add_js_file("draw-diagrams.js", loading_method="defer")


# The navigation of one page of each branch, and which page that is: branch -> (tree, page).
trees = {}


def begin_navigation(_app, page, _template, context, _doctree):
    """Has the navigation show what is below a page only where that page, or one below it, is shown: the reference has hundreds. Where it
    is known, the theme makes none."""
    whole = context.get("toctree")
    if whole and navigation.branch_of(page) in trees:
        context["toctree"] = lambda **options: ""
    elif whole:
        context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def end_navigation(app, page, _template, context, _doctree):
    if "toctree" in context:
        own = app.builder.get_target_uri(page)
        tree, origin = trees.setdefault(navigation.branch_of(page), (context["furo_navigation_tree"], own))
        context["furo_navigation_tree"] = navigation.moved(tree, origin, own)


class English(SearchEnglish):
    """English for the search, which looks at each word of the site once."""

    @functools.cache
    def stem(self, word):
        return super().stem(word)


def setup(app):
    app.add_directive("mermaid", Mermaid)
    # The theme is between these, at 500.
    app.connect("html-page-context", begin_navigation, priority=400)
    app.connect("html-page-context", end_navigation, priority=600)
    app.add_search_language(English)
    app.connect("html-page-context", add_mermaid)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

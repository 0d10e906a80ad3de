# SPDX-License-Identifier: Apache-2.0
"""What Sphinx reads: MyST takes the pages as the CommonMark that they are, Furo shows them. Nothing is loaded from elsewhere."""

import html

from docutils import nodes
from docutils.parsers.rst import Directive

project = "Fairway"
html_title = "Fairway"
language = "en"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "index"
# The anchors of headings are those of a Git host.
myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
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


def setup(app):
    app.add_directive("mermaid", Mermaid)
    app.connect("html-page-context", add_mermaid)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

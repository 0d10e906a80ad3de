#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site of the documentation with Sphinx, and checks what has been built.

usage: build_site.py SPHINX_BUILD MERMAID REFERENCE OUT

The pages are copied beside each other as they stand in the checkout, README.md as index.md, with a navigation of the groups of
docs/pages.toml. REFERENCE has the pages that reference.py writes: links to src/ and to what is in it lead there. Other files of the
checkout that pages link to become pages of the site too, below source/, so that it is whole without a server of the sources. MERMAID
is the script that draws the diagrams. The check: no page loads anything from another host, each link within the site leads to a page
and an anchor that is there, and the index of the search has each page.
"""

import html.parser
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import pages

# The page that the reference stands behind in the navigation.
BEFORE_REFERENCE = "docs/sdk.md"
SITE = os.path.join(pages.ROOT, "scripts/docs/site")
# The languages in which files are shown, by the ends of their names.
LANGUAGES = {".cc": "cpp", ".h": "cpp", ".json": "json", ".md": "markdown", ".py": "python", ".sh": "sh", ".toml": "toml", ".yaml": "yaml"}
# Longest file that is shown, and longest list of files that has links.
MOST_BYTES, MOST_FILES = 256 << 10, 100
NOT_IN_SEARCH = "---\norphan: true\nnosearch: true\n---\n"


def place_of(name):
    """Returns where a page is among the sources of the site."""
    return "index.md" if name == "README.md" else name


def place_of_source(name, folders):
    """Returns where the page is that shows a file or folder of the checkout."""
    return posixpath.join("source", name, "index.md") if name in folders else posixpath.join("source", name + ".md")


def folders_of(files):
    found = {""}
    for name in files:
        while name:
            name = posixpath.dirname(name)
            found.add(name)
    return found


def goal_of(page, target):
    """Returns the file or folder of the checkout that a link of a page leads to, and its anchor; None if it leads elsewhere."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|#|//", target):
        return None
    path, _, anchor = target.partition("#")
    goal = posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(path)))
    return "" if goal == "." else goal, anchor


def place_in_reference(path, reference):
    """Returns the page of the reference that shows a header, a component or all of src/; None if there is none."""
    path = path.removeprefix("src").strip("/")
    found = [place for place in (f"reference/{path}.md", posixpath.normpath(f"reference/{path}/index.md")) if place in reference]
    return found[0] if found else None


def with_places(name, text, files, folders, reference=()):
    """Returns the text of a page with its links as the site has them, and the files and folders that they show."""
    shown = set()
    for offset, target in reversed(pages.links(text)):
        goal = goal_of(name, target)
        if not goal or (goal[0] not in files and goal[0] not in folders):
            continue
        path, anchor = goal
        if path in files and pages.is_page(path):
            place = place_of(path) + (f"#{anchor}" if anchor else "")
        elif path.split("/")[0] == "src" and place_in_reference(path, reference):
            place = place_in_reference(path, reference)
        else:
            place = place_of_source(path, folders)
            shown.add(path)
        link = posixpath.relpath(place, posixpath.dirname(place_of(name)) or ".")
        text = text[:offset] + link + text[offset + len(target):]
    return text, shown


def navigation(groups, reference=()):
    """Returns what the front page has at its end: the groups of pages, which the theme shows beside all of them."""
    parts = []
    for title, names in groups:
        # The front page itself is what the name of the site leads to.
        entries = [place_of(name)[:-3] if name != "README.md" else "Overview <self>" for name in names]
        if reference and BEFORE_REFERENCE in names:
            entries.insert(names.index(BEFORE_REFERENCE) + 1, "reference/index")
        parts.append("\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *entries, "```"]))
    return "\n\n" + "\n\n".join(parts) + "\n"


def source_page(name, root=pages.ROOT):
    """Returns the page that shows a file; None for one that is not text, or too long."""
    path = os.path.join(root, name)
    if os.path.getsize(path) > MOST_BYTES:
        return None
    try:
        text = pages.read(name, root)
    except UnicodeDecodeError:
        return None
    language = LANGUAGES.get(os.path.splitext(name)[1], "sh" if text.startswith("#!") else "text")
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{NOT_IN_SEARCH}# {name}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def read_reference(folder):
    """Returns the pages of the reference: place -> text."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            place = posixpath.normpath(os.path.relpath(os.path.join(path, name), folder))
            found[place] = pages.read(place, folder)
    return found


def stage(folder, files, groups, root=pages.ROOT, reference=()):
    """Writes the sources of the site into a folder, and returns the pages among them. `reference` has those of the reference."""
    folders = folders_of(files)
    files = set(files)
    names = [name for _, of_group in groups for name in of_group]
    written, shown = [], set()

    def write(place, text):
        path = os.path.join(folder, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    for name in names:
        text, more = with_places(name, pages.read(name, root), files, folders, reference)
        shown |= more
        write(place_of(name), text.rstrip() + "\n" + (navigation(groups, reference) if name == "README.md" else ""))
        written.append(place_of(name))
    for place in sorted(reference):
        write(place, reference[place])
        written.append(place)

    # What a folder shows is shown as well, where it is not too much.
    below = {path: [name for name in sorted(files) if name.startswith(path + "/") or not path] for path in shown if path in folders}
    shown |= {name for path, inside in below.items() if len(inside) <= MOST_FILES for name in inside}
    sources = {}
    for path in sorted(shown - set(below)):
        if page := source_page(path, root):
            sources[path] = page
            write(place_of_source(path, folders), page)
    for path in sorted(shown & set(below)):
        lines = [f"{NOT_IN_SEARCH}# {path or 'The checkout'}\n"]
        for name in below[path]:
            link = posixpath.relpath(place_of_source(name, folders), posixpath.join("source", path))
            text = posixpath.relpath(name, path or ".")
            lines.append(f"- [`{text}`]({link})" if name in sources else f"- `{text}`")
        write(place_of_source(path, folders), "\n".join(lines) + "\n")
    # A file that is not shown has a page that says so.
    for path in sorted(shown - set(below) - set(sources)):
        write(place_of_source(path, folders), f"{NOT_IN_SEARCH}# {path}\n\nThis file is in the checkout; it is too long to be shown.\n")
    return written


class Page(html.parser.HTMLParser):
    """What a built page loads and where its links lead, and its anchors."""

    # Attributes that make a browser load something when it shows the page.
    LOADS = {("script", "src"), ("link", "href"), ("img", "src"), ("img", "srcset"), ("iframe", "src"), ("source", "src"), ("video", "src"),
             ("audio", "src"), ("embed", "src"), ("object", "data"), ("form", "action")}

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.anchors, self.style = [], [], set(), []
        self.in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.in_style = tag == "style"
        for name, value in attributes:
            if (tag, name) in self.LOADS:
                self.loads.append(value or "")
            elif name == "style":
                self.style.append(value or "")
            elif (tag, name) == ("a", "href"):
                self.links.append(value or "")
            elif name == "id":
                self.anchors.add(value)

    def handle_data(self, data):
        if self.in_style:
            self.style.append(data)
        self.in_style = False


def foreign(url):
    """Returns whether a URL leads to another host."""
    return re.match(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//", url) is not None


def foreign_in_style(text):
    """Returns what a style sheet loads from another host."""
    return [url for url in re.findall(r"url\(\s*[\"']?([^\"')]+)", text) + re.findall(r"@import\s+[\"']([^\"']+)", text) if foreign(url)]


def check_site(folder, written=()):
    """Returns what is wrong with a site that has been built, as lines; `written` are the pages that the search must find."""
    built, faults = {}, []
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            relative = os.path.relpath(full, folder)
            if name.endswith(".html"):
                with open(full, encoding="utf-8") as file:
                    built[relative] = Page(file.read())
            elif name.endswith(".css"):
                with open(full, encoding="utf-8") as file:
                    faults += [f"{relative} loads {url}" for url in foreign_in_style(file.read())]
    for name, page in built.items():
        faults += [f"{name} loads {url}" for url in page.loads + foreign_in_style(" ".join(page.style)) if foreign(url)]
        for url in page.links + page.loads:
            if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", url):
                continue
            path, _, anchor = url.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not os.path.exists(os.path.join(folder, goal)):
                faults.append(f"{name} links to {url}, which is not there")
            elif anchor and goal in built and urllib.parse.unquote(anchor) not in built[goal].anchors:
                faults.append(f"{name} links to {url}, and there is no such anchor")
    index = os.path.join(folder, "searchindex.js")
    if not os.path.isfile(index):
        return faults + ["there is no searchindex.js: the search cannot work"]
    with open(index, encoding="utf-8") as file:
        text = file.read()
    if not text.startswith("Search.setIndex("):
        faults.append("searchindex.js is no script that sets the index: the search would need a server")
    faults += [f"the search does not find {name}" for name in written if f'"{name[:-3]}"' not in text]
    return faults


def main():
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    sphinx, mermaid, reference, out = sys.argv[1:]
    groups, faults = pages.read_groups(pages.read(pages.GROUPS))
    if faults:
        print(f"error: {pages.GROUPS} cannot be read; ./dev docs --check says more", file=sys.stderr)
        return 1
    files = pages.tracked()
    groups = [(title, [name for name in names if name in files]) for title, names in groups]
    with tempfile.TemporaryDirectory() as temporary:
        staged, built = os.path.join(temporary, "pages"), os.path.join(temporary, "site")
        written = stage(staged, files, groups, reference=read_reference(reference))
        run = subprocess.run([sphinx, "-q", "-W", "--keep-going", "--no-color", "-j", "auto", "-c", SITE, "-d",
                              os.path.join(temporary, "doctrees"), "-b", "html", staged, built],
                             check=False, capture_output=True, text=True)
        if run.returncode != 0:
            # The pages stand where they stand in the checkout, line by line.
            print((run.stdout + run.stderr).replace(staged + "/index.md", "README.md").replace(staged + "/", "").rstrip())
            print("error: Sphinx could not build the site")
            return 1
        shutil.copy(mermaid, os.path.join(built, "_static/mermaid.min.js"))
        faults = check_site(built, written)
        for fault in faults:
            print(f"site: {fault}")
        if faults:
            return 1
        # As a whole, so that nothing of an earlier site is left.
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(built, out)
    print(f"site: {len(written)} pages: {os.path.join(out, 'index.html')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

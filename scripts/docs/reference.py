#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of the C++ libraries as Markdown, one page a header, and checks it.

usage: reference.py BUILD OUT      writes the pages into the folder OUT
       reference.py --sum BUILD    prints a checksum of them

The headers are those that `cmake --install BUILD` installs, but for what is below internal/. Their order, and what is said of a component,
is that of docs/sdk.md; its stability that of docs/versioning.md. The check: clang reads the headers without an error, each documentation
comment has its declaration on a page (unless that is private), no page is empty, each link within the reference leads to an anchor that
is there, and a second run with other hashes writes the same.
"""

import hashlib
import os
import posixpath
import re
import shutil
import subprocess
import sys

import clang
import comments
import declarations
import header_page
import pages

SDK, VERSIONING = "docs/sdk.md", "docs/versioning.md"
INSTALLED = re.compile(r'CMAKE_INSTALL_COMPONENT STREQUAL "(\w+)-dev"[^\n]*\n\s*file\(INSTALL DESTINATION '
                       r'"[^"]*/include/fairway/([^"]+)" TYPE FILE FILES "([^"]+\.h)"')
# Names of a header that its row has.
MOST_NAMES = 6


class Component:
    """A component: its name, what docs/sdk.md and docs/versioning.md say about it, and its headers."""

    def __init__(self, name, headers):
        self.name, self.headers = name, headers
        self.about, self.links, self.stability = "", [], ""


def installed_headers(script):
    """Returns the public headers of each component, by the script of CMake that installs them."""
    found = {}
    for component, folder, file in INSTALLED.findall(script):
        if "internal" not in folder.split("/"):
            found.setdefault(component, []).append(f"{folder}/{os.path.basename(file)}")
    return {name: sorted(headers) for name, headers in found.items()}


def rows_of(text, heading):
    """Returns the rows of the table below a heading of a page, each a list of cells."""
    section = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in section.split("\n") if line.startswith("| ")][1:]


def names_in(cell):
    return re.findall(r"`(\w+)`", cell)


def components_of(headers, sdk, versioning):
    """Returns the components in the order of docs/sdk.md, and what is missing there or in docs/versioning.md, as lines."""
    found, faults = {}, []
    for cells in rows_of(sdk, "## Components"):
        for name in names_in(cells[0]):
            if name in headers:
                found[name] = Component(name, headers[name])
                found[name].about, found[name].links = cells[1], names_in(cells[2]) if len(cells) > 2 else []
    for cells in rows_of(versioning, "## C++ libraries"):
        for name in names_in(cells[0]):
            if name in found:
                found[name].stability = cells[1]
    for name in headers:
        if name not in found:
            faults.append(f"{SDK} has no row for the component {name}")
        elif not found[name].stability:
            faults.append(f"{VERSIONING} does not say how stable the component {name} is")
    return list(found.values()), faults


def header_row(component, header, reader, anchors):
    """Returns the row of a header on the page of its component."""
    folder = f"reference/{component.name}"
    lead = comments.to_markdown(comments.lines_of(reader.lead_of(header))).split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    first = re.match(r".*?\.(?=\s|$)", lead)
    names = []
    for declaration in header_page.top_level(reader.found[header]):
        page, anchor = anchors.of_place[declaration.place]
        link = f'<a href="{posixpath.relpath(page, folder)}#{anchor}">{comments.code(declaration.name)}</a>'
        if declaration.name not in [name for name, _ in names]:
            names.append((declaration.name, link))
    shown = ", ".join(link for _, link in names[:MOST_NAMES]) + (" ..." if len(names) > MOST_NAMES else "")
    title = header.removeprefix(component.name + "/")
    # On a phone a path may be two lines, and the names stand below, not beside: there is no room for three columns.
    wrapped = re.sub(r"([/_])", r"\1<wbr>", title)
    return f"| [{wrapped}]({title}.md) | {first[0] if first else lead}<br>{shown} |"


def component_page(component, components, reader, anchors, version):
    """Returns the page of a component."""
    known = {other.name for other in components}
    links = ", ".join(f"[`{name}`](../{name}/index.md)" if name in known else f"`{name}`" for name in component.links)
    rows = [header_row(component, header, reader, anchors) for header in component.headers]
    titles = [header.removeprefix(component.name + "/") for header in component.headers]
    about = component.about[0].upper() + component.about[1:]
    return "\n".join([
        f"# {component.name}", "", f"{about}. It is [{component.stability}](../../docs/versioning.md#c-libraries)"
        + (f", and brings along {links}." if links else "."), "",
        "```cmake", f"find_package(Fairway {version} REQUIRED COMPONENTS {component.name})",
        f"target_link_libraries(YOUR_TARGET PRIVATE Fairway::{component.name})", "```", "",
        f"Debian's package is `libfairway-{component.name.replace('_', '-')}-dev`.", "",
        "| header | what it has |", "|---|---|", *rows, "",
        "```{toctree}", ":hidden:", "", *[f"{title} <{title}>" for title in titles], "```", ""])


def front_page(components):
    """Returns the page of all components."""
    rows = [f"| [`{component.name}`]({component.name}/index.md) | {component.stability} | {component.about} |" for component in components]
    return "\n".join([
        "# C++ reference", "", "What the installed headers of [Fairway's C++ libraries](../docs/sdk.md) declare, component by component."
        " [versioning.md](../docs/versioning.md#c-libraries) says what stable, beta and experimental promise.", "",
        "| component | stability | it has |", "|---|---|---|", *rows, "",
        "A page shows first the data of a class and how it is made, then its functions. Private members are left out. Where a comment says"
        " nothing about errors, threads and lifetimes, the [rules for all components](../docs/sdk.md#rules-for-all-components) hold.", "",
        "```{toctree}", ":hidden:", "", *[f"{component.name}/index" for component in components], "```", ""])


def write_pages(components, reader, version, docs):
    """Returns all pages of the reference, where they are among the sources of the site -> text; and what they leave out, as lines."""
    anchors = header_page.Anchors()
    for component in components:
        for header in component.headers:
            anchors.add(reader.found[header])
    written, faults = {"reference/index.md": front_page(components)}, []
    for component in components:
        written[f"reference/{component.name}/index.md"] = component_page(component, components, reader, anchors, version)
        for header in component.headers:
            up = posixpath.relpath(f"reference/{component.name}/index.md", posixpath.dirname(header_page.place_of(header)))
            about = f"Part of [{component.name}]({up}), {component.stability}. Link `Fairway::{component.name}`."
            namespace = header_page.main_namespace(reader.found[header])
            about += f" Namespace `{namespace}`." if namespace else ""
            page = header_page.Page(reader, header, anchors, docs)
            written[header_page.place_of(header)] = page.text(about)
            faults += [f"src/{header}: {name} is not on its page, or its comment is not" for name in left_out(reader.found[header], page)]
    return written, faults


def left_out(found, page):
    """Yields the names of declarations that a page does not show, or whose comments it does not."""
    for declaration in found:
        shown = declaration.kind == "namespace" or declaration.place in page.shown
        if not shown or (declaration.comment and declaration.place not in page.told):
            yield declaration.whole_name
        yield from left_out(declaration.members, page)


def dead_links(written):
    """Returns the links of pages to pages and anchors of the reference that are not there, as lines."""
    anchors = {place: set(re.findall(r'\bid="([^"]+)"', text)) for place, text in written.items()}
    faults = []
    for place, text in written.items():
        for goal in re.findall(r'<a href="([^"]+)"', text) + [target for _, target in pages.links(text)]:
            path, _, anchor = goal.partition("#")
            page = posixpath.normpath(posixpath.join(posixpath.dirname(place), path)) if path else place
            page = page.removesuffix(".html") + ".md" if page.endswith(".html") else page
            if page.startswith("docs/"):
                continue
            if page not in written:
                faults.append(f"{place} links to {goal}, and there is no such page")
            elif anchor and anchor not in anchors[page]:
                faults.append(f"{place} links to {goal}, and there is no such anchor")
    return faults


def faults_of(reader, errors, written):
    """Returns what is wrong with the headers and with their pages, as lines."""
    faults = [f"clang cannot read a header: {error}" for error in errors]
    faults += [f"src/{header}:{line}: the reference does not show what this comment is for" for header, line in reader.lost_comments()]
    faults += [f"src/{header}:{line}: the reference does not know this kind of declaration" for header, line in reader.unknown]
    for header, found in reader.found.items():
        text = written[header_page.place_of(header)]
        if not reader.lead_of(header):
            faults.append(f"src/{header}:1: no comment at its beginning says what it is for")
        if not header_page.top_level(found) and "It brings along" not in text:
            faults.append(f"src/{header}: its page is empty: it declares nothing that is public")
    return faults + dead_links(written)


def count(found):
    """Returns the number of declarations, members included."""
    return sum((declaration.kind != "namespace") + len(declaration.others) + count(declaration.members) for declaration in found)


def sum_of(written):
    return hashlib.sha256("\0".join(place + "\0" + text for place, text in sorted(written.items())).encode()).hexdigest()


def make(build):
    """Returns the components, the reader, its errors and the pages, of the tree that BUILD was configured for."""
    with open(os.path.join(build, "cmake_install.cmake"), encoding="utf-8") as file:
        headers = installed_headers(file.read())
    components, faults = components_of(headers, pages.read(SDK), pages.read(VERSIONING))
    if not headers:
        faults.append(f"{build}/cmake_install.cmake installs no headers, as far as reference.py can read it")
    reader = declarations.Reader(os.path.join(pages.ROOT, "src"), [header for one in components for header in one.headers])
    errors = reader.read()
    version = re.search(r"^project\(fairway VERSION (\d+\.\d+)", pages.read("CMakeLists.txt"), re.M)[1]
    docs = {f"docs/{name}" for name in os.listdir(os.path.join(pages.ROOT, "docs")) if name.endswith(".md")}
    written, more = write_pages(components, reader, version, docs)
    return components, reader, faults + more, errors, written


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--sum":
        print(sum_of(make(sys.argv[2])[-1]))
        return 0
    build, out = sys.argv[1:]
    if not os.path.isfile(os.path.join(build, "cmake_install.cmake")):
        print(f"error: {build} is not configured, so that it is not known which headers are installed: ./dev build", file=sys.stderr)
        return 1
    other = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--sum", build], stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "PYTHONHASHSEED": "1"})
    try:
        components, reader, faults, errors, written = make(build)
    except clang.Missing as error:
        other.communicate()
        print(f"error: {error}", file=sys.stderr)
        return 1
    faults += faults_of(reader, errors, written)
    if other.communicate()[0].strip() != sum_of(written):
        faults.append("a second run wrote other pages: something in the order of sets or of folders went into them")
    shutil.rmtree(out, ignore_errors=True)
    for place, text in written.items():
        os.makedirs(os.path.dirname(os.path.join(out, place)), exist_ok=True)
        with open(os.path.join(out, place), "w", encoding="utf-8") as file:
            file.write(text)
    for fault in faults:
        print(f"reference: {fault}")
    met = [left_out for comments_of in reader.comments.values() for left_out in comments_of.values()]
    print(f"reference: {count(d for of in reader.found.values() for d in of)} declarations in {len(reader.found)} headers of "
          f"{len(components)} components, {len(met) - sum(met)} comments shown, {sum(met)} of private ones left out, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Makes the navigation of the site's pages from that of a few of them: to have the theme make each takes half of the time of a build."""

import posixpath
import re

ENTRY = re.compile(r'<li class="([^"]*)"><a class="([^"]*)" href="([^"]*)">')


def branch_of(page):
    """Returns the branch that the navigation of a page has open: pages with the same one differ in what is marked alone."""
    parts = page.split("/")
    return "" if parts[0] != "reference" else "/".join(parts[:2])


def moved(tree, origin, page):
    """Returns the navigation of a page, from `tree`, which is that of the page `origin` of the same branch. Both are paths of the site."""

    def entry(match):
        classes, link, target = match[1].split(), match[2].split(), match[3]
        goal = origin if target == "#" else posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
        # What is open is so for all pages of the branch.
        classes = [name for name in classes if name != "current-page" and (name != "current" or "has-children" in classes)]
        link = [name for name in link if name != "current" or "has-children" in classes]
        if goal == page:
            classes = [name for name in classes if name != "current"] + ["current", "current-page"]
            link, target = [name for name in link if name != "current"] + ["current"], "#"
        else:
            target = posixpath.relpath(goal, posixpath.dirname(page) or ".")
        return f'<li class="{" ".join(classes)}"><a class="{" ".join(link)}" href="{target}">'

    return ENTRY.sub(entry, tree)

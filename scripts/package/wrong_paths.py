# SPDX-License-Identifier: Apache-2.0
"""Compiles views of the widgets example with a wrong path, and looks at what the compiler says.

usage: wrong_paths.py TOOL INCLUDE [COMPILER...]: TOOL is fairway-crd-paths, INCLUDE folders with a colon between them,
of which one has the headers as "fairway/..."
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS = ["g++", "clang++-19"]
VIEW = """#include "fairway/k8s/kinds/checked.h"
#include "crd.paths.h"
struct Widget : fairway::k8s::Checked<fairway::k8s::Dynamic, crd::widget_v1> {{
  using Checked::Checked;
  auto value() const {{ return {call}; }}
}};
"""
# What is called, and what every compiler has to say of it; nothing: it has to compile.
CASES = [
    ('text("spec.capacity.size")', []),
    ('text("spec.capcity.size")', ["did_you_mean", '"capacity"', '"spec.capcity.size"']),
    ('text("spec.zzzzzzzz")', ["did_you_mean", '"(nothing is near)"', '"spec.zzzzzzzz"']),
    ('text("spec.capacity.replicas")', ["the_member_has_another_type_in", '"spec.capacity"', '"spec.capacity.replicas"']),
    ('find_integer("status.conditions.type")', ["the_path_goes_beyond_the_tables_at", '"status"', '"status.conditions.type"']),
    ('find_integer("")', ["did_you_mean", '"(nothing is near)"', '""']),
    ('has("spec.")', ["did_you_mean", '"(nothing is near)"', '"spec."']),
]


def faults(tool, include, compiler):
    """Returns what differs from the table, a text a case."""
    found = []
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([tool, os.path.join(ROOT, "examples/widgets/crd.yaml"), os.path.join(work, "crd.paths.h")], check=True)
        source = os.path.join(work, "view.cc")
        for call, wanted in CASES:
            with open(source, "w", encoding="utf-8") as file:
                file.write(VIEW.format(call=call))
            folders = [flag for folder in include.split(":") for flag in ("-isystem", folder)]
            done = subprocess.run([compiler, "-std=c++23", "-fsyntax-only", "-I", work, *folders, source], capture_output=True,
                                  text=True, check=False)
            says = done.stdout + done.stderr
            if (done.returncode == 0) != (not wanted):
                found.append(f"{compiler} ended with {done.returncode} for {call}:\n{says[-2000:]}")
            missing = [word for word in wanted if word not in says]
            if done.returncode != 0 and missing:
                found.append(f"{compiler} does not say {' and '.join(missing)} of {call}:\n{says[-2000:]}")
    return found


def main():
    found = [fault for compiler in sys.argv[3:] or COMPILERS for fault in faults(sys.argv[1], sys.argv[2], compiler)]
    print("\n".join(found) or f"{len(CASES)} paths each")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

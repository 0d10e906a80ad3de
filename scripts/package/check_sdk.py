# SPDX-License-Identifier: Apache-2.0
"""Builds projects of others on what `cmake --install` installs, and checks what they see.

usage: check_sdk.py BUILD-FOLDER

- The public headers, all in one source file, have no warning under -Wall -Wextra -Wpedantic -Wconversion of g++ and clang.
- examples/widgets is built from a prefix with the components that it links, by both compilers, and runs.
- A prefix with kube alone is enough for a project that uses kube, and says which package is missing for one that uses more.
- In a project that has the sources as a part, headers of its own are not taken for Fairway's, or Fairway's for its own.
- A misspelt path of a view fails to compile, at its line, with the nearest name. Other wrong paths fail with what is wrong with them.

The last line counts them as tests.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import complete
import wrong_paths

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS = ["g++", "clang++-19"]
STRICT = ["-std=c++23", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only"]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(other LANGUAGES CXX)
find_package(Fairway 0.2 REQUIRED COMPONENTS {component})
add_executable(other main.cc)
target_link_libraries(other PRIVATE Fairway::{component})
"""
KUBE = """#include "fairway/kube/client/client.h"
#include "fairway/kube/client/kubeconfig.h"
int main() {
  const auto config = fairway::kube::load_client_config({.file = "/nowhere/kubeconfig"});
  return config ? 1 : 0;
}
"""


WHOLE = """cmake_minimum_required(VERSION 3.25)
project(whole LANGUAGES CXX)
set(FAIRWAY_COMPONENTS k8s)
add_subdirectory({root} fairway EXCLUDE_FROM_ALL SYSTEM)
add_executable(whole main.cc)
target_include_directories(whole PRIVATE ${{CMAKE_CURRENT_SOURCE_DIR}})
target_link_libraries(whole PRIVATE Fairway::k8s)
"""
# Headers that the project has, too, under its own names.
CLASHES = ["base/result.h", "k8s/object.h"]
USES_K8S = """#include "fairway/k8s/object.h"
#include "k8s/object.h"
static_assert(mine);
int main() { return fairway::k8s::Dynamic().kind().empty() ? 0 : 1; }
"""


class Failed(Exception):
    pass


def run(*command, fails=False, **options):
    """Runs a command and returns what it printed. It has to succeed, or to fail with `fails`."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if (done.returncode != 0) != fails:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout + done.stderr


def install(build, prefix, names):
    for name in names:
        run("cmake", "--install", build, "--prefix", prefix, "--component", f"{name}-dev")



def check_headers(prefix, work, compiler):
    headers = []
    top = os.path.join(prefix, "include")
    for folder, _, files in os.walk(os.path.join(top, "fairway")):
        headers += [os.path.relpath(os.path.join(folder, name), top) for name in files if "/internal" not in folder]
    if len(headers) < 100:
        raise Failed(f"only {len(headers)} headers are installed below {top}")
    source = os.path.join(work, f"headers-{os.path.basename(compiler)}.cc")
    with open(source, "w", encoding="utf-8") as file:
        file.write("".join(f'#include "{name}"\n' for name in sorted(headers)))
    run(compiler, *STRICT, "-I", top, source)
    return f"{len(headers)} headers"


def build_project(source, build, prefix, compiler):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wconversion -Werror")
    run("ninja", "-C", build)


def check_widgets(prefix, work, compiler):
    build = os.path.join(work, f"widgets-{os.path.basename(compiler)}")
    build_project(os.path.join(ROOT, "examples", "widgets"), build, prefix, compiler)
    told = run(os.path.join(build, "widgets"), "--version").strip()
    if told != "widgets 1.0.0":
        raise Failed(f"widgets --version printed {told!r}")
    return told


def write_project(folder, component, source):
    os.makedirs(folder)
    for name, text in (("CMakeLists.txt", PROJECT.format(component=component)), ("main.cc", source)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def check_kube_alone(build, work):
    prefix = os.path.join(work, "kube-prefix")
    install(build, prefix, ["base", "http", "k8s", "kube"])
    project = os.path.join(work, "kube")
    write_project(project, "kube", KUBE)
    build_project(project, project + "-build", prefix, "g++")
    run(os.path.join(project + "-build", "other"))
    project = os.path.join(work, "webhook")
    write_project(project, "webhook", KUBE)
    told = run("cmake", "-S", project, "-B", project + "-build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", fails=True)
    if "libfairway-webhook-dev" not in told:
        raise Failed(f"a missing component was not named with its package:\n{told}")
    return "other"


def check_part_of_another(work):
    project = os.path.join(work, "whole")
    for header in CLASHES:
        os.makedirs(os.path.dirname(os.path.join(project, header)))
        with open(os.path.join(project, header), "w", encoding="utf-8") as file:
            file.write("#pragma once\ninline constexpr bool mine = true;\n")
    for name, text in (("CMakeLists.txt", WHOLE.format(root=ROOT)), ("main.cc", USES_K8S)):
        with open(os.path.join(project, name), "w", encoding="utf-8") as file:
            file.write(text)
    run("cmake", "-S", project, "-B", project + "-build", "-G", "Ninja")
    # Not linked, which would compile Fairway.
    run("ninja", "-C", project + "-build", "CMakeFiles/whole.dir/main.cc.o")
    return "main.cc.o"


def check_misspelt_path(prefix, work, compiler):
    project = os.path.join(work, f"misspelt-{os.path.basename(compiler)}")
    shutil.copytree(os.path.join(ROOT, "examples", "widgets"), project)
    source = os.path.join(project, "main.cc")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    right, wrong = 'find_text("spec.capacity.size")', 'find_text("spec.capcity.size")'
    if text.count(right) != 1:
        raise Failed(f"main.cc does not have {right} once")
    line = text[:text.index(right)].count("\n") + 1
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace(right, wrong))
    build = project + "-build"
    run("cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}")
    told = run("ninja", "-C", build, fails=True)
    for wanted in (f"main.cc:{line}:", "did_you_mean", '"capacity"'):
        if wanted not in told:
            raise Failed(f"{wanted} is not in what {compiler} says of a misspelt path:\n{told[-2000:]}")
    return f"main.cc:{line}"


def check_wrong_paths(prefix, compiler):
    found = wrong_paths.faults(os.path.join(prefix, "libexec/fairway/fairway-crd-paths"), os.path.join(prefix, "include"), compiler)
    if found:
        raise Failed("\n".join(found))
    return f"{len(wrong_paths.CASES)} paths"


def main():
    build = os.path.abspath(sys.argv[1])
    work = tempfile.mkdtemp(prefix="fairway-sdk-")
    passed = failed = skipped = 0
    try:
        prefix = os.path.join(work, "prefix")
        install(build, prefix, complete.components())
        checks = [("kube alone", lambda: check_kube_alone(build, work)),
                  ("a part of another project", lambda: check_part_of_another(work))]
        for compiler in COMPILERS:
            if not shutil.which(compiler):
                print(f"skipped: what {compiler} compiles: it is not installed")
                skipped += 4
                continue
            checks += [(f"headers, {compiler}", lambda compiler=compiler: check_headers(prefix, work, compiler)),
                       (f"widgets, {compiler}", lambda compiler=compiler: check_widgets(prefix, work, compiler)),
                       (f"a misspelt path, {compiler}", lambda compiler=compiler: check_misspelt_path(prefix, work, compiler)),
                       (f"wrong paths, {compiler}", lambda compiler=compiler: check_wrong_paths(prefix, compiler))]
        for name, check in checks:
            try:
                print(f"{name}: {check()}", flush=True)
                passed += 1
            except Failed as fault:
                print(f"failed: {name}: {fault}", flush=True)
                failed += 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

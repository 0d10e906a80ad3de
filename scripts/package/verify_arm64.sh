#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Builds tests of modules for arm64 by cross compiler, and runs them on this machine by qemu-user.
#
# usage: verify_arm64.sh [MODULE...]     (default: base promql kube; the last line counts the tests)
set -eu
cd "$(dirname "$0")/../.."
FAIRWAY_ROOT="$PWD"
export FAIRWAY_ROOT
for part in duration build test; do
  . "scripts/dev/$part.sh"
done
[ $# -gt 0 ] || set -- base promql kube
sysroot="$FAIRWAY_ROOT/.cache/roots/arm64"
begun="$(date +%s)"
python3 -B scripts/package/verify_sysroot.py "$sysroot"
sysroot_seconds="$(($(date +%s) - begun))"

# mold is not found by a cross compiler, which looks for linkers beside its own.
configure build-arm64 -DCMAKE_TOOLCHAIN_FILE="$FAIRWAY_ROOT/cmake/toolchains/aarch64-linux-gnu.cmake" -DFAIRWAY_SYSROOT="$sysroot" \
  -DCMAKE_BUILD_TYPE=Release -DFAIRWAY_TESTS=ON -DFAIRWAY_MOLD=OFF
compile build-arm64 $(printf '%s_tests ' "$@")

# qemu-user copies a process where Linux lets the new one share its memory, so that posix_spawn does not notice there that a program
# does not exist.
export GTEST_FILTER="-ExecPlugin.FaultsNameUserProgramAndWhatToDo:Program.IsNotThere"

# In place of the programs, for those that run a case once more.
emulated="$FAIRWAY_ROOT/build-arm64/emulated"
rm -rf "$emulated"
mkdir -p "$emulated/results"
tests_begun="$(date +%s)"
for module in "$@"; do
  printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$sysroot" "$FAIRWAY_ROOT/build-arm64/${module}_tests" \
    >"$emulated/${module}_tests"
  chmod +x "$emulated/${module}_tests"
  module_begun="$(date +%s)"
  # It fails where a case does, which the results say.
  GTEST_OUTPUT="xml:$emulated/results/" timeout 1800 "$emulated/${module}_tests" </dev/null >"$emulated/$module.log" 2>&1 || true
  echo "arm64: ${module}_tests took $(($(date +%s) - module_begun)) s under qemu"
done
summarise "$emulated/results" "$@"
echo "arm64: $sysroot_seconds s for the libraries, $compile_seconds s to build, $(($(date +%s) - tests_begun)) s to run"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

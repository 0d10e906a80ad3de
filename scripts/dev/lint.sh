# SPDX-License-Identifier: Apache-2.0

# The structure and the layout of the whole tree, and clang-tidy on what changed; a warning is an error.

# The commit to compare with: what was asked for, else where this branch left main.
lint_base() {
  if [ -n "${1:-}" ]; then
    git rev-parse --verify --quiet "$1^{commit}" || {
      echo "error: '$1' is no commit here (a shallow clone?)" >&2
      exit 2
    }
    return
  fi
  git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || git rev-parse HEAD
}

cxx_folders="src tests fuzz bench examples"

# changed_sources BASE: C++ files of the project that differ from BASE, committed or not.
changed_sources() {
  {
    git diff --name-only --diff-filter=d "$1" -- $cxx_folders
    git ls-files --others --exclude-standard -- $cxx_folders
  } | grep -E '\.(cc|h)$' | sort -u
}

# rewritten_sources BASE: those of them that may be wrong though nothing else is: more than #include lines, comments and blank lines
# changed, or fewer headers are included than before. A new name is no change.
rewritten_sources() {
  {
    git diff -M -l10000 --unified=0 --diff-filter=d --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/ "$1" -- $cxx_folders |
      awk '
        /^diff --git / { file = ""; body = 0; next }
        !body && /^\+\+\+ b\// { file = substr($0, 7); next }
        body && /^-[ \t]*#include / { ++removed[file]; next }
        body && /^\+[ \t]*#include / { --removed[file]; next }
        /^@@ / { body = 1; next }
        body && /^[-+]/ && !/^[-+][ \t]*(\/\/.*)?$/ && file != "" { seen[file] = 1 }
        END {
          for (file in removed) if (removed[file] > 0) seen[file] = 1
          for (file in seen) print file
        }'
    git ls-files --others --exclude-standard -- $cxx_folders
  } | grep -E '\.(cc|h)$' | sort -u
}

dev_format() {
  need lint
  files="$(changed_sources "$(lint_base)")" || true
  [ -z "$files" ] || clang-format-19 -i $files
}

# find_clang_tidy: $clang_tidy, of PyPI in .cache/clang-tidy. Since 22 it does not look for faults in system headers, which is two
# thirds of the time that Debian's 19 takes. Of one exact version, as each brings new checks.
find_clang_tidy() {
  version=23.1.4
  clang_tidy="$FAIRWAY_ROOT/.cache/clang-tidy/bin/clang-tidy"
  if ! "$clang_tidy" --version 2>/dev/null | grep -qF " $version"; then
    echo "installing clang-tidy $version from PyPI into .cache/clang-tidy"
    rm -rf "$FAIRWAY_ROOT/.cache/clang-tidy"
    python3 -m venv "$FAIRWAY_ROOT/.cache/clang-tidy" &&
      "$FAIRWAY_ROOT/.cache/clang-tidy/bin/pip" install -q --disable-pip-version-check "clang-tidy==$version"
  fi
}

# The programs that are installed.
installed_programs="fairway fairway-gateway"

# lint_programs: whether the built programs have what cmake/hardening.cmake asks for. That they protect the flow of control shows in
# their code alone: the mark of a whole program takes one of each object, and those that Debian's C library starts a program with
# have none.
lint_programs() {
  (cd "$FAIRWAY_ROOT/build" && hardening-check --nocfprotection $installed_programs) || {
    echo "error: these programs lack what cmake/hardening.cmake asks for" >&2
    return 1
  }
  [ "$(uname -m)" = x86_64 ] || return 0
  for program in $installed_programs; do
    objdump -d --no-show-raw-insn --disassemble=main "$FAIRWAY_ROOT/build/$program" | grep -q endbr64 || {
      echo "error: $program is not compiled for CET (-fcf-protection): its main has no endbr64" >&2
      return 1
    }
  done
}

# The same as a step of its own, which builds them first.
dev_lint_programs() {
  need build lint
  configure_release
  compile build $installed_programs
  lint_programs
}

dev_lint() {
  base=
  case "${1:-}" in
    --base)
      base="${2:?error: --base needs a revision}"
      shift
      ;;
    --programs)
      dev_lint_programs
      return
      ;;
    "") ;;
    *)
      echo "error: ./dev lint takes --base REV or --programs, not '$1'" >&2
      exit 2
      ;;
  esac
  if [ $# -gt 1 ]; then
    echo "error: ./dev lint does not know '$2' here" >&2
    exit 2
  fi
  need build test lint
  find_clang_tidy
  base="$(lint_base "$base")"
  status=0
  for folder in docs lint monitoring package systemd unity; do
    python3 -m unittest discover -q -s "scripts/$folder" -p '*_test.py' || status=1
  done
  python3 scripts/systemd/security.py --check || status=1
  python3 scripts/lint/structure.py || status=1
  python3 scripts/lint/doc_comments.py --check || status=1
  python3 scripts/lint/names.py || status=1
  python3 scripts/lint/spdx.py || status=1
  { git ls-files -- $cxx_folders && git ls-files --others --exclude-standard -- $cxx_folders; } | grep -E '\.(cc|h)$' |
    while IFS= read -r file; do [ ! -f "$file" ] || echo "$file"; done |
    xargs -n 40 -P "$(jobs)" clang-format-19 --dry-run -Werror || {
    status=1
    echo "error: the layout is wrong; ./dev format fixes what changed since main" >&2
  }
  if [ -x "$FAIRWAY_ROOT/build/fairway-gateway" ] && [ -x "$FAIRWAY_ROOT/build/fairway" ]; then
    lint_programs || status=1
  else
    echo "lint: the programs are not built: ./dev lint --programs builds them, and looks whether they are hardened"
  fi
  configure_lint
  # Bench drivers and fuzz targets stand in compile_commands.json only where their folders are configured: tidy what does.
  known="$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$FAIRWAY_ROOT/build-lint/compile_commands.json")"
  rewritten_sources "$base" >"$FAIRWAY_ROOT/build-lint/lint-rewritten"
  grep '\.cc$' "$FAIRWAY_ROOT/build-lint/lint-rewritten" | while IFS= read -r source; do
    if echo "$known" | grep -qxF "$FAIRWAY_ROOT/$source"; then echo "$source"; fi
  done >"$FAIRWAY_ROOT/build-lint/lint-sources"
  echo "lint: clang-tidy reads the $(wc -l <"$FAIRWAY_ROOT/build-lint/lint-sources") files rewritten since $(git rev-parse --short "$base")"
  # What the build generates, and the configuration alone does not.
  if grep -q '^examples/widgets/' "$FAIRWAY_ROOT/build-lint/lint-sources"; then
    configure_release
    compile build widgets
    cp "$FAIRWAY_ROOT/build/embedded/widgets/crd.paths.h" "$FAIRWAY_ROOT/build-lint/embedded/widgets/"
  fi
  # Its count of what it found in other people's headers, and does not show, is noise.
  xargs -r -n 1 -P "$(jobs)" "$clang_tidy" --quiet -p build-lint <"$FAIRWAY_ROOT/build-lint/lint-sources" \
    2>"$FAIRWAY_ROOT/build-lint/lint-errors" || status=1
  grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' "$FAIRWAY_ROOT/build-lint/lint-errors" >&2 || true
  syntax="-std=c++23 -fsyntax-only -Isrc -I$FAIRWAY_ROOT/build-lint/include -Wall -Wextra -Werror -Wno-missing-field-initializers"
  # A header must be readable before all others. Precompiled headers, and files compiled as one, hide what it forgets to include.
  grep '\.h$' "$FAIRWAY_ROOT/build-lint/lint-rewritten" >"$FAIRWAY_ROOT/build-lint/lint-headers" || true
  echo "lint: g++ reads the $(wc -l <"$FAIRWAY_ROOT/build-lint/lint-headers") headers rewritten, each alone"
  xargs -r -I {} -P "$(jobs)" g++ $syntax -Itests -DFAIRWAY_SOURCE_DIR='""' -DFAIRWAY_BINARY='""' -include {} -x c++ /dev/null \
    <"$FAIRWAY_ROOT/build-lint/lint-headers" || status=1
  # Only clang builds the fuzz targets, in a build of their own: it reads those that include what changed.
  changed_sources "$base" | python3 scripts/lint/includers.py fuzz/*.cc >"$FAIRWAY_ROOT/build-lint/lint-fuzz"
  if [ -s "$FAIRWAY_ROOT/build-lint/lint-fuzz" ]; then
    need sanitize
    echo "lint: clang reads the $(wc -l <"$FAIRWAY_ROOT/build-lint/lint-fuzz") fuzz targets that include what changed"
    xargs -n 1 -P "$(jobs)" clang++-19 $syntax -Wno-deprecated-declarations <"$FAIRWAY_ROOT/build-lint/lint-fuzz" || status=1
  fi
  if [ "$status" -ne 0 ]; then
    echo "error: lint found faults" >&2
    return 1
  fi
  echo "lint: clean"
}

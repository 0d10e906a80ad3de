# clang-format and clang-tidy on what changed; a warning is an error.

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

# changed_sources BASE: C++ files of the project that differ from BASE, committed or not.
changed_sources() {
  {
    git diff --name-only --diff-filter=d "$1" -- src tests fuzz bench
    git ls-files --others --exclude-standard -- src tests fuzz bench
  } | grep -E '\.(cc|h)$' | sort -u
}

dev_format() {
  need lint
  files="$(changed_sources "$(lint_base)")" || true
  [ -z "$files" ] || clang-format-19 -i $files
}

dev_lint() {
  base=
  case "${1:-}" in
    --base) base="${2:?error: --base needs a revision}" ;;
    "") ;;
    *)
      echo "error: ./dev lint takes --base REV, not '$1'" >&2
      exit 2
      ;;
  esac
  need build test lint
  base="$(lint_base "$base")"
  files="$(changed_sources "$base")" || true
  if [ -z "$files" ]; then
    echo "lint: no C++ file differs from $(git rev-parse --short "$base")"
    return
  fi
  status=0
  clang-format-19 --dry-run -Werror $files || status=1
  [ "$status" -eq 0 ] || echo "error: the layout is wrong; ./dev format mends it" >&2
  configure_release
  # Bench drivers and fuzz targets stand in compile_commands.json only where their folders are configured: tidy what does.
  sources="$(echo "$files" | grep '\.cc$')" || true
  known="$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$FAIRWAY_ROOT/build/compile_commands.json")"
  for source in $sources; do
    if echo "$known" | grep -qxF "$FAIRWAY_ROOT/$source"; then echo "$source"; fi
  done >"$FAIRWAY_ROOT/build/lint-sources"
  echo "lint: $(echo "$files" | wc -l) files differ from $(git rev-parse --short "$base"), \
clang-tidy reads $(wc -l <"$FAIRWAY_ROOT/build/lint-sources")"
  # Its count of what it found in other people's headers, and does not show, is noise.
  xargs -r -n 1 -P "$(jobs)" clang-tidy-19 --quiet -p build <"$FAIRWAY_ROOT/build/lint-sources" \
    2>"$FAIRWAY_ROOT/build/lint-errors" || status=1
  grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' "$FAIRWAY_ROOT/build/lint-errors" >&2 || true
  if [ "$status" -ne 0 ]; then
    echo "error: lint found faults" >&2
    return 1
  fi
  echo "lint: clean"
}

# SPDX-License-Identifier: Apache-2.0

# The documentation: whether its links lead somewhere, the types of its glossary exist, its console blocks print what they say and the
# reference of the C++ libraries is whole; and a site of it.

# find_sphinx: Sphinx of PyPI in .cache/docs as $sphinx, with all that it needs, of the versions of requirements.txt; and the script that
# draws diagrams as $mermaid. Empty where they cannot be had.
find_sphinx() {
  place="$FAIRWAY_ROOT/.cache/docs"
  wanted="$FAIRWAY_ROOT/scripts/docs/site"
  sphinx="$place/bin/sphinx-build" mermaid="$place/mermaid.min.js"
  if cat "$wanted/requirements.txt" "$wanted/mermaid.txt" | cmp -s - "$place/installed"; then return; fi
  echo "installing Sphinx from PyPI into .cache/docs"
  rm -rf "$place"
  python3 -m venv "$place"
  if { "$place/bin/pip" install -q --disable-pip-version-check --require-hashes -r "$wanted/requirements.txt" && unpack_mermaid; } \
    >"$place/log" 2>&1; then
    cat "$wanted/requirements.txt" "$wanted/mermaid.txt" >"$place/installed"
    return
  fi
  cat "$place/log" >&2
  # What came and is not what was locked is no matter of the network.
  if grep -qE 'DO NOT MATCH THE HASHES|WARNING: 1 computed checksum' "$place/log"; then
    echo "error: PyPI has other files than scripts/docs/site has the checksums of" >&2
    exit 1
  fi
  rm -rf "$place"
  sphinx= mermaid=
}

# unpack_mermaid: the one file out of the wheel. That this Python is older than the package asks for does not matter, as none of it runs.
unpack_mermaid() {
  "$place/bin/pip" download -q --disable-pip-version-check --require-hashes --no-deps --only-binary :all: --python-version 3.12 \
    -d "$place/wheel" -r "$wanted/mermaid.txt" || return
  python3 -m zipfile -e "$place"/wheel/*.whl "$place/wheel" || return
  mv "$place/wheel/artoo_mermaid/assets/mermaid.min.js" "$mermaid" && rm -rf "$place/wheel" || return
  echo "74d7c46dabca328c2294733910a8aa1ed0c37451776e8d5295da38a2b758fb9b  $mermaid" | sha256sum -c --quiet
}

# docs_part NAME COMMAND...: runs a part, and counts it.
docs_part() {
  part="$1"
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "failed: $part"
    failed=$((failed + 1))
  fi
}

dev_docs() {
  site=yes reference=yes blocks=
  while [ $# -gt 0 ]; do
    case "$1" in
      --check) site= ;;
      --list | --commands | --update) blocks="$blocks $1" ;;
      -*)
        echo "error: ./dev docs takes --check, --list, --commands, --update and pages, not '$1'" >&2
        exit 2
        ;;
      *) blocks="$blocks --page $1" ;;
    esac
    shift
  done
  case "$blocks" in
    *--list* | *--commands*)
      # shellcheck disable=SC2086
      python3 scripts/docs/console_blocks.py $blocks
      return
      ;;
    ?*) site= reference= ;;
  esac
  need build test docs
  configure_release
  # shellcheck disable=SC2086
  compile build $installed_programs widgets
  passed=0 failed=0 skipped=0
  # Blocks `console envoy` run where PyPI has Envoy.
  find_envoy
  if [ -n "$envoy" ]; then
    export PATH="$(dirname "$envoy"):$PATH"
  else
    echo "skipped: console blocks with Envoy: PyPI cannot be reached"
    skipped=1
  fi
  docs_part "links of the documentation" python3 scripts/docs/links.py
  docs_part "types of the glossary" python3 scripts/docs/glossary.py
  # shellcheck disable=SC2086
  docs_part "console blocks of the documentation" python3 scripts/docs/console_blocks.py $blocks
  if [ -n "$reference" ]; then
    docs_part "reference of the C++ libraries" python3 scripts/docs/reference.py build build/reference
  fi
  if [ -n "$site" ]; then
    find_sphinx
    if [ -n "$sphinx" ]; then
      docs_part "site of the documentation" python3 scripts/docs/build_site.py "$sphinx" "$mermaid" build/reference build/docs
    else
      echo "skipped: the site of the documentation: PyPI cannot be reached"
      skipped=$((skipped + 1))
    fi
  fi
  say_duration
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

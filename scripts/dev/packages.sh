# SPDX-License-Identifier: Apache-2.0

# Installs Debian packages by group (scripts/packages), and only what is missing.

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    echo "error: '$*' needs root: run as root, or install sudo" >&2
    exit 1
  fi
}

# Prints the packages of the groups that are not installed.
missing_packages() {
  for group in "$@"; do
    while read -r of package; do
      [ "$of" = "$group" ] || continue
      case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)" in
        *"ok installed") ;;
        *) echo "$package" ;;
      esac
    done <"$FAIRWAY_ROOT/scripts/packages"
  done
}

# A package must not start its server here (docker-registry, nginx): tests and benchmarks start their own.
without_services() {
  policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then
    as_root "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
  as_root chmod +x "$policy"
  status=0
  as_root "$@" || status=$?
  as_root rm -f "$policy"
  return "$status"
}

# need GROUP...: makes sure that the packages of these groups are there.
need() {
  packages="$(missing_packages "$@" | sort -u)"
  [ -n "$packages" ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "error: these packages are missing and there is no apt-get to install them with:" $packages >&2
    exit 1
  fi
  echo "installing:" $packages >&2
  # Another ./dev beside this one may be installing.
  apt_get="env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600"
  install="$apt_get install -y -q --no-install-recommends"
  log="$(mktemp)"
  # The package lists may be there and current: only a failure asks for new ones.
  if ! without_services $install $packages >"$log" 2>&1; then
    if ! { as_root $apt_get update -q && without_services $install $packages; } >"$log" 2>&1; then
      tail -n 40 "$log" >&2
      rm -f "$log"
      echo "error: apt-get could not install:" $packages >&2
      exit 1
    fi
  fi
  rm -f "$log"
}

dev_deps() {
  [ $# -gt 0 ] || set -- build test
  need "$@"
}

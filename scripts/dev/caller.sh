# SPDX-License-Identifier: Apache-2.0

# Paths that a user gives to ./dev, which itself works in the checkout: they are of the folder where it was called.

# of_caller PATH: PATH as an absolute one.
of_caller() {
  case "$1" in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "${FAIRWAY_CALLER:-$PWD}/$1" ;;
  esac
}

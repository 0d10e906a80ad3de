#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Packages what a checkout has built, without building: for reprotest, which varies the clock, and a compiler or ninja does not bear that.
#
# usage: verify_again.sh CHECKOUT OUT
set -eu
FAIRWAY_ROOT="$1" package_out="$2"
export FAIRWAY_ROOT
for part in duration packages build package; do
  . "$FAIRWAY_ROOT/scripts/dev/$part.sh"
done
umask 022
mkdir -p "$package_out"
package_out="$(cd "$package_out" && pwd)"
package_build=build
make_packages

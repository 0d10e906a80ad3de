#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# What `fairway gateway` hands over to where it runs with the C library that came with it.
glibc="$(dirname "$(readlink -f "$0")")"
lib="$(dirname "$glibc")"
exec "$glibc/@LOADER@" --library-path "$glibc:$lib" --argv0 fairway "$lib/fairway-gateway" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Runs fairway with the libraries that came with it. Where the machine's own C library is older than the one they were built for, or
# another one, it runs with that one, too.
set -u
bin="$(dirname "$(readlink -f "$0")")"
lib="$(dirname "$bin")/lib/fairway"
# The libraries look for certificates where Debian has them.
if [ -z "${SSL_CERT_FILE:-}${SSL_CERT_DIR:-}" ] && [ ! -d /usr/lib/ssl/certs ]; then
  for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
    if [ -r "$file" ]; then
      export SSL_CERT_FILE="$file"
      break
    fi
  done
fi
case "$(basename "$0")" in
  kubectl-fairway) name=kubectl-fairway ;;
  *) name=fairway ;;
esac
# FAIRWAY_LIBC=bundled: not the machine's, though it is new enough.
[ "${FAIRWAY_LIBC:-}" != bundled ] || has=none
[ -n "${has:-}" ] || has="$(getconf GNU_LIBC_VERSION 2>/dev/null)" || has=
case "$has" in
  "glibc 2."*)
    if [ "${has#glibc 2.}" -ge @GLIBC_MINOR@ ] 2>/dev/null; then exec "$lib/$name" "$@"; fi
    ;;
esac
exec "$lib/glibc/@LOADER@" --library-path "$lib/glibc:$lib" --argv0 "$name" "$lib/fairway" "$@"

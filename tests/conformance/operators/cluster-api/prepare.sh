# SPDX-License-Identifier: Apache-2.0

# What the tests of cluster-api need beside its module: its types, a module of their own in a folder of its repository.
types="$(cd / && "$GO" mod download -json "sigs.k8s.io/cluster-api/api@${MODULE#*@}" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
cp -r "$types" api
chmod -R u+w api

// SPDX-License-Identifier: Apache-2.0

// etcd 3.6, as it is released, for the kube-apiserver that bench/apiserver measures: Debian's is older, and
// kube-apiserver leaves watch lists off with it.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}

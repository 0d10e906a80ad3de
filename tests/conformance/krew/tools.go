// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package krew pins krew and its validator of manifests, which scripts/package/check_krew.py runs.
package krew

import (
	_ "sigs.k8s.io/krew/cmd/krew"
	_ "sigs.k8s.io/krew/cmd/validate-krew-manifest"
)

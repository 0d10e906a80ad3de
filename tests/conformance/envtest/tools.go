// SPDX-License-Identifier: Apache-2.0

//go:build tools

// Package envtest names the module whose tests are run on our server (run.py), so that its version is locked.
package envtest

import _ "sigs.k8s.io/controller-runtime/pkg/envtest"

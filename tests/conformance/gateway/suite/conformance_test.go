// SPDX-License-Identifier: Apache-2.0

// The official suite of Gateway API, as a test program that stands alone.
package suite

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

func TestConformance(t *testing.T) { conformance.RunConformance(t) }

// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"os"
	"strings"
	"testing"
)

// The first example of the README is the test of clientgo, which is run there.
func TestReadmeShowsTheTestOfClientgo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	test, err := os.ReadFile("clientgo/boats_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(test), "package clientgo\n")
	if !found || !strings.Contains(string(readme), "```go\npackage boats\n"+body+"```") {
		t.Error("README.md does not show clientgo/boats_test.go with another package's name")
	}
}

// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"
)

// note is what a chart says after it is installed with some values.
type note struct {
	Chart  string   `json:"chart"`
	Values values   `json:"values"`
	Says   []string `json:"says"`
	Lacks  []string `json:"lacks"`
}

func TestNotesSayWhatIsMissing(t *testing.T) {
	for _, one := range readTable[note](t, "cases/notes.yaml") {
		t.Run(one.Chart, func(t *testing.T) {
			made, err := template(chartOf(t, one.Chart), "fairway", one.Values)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range one.Says {
				if !strings.Contains(made.Info.Notes, text) {
					t.Errorf("with %v the notes do not say %q:\n%s", one.Values, text, made.Info.Notes)
				}
			}
			for _, text := range one.Lacks {
				if strings.Contains(made.Info.Notes, text) {
					t.Errorf("with %v the notes say %q:\n%s", one.Values, text, made.Info.Notes)
				}
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The server takes what the charts render, with all settings of the tables, drops nothing of it, and knows every field.
func TestTheServerTakesWhatChartsRender(t *testing.T) {
	server := connect(t)
	for _, c := range charts {
		space := namespace("dry-" + c.name)
		server.apply(t, space, metav1.PatchOptions{})
		t.Cleanup(func() { server.removeOne(t, space) })
		cases := append([]equality{{Name: "defaults"}}, equalitiesOf(t, c)...)
		for _, one := range cases {
			t.Run(c.name+"/"+one.Name, func(t *testing.T) {
				made := renderChart(t, c, "dry-"+c.name, one.Values)
				for _, name := range made.keys() {
					answer := server.apply(t, made[name], metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
					if path := missingFrom(made[name], answer.Object, ""); path != "" {
						t.Errorf("the server made something else of %s: %s", name, path)
					}
				}
			})
		}
	}
}

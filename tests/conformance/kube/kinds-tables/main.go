// SPDX-License-Identifier: Apache-2.0

// kinds-tables reads a list of cases, [{"document": ...}, ...], and writes each document and the row that Kubernetes's own printers make
// of it. Texts like "@90" stand for the time 90 seconds ago, "@90u" for one with microseconds.
// tests/apiserver/data/tables.json is its input and its output:
//
//	go run ./kinds-tables < ../../apiserver/data/tables.json
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"
)

var ago = regexp.MustCompile(`"@(\d+)(u?)"`)

func main() {
	scheme := legacyscheme.Scheme
	generator := printers.NewTableGenerator().With(internalversion.AddHandlers)
	var cases []struct{ Document json.RawMessage }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		log.Fatal(err)
	}
	// Ages are counted from the beginning of a second.
	now := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(now))
	for i, one := range cases {
		document := ago.ReplaceAllFunc(one.Document, func(text []byte) []byte {
			parts := ago.FindSubmatch(text)
			seconds, _ := strconv.Atoi(string(parts[1]))
			format := time.RFC3339
			if len(parts[2]) > 0 {
				format = metav1.RFC3339Micro
			}
			at := now.Add(-time.Duration(seconds) * time.Second).UTC().Format(format)
			return []byte(strconv.Quote(at))
		})
		var kind struct{ APIVersion, Kind string }
		if err := json.Unmarshal(document, &kind); err != nil {
			log.Fatal(err)
		}
		gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
		made, err := scheme.New(gvk)
		if err != nil {
			log.Fatal(err)
		}
		if err := json.Unmarshal(document, made); err != nil {
			log.Fatal(err)
		}
		internal, err := scheme.ConvertToVersion(made, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
		if err != nil {
			log.Fatal(err)
		}
		table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
		if err != nil {
			log.Fatal(gvk, err)
		}
		type column struct {
			Name     string `json:"name"`
			Type     string `json:"type"`
			Format   string `json:"format"`
			Priority int32  `json:"priority"`
		}
		var columns []column
		for _, one := range table.ColumnDefinitions {
			columns = append(columns, column{one.Name, one.Type, one.Format, one.Priority})
		}
		result, err := json.Marshal(struct {
			Columns    []column                   `json:"columns"`
			Cells      []interface{}              `json:"cells"`
			Conditions []metav1.TableRowCondition `json:"conditions,omitempty"`
		}{columns, table.Rows[0].Cells, table.Rows[0].Conditions})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s{\"document\": %s,\n  \"table\": %s}", map[bool]string{true: "[\n", false: ",\n"}[i == 0], one.Document, result)
	}
	fmt.Println("\n]")
}

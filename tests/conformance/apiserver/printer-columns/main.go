// SPDX-License-Identifier: Apache-2.0

// Prints what Kubernetes's own code makes of printer columns: the lines of stdin with what it answered. A line is
// {"object": OBJECT} for all that follow, {"path": JSONPATH, "type": TYPE} or {"seconds": N}, the age of something.
//
//	go run ./printer-columns <../../apiserver/data/printer-columns.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

type input struct {
	Path    string                 `json:"path"`
	Type    string                 `json:"type"`
	Object  map[string]interface{} `json:"object"`
	Seconds *int64                 `json:"seconds"`
}

func answer(given input, object map[string]interface{}) map[string]interface{} {
	if given.Object != nil {
		return nil
	}
	if given.Seconds != nil {
		return map[string]interface{}{"age": duration.HumanDuration(time.Duration(*given.Seconds) * time.Second)}
	}
	columns := []apiextensionsv1.CustomResourceColumnDefinition{{Name: "A", Type: given.Type, JSONPath: given.Path}}
	convertor, err := tableconvertor.New(columns)
	if err != nil {
		return map[string]interface{}{"error": err.Error()}
	}
	table, err := convertor.ConvertToTable(context.Background(), &unstructured.Unstructured{Object: object}, nil)
	if err != nil {
		return map[string]interface{}{"error": err.Error()}
	}
	return map[string]interface{}{"cell": table.Rows[0].Cells[1]}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	var object map[string]interface{}
	for lines.Scan() {
		var given input
		var echoed map[string]json.RawMessage
		err := utiljson.Unmarshal(lines.Bytes(), &given) // integers stay integers
		if err != nil || json.Unmarshal(lines.Bytes(), &echoed) != nil {
			fmt.Fprintln(os.Stderr, "not a case:", lines.Text(), err)
			os.Exit(1)
		}
		if given.Object != nil {
			object = given.Object
		}
		for name, value := range answer(given, object) {
			text, _ := json.Marshal(value)
			echoed[name] = text
		}
		text, _ := json.Marshal(echoed)
		fmt.Println(string(text))
	}
}

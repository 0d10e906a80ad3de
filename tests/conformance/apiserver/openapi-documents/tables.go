// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/google/gnostic-models/compiler"
	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
)

// values are written as YAML beside the texts: how collections nest.
var values = []string{
	`null`,
	`true`,
	`0`,
	`-1.5`,
	`1e-7`,
	`18446744073709551615`,
	`{}`,
	`[]`,
	`[[]]`,
	`[{}]`,
	`{"a":{}}`,
	`{"a":[]}`,
	`{"a":1,"b":"c"}`,
	`["a",1,null]`,
	`[["a"],["b",["c"]]]`,
	`[{"a":1,"b":2},{"c":3}]`,
	`[[{"a":1,"b":2}],{"c":[{"d":4,"e":5}]}]`,
	`{"a":{"b":{"c":{"d":1}}}}`,
	`{"a":[{"b":[{"c":[1,{"d":2,"e":3}]}]}]}`,
	`[{"a":{"b":1,"c":[2]}}]`,
	`{"a":"two\nlines","b":"x\n\n","c":["y\nz"]}`,
	`[{"a":"two\nlines"},"\nlead"," x\ny"]`,
	`{"true":1,"":2,"a b":3,"#":4,"1":5}`,
	`{"two\nlines":{"a":1},"b":[1]}`,
	`[{"two\nlines":[1,{"a":2}]}]`,
	`[{"group":"","kind":"Status","version":"v1"}]`,
	`{"group":"apps","kind":"Deployment","version":"v1"}`,
}

// documents have what documents and schemas may have: the version in a line, and the document. A line is empty between two.
//
//go:embed documents.txt
var documents string

// writeTable writes a table of tests/apiserver/data.
func writeTable(name string) {
	fmt.Println("# SPDX-License-Identifier: Apache-2.0")
	if name == "node_yaml" {
		fmt.Println("# Values of JSON, and the YAML that gnostic makes of them, as a text of JSON. Made by `openapi-documents table node_yaml`.")
		for _, text := range texts {
			fmt.Printf("%s\t%s\n", quoted(text), quoted(string(compiler.Marshal(scalar("!!str", text)))))
		}
		for _, value := range values {
			var read yaml.Node
			must(yaml.Unmarshal([]byte(value), &read))
			fmt.Printf("%s\t%s\n", value, quoted(string(compiler.Marshal(read.Content[0]))))
		}
		return
	}
	fmt.Println("# Version of OpenAPI, document, and the bytes that gnostic makes of it, in hexadecimal.")
	fmt.Println("# Made by `openapi-documents table open_api_protobuf`.")
	for _, text := range strings.Split(strings.TrimSpace(documents), "\n\n") {
		version, document, _ := strings.Cut(text, "\n")
		document = strings.ReplaceAll(document, "\n", "")
		var parsed proto.Message
		var err error
		if version == "2" {
			parsed, err = openapi_v2.ParseDocument([]byte(document))
		} else {
			parsed, err = openapi_v3.ParseDocument([]byte(document))
		}
		must(err)
		writeRow(version, document, parsed)
	}
}

func writeRow(version, document string, parsed proto.Message) {
	if !json.Valid([]byte(document)) {
		must(fmt.Errorf("not JSON: %s", document))
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(parsed)
	must(err)
	fmt.Printf("%s\t%s\t%s\n", version, document, hex.EncodeToString(bytes))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

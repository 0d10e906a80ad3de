// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// thing is the schema of all definitions, with what a schema may have.
//
//go:embed schema.json
var thing string

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

func groupOf(i int) string { return fmt.Sprintf("g%d.openapi.example.com", i%7) }
func nameOf(i int) string  { return fmt.Sprintf("things%d.%s", i, groupOf(i)) }

// define makes definitions until there are so many, and waits until they are served and published.
func (s *server) define(ctx context.Context, count int) error {
	from := s.defined
	for ; s.defined < count; s.defined++ {
		i := s.defined
		body := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":%q},
"spec":{"group":%q,"scope":"Namespaced","names":{"plural":"things%d","singular":"thing%d","kind":"Thing%d","listKind":"Thing%dList"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
"selectableFields":[{"jsonPath":".spec.name"}],"schema":{"openAPIV3Schema":%s}}]}}`,
			nameOf(i), groupOf(i), i, i, i, i, thing)
		got, err := s.send(ctx, http.MethodPost, definitionsPath, http.Header{"Content-Type": {"application/json"}}, []byte(body))
		if err != nil {
			return err
		}
		if got.status != http.StatusCreated {
			return fmt.Errorf("%s: %d %s", nameOf(i), got.status, got.body)
		}
	}
	for i := from; i < count; i++ {
		for {
			index, err := s.index(ctx)
			if err != nil {
				return err
			}
			if url, there := index["apis/"+groupOf(i)+"/v1"]; there {
				if got, err := s.get(ctx, url, "application/json"); err == nil && strings.Contains(string(got.body), fmt.Sprintf(`.Thing%d"`, i)) {
					break
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

// countDefinitions returns how many of the definitions a document has.
func countDefinitions(document []byte) int {
	var read struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if json.Unmarshal(document, &read) != nil {
		return 0
	}
	count := 0
	for name := range read.Definitions {
		if strings.Contains(name, ".v1.Thing") && !strings.HasSuffix(name, "List") {
			count++
		}
	}
	return count
}

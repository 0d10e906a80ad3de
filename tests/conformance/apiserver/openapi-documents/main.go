// SPDX-License-Identifier: Apache-2.0

// What clients find under /openapi of an API server: documents in protobuf beside those in JSON, by gnostic's parser, and the answers
// to Accept headers beside those of kube-openapi's handlers. $KUBECONFIG names the server. Each check prints a line; the last line
// counts.
//
// `yaml SEED COUNT` writes random values of JSON with the YAML that gnostic makes of each, an object a line, and `table NAME` a table of
// tests/apiserver/data.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
)

// Only a server that hangs needs it.
const limit = 2 * time.Minute

type check struct {
	name string
	run  func(context.Context, *server) error
}

// definitions are the counts of definitions with which the documents are compared.
var definitions = []int{0, 1, 100}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "yaml" {
		seed, _ := strconv.ParseUint(os.Args[2], 10, 64)
		count, _ := strconv.Atoi(os.Args[3])
		writeYAML(rand.New(rand.NewPCG(seed, 0)), count)
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "table" {
		writeTable(os.Args[2])
		return
	}
	s, err := newServer()
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	checks := []check{
		{"Accept headers of version 2", acceptsOfV2},
		{"Accept headers of version 3", acceptsOfV3},
		{"hashes and times", hashes},
	}
	for _, count := range definitions {
		checks = append(checks, check{fmt.Sprintf("version 2 with %d definitions", count), func(ctx context.Context, s *server) error {
			if err := s.define(ctx, count); err != nil {
				return err
			}
			return compareV2(ctx, s, count)
		}})
	}
	checks = append(checks, check{"version 3 of each group version", compareV3}, check{"discovery clients of client-go", clients})
	passed, failed := 0, 0
	for _, one := range checks {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := one.run(ctx, s)
		cancel()
		if err != nil {
			failed++
			fmt.Printf("failed: %s: %v\n", one.name, err)
			continue
		}
		passed++
		fmt.Println("passed:", one.name)
	}
	fmt.Printf("openapi-documents: %d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// compare holds a document in protobuf against what gnostic makes of the one in JSON: as a message, and to the byte.
func compare(what string, parsed proto.Message, err error, bytes []byte, read proto.Message) error {
	if err != nil {
		return fmt.Errorf("%s: gnostic refuses the JSON: %.600v", what, err)
	}
	if err := proto.Unmarshal(bytes, read); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !proto.Equal(parsed, read) {
		return fmt.Errorf("%s: %s", what, firstDifference(parsed, read))
	}
	wanted, err := proto.MarshalOptions{Deterministic: true}.Marshal(parsed)
	if err != nil {
		return err
	}
	if string(wanted) != string(bytes) {
		return fmt.Errorf("%s: equal, but other bytes (%d and %d)", what, len(bytes), len(wanted))
	}
	return nil
}

// compareV2 compares the documents of version 2, which must have so many definitions.
func compareV2(ctx context.Context, s *server, count int) error {
	for ctx.Err() == nil {
		asJSON, err := s.get(ctx, "/openapi/v2", "application/json")
		if err != nil {
			return err
		}
		asProtobuf, err := s.get(ctx, "/openapi/v2", typeOfV2)
		if err != nil {
			return err
		}
		// A real server learns of definitions in its own time.
		if asJSON.etag() != asProtobuf.etag() || countDefinitions(asJSON.body) < count {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		parsed, err := openapi_v2.ParseDocument(asJSON.body)
		read := &openapi_v2.Document{}
		if err := compare("/openapi/v2", parsed, err, asProtobuf.body, read); err != nil {
			return err
		}
		fmt.Printf("  %d bytes of JSON, %d of protobuf, %d schemas\n", len(asJSON.body), len(asProtobuf.body),
			len(read.GetDefinitions().GetAdditionalProperties()))
		return nil
	}
	return ctx.Err()
}

// compareV3 compares the documents of all group versions.
func compareV3(ctx context.Context, s *server) error {
	index, err := s.index(ctx)
	if err != nil {
		return err
	}
	if len(index) < 15 {
		return fmt.Errorf("the index has %d group versions", len(index))
	}
	for name, url := range index {
		asJSON, err := s.get(ctx, url, "application/json")
		if err != nil {
			return err
		}
		asProtobuf, err := s.get(ctx, url, typeOfV3)
		if err != nil {
			return err
		}
		if asJSON.etag() == "" || asJSON.etag() != asProtobuf.etag() {
			return fmt.Errorf("%s: ETags %q and %q", name, asJSON.etag(), asProtobuf.etag())
		}
		parsed, err := openapi_v3.ParseDocument(asJSON.body)
		if err := compare(name, parsed, err, asProtobuf.body, &openapi_v3.Document{}); err != nil {
			return err
		}
	}
	fmt.Printf("  %d group versions\n", len(index))
	return nil
}

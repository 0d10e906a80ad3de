// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	typeOfV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	typeOfV3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	v3Path   = "/openapi/v3/apis/apps/v1"
)

// mux is upstream's handlers in this process.
type mux struct{ *http.ServeMux }

func (m mux) HandlePrefix(path string, handler http.Handler) { m.Handle(path, handler) }

// upstream returns kube-openapi's handlers, with documents that are large enough to be compressed.
func upstream() http.Handler {
	m := mux{http.NewServeMux()}
	long := strings.Repeat("long ", 1000)
	handler.NewOpenAPIService(&spec.Swagger{SwaggerProps: spec.SwaggerProps{Swagger: "2.0", Paths: &spec.Paths{},
		Info: &spec.Info{InfoProps: spec.InfoProps{Title: "t", Version: "v", Description: long}}}}).
		RegisterOpenAPIVersionedService("/openapi/v2", m)
	v3 := handler3.NewOpenAPIService()
	v3.UpdateGroupVersion("apis/apps/v1", &spec3.OpenAPI{Version: "3.0.0", Paths: &spec3.Paths{},
		Info: &spec.Info{InfoProps: spec.InfoProps{Title: "t", Version: "v", Description: long}}})
	if err := v3.RegisterOpenAPIV3VersionedService("/openapi/v3", m); err != nil {
		panic(err)
	}
	return m
}

// ranges are what clients may take, each of which is a clause of Accept headers.
func ranges(version string) []string {
	return []string{
		"application/json", "*/*", "application/*", "*", "*/json", "text/plain", "text/*", "application/yaml",
		"application/vnd.kubernetes.protobuf", "application/cbor", "application/json;as=Table;v=v1;g=meta.k8s.io",
		"application/json; charset=utf-8", "Application/JSON", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
		"application/com.github.proto-openapi.spec.v3@v1.0+protobuf", typeOfV2, typeOfV3,
		"application/com.github.proto-openapi.spec." + version + ".v1.0+protobuf",
		"application/com.github.proto-openapi.spec." + version + "@v1.0+protobuf",
	}
}

// shown returns what must be alike in two answers. Bodies are of different documents.
func shown(a answer) string {
	return fmt.Sprintf("%d %s Vary:%q encoding:%q ETag:%t Last-Modified:%t empty:%t", a.status, a.header.Get("Content-Type"),
		a.header.Values("Vary"), a.header.Get("Content-Encoding"), a.etag() != "", a.header.Get("Last-Modified") != "", len(a.body) == 0)
}

func ask(handler http.Handler, path string, header http.Header) answer {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header = header
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return answer{recorder.Code, recorder.Result().Header, recorder.Body.Bytes()}
}

// accepts compares answers to many Accept headers.
func accepts(ctx context.Context, s *server, path, version string) error {
	random := rand.New(rand.NewPCG(1, 2))
	all := ranges(version)
	headers := append([]string{""}, all...)
	for range 400 {
		var clauses []string
		for range 1 + random.IntN(4) {
			clause := all[random.IntN(len(all))]
			if random.IntN(2) == 0 {
				clause += []string{";q=0.5", ";q=0", "; q=0.9", ";q=1.0", ";q=x", ";q= 0.3", ";v=1;q=0.1"}[random.IntN(7)]
			}
			clauses = append(clauses, clause)
		}
		headers = append(headers, strings.Join(clauses, []string{",", ", "}[random.IntN(2)]))
	}
	handlers, statuses := upstream(), map[int]int{}
	for i, accept := range headers {
		header := http.Header{}
		if accept != "" {
			header.Set("Accept", accept)
		}
		if i%3 == 0 {
			header.Set("Accept-Encoding", "gzip")
		}
		got, err := s.send(ctx, http.MethodGet, path, header, nil)
		if err != nil {
			return err
		}
		wanted := ask(handlers, path, header)
		if shown(got) != shown(wanted) {
			return fmt.Errorf("Accept: %s, Accept-Encoding: %s\n  wanted %s\n  got    %s", accept, header.Get("Accept-Encoding"),
				shown(wanted), shown(got))
		}
		statuses[got.status]++
	}
	fmt.Printf("  %d headers: %v\n", len(headers), statuses)
	if statuses[http.StatusOK] < 100 || statuses[http.StatusNotAcceptable] < 20 {
		return fmt.Errorf("the headers say too little: %v", statuses)
	}
	return nil
}

func acceptsOfV2(ctx context.Context, s *server) error { return accepts(ctx, s, "/openapi/v2", "v2") }
func acceptsOfV3(ctx context.Context, s *server) error { return accepts(ctx, s, v3Path, "v3") }

// hashes compares the answers to clients that have a document already.
func hashes(ctx context.Context, s *server) error {
	handlers := upstream()
	senders := []func(string, http.Header) (answer, error){
		func(path string, header http.Header) (answer, error) {
			return s.send(ctx, http.MethodGet, path, header, nil)
		},
		func(path string, header http.Header) (answer, error) { return ask(handlers, path, header), nil },
	}
	var results [2][]string
	for i, send := range senders {
		for _, path := range []string{"/openapi/v2", v3Path} {
			first, err := send(path, http.Header{})
			if err != nil {
				return err
			}
			for number, header := range []http.Header{
				{"If-None-Match": {first.etag()}}, {"If-None-Match": {"W/" + first.etag()}}, {"If-None-Match": {`"x"`}},
				{"If-None-Match": {`"x", ` + first.etag()}}, {"If-Modified-Since": {first.header.Get("Last-Modified")}},
				{"If-Modified-Since": {"Sun, 06 Nov 1994 08:49:37 GMT"}}, {"If-Modified-Since": {"x"}},
				{"If-None-Match": {`"x"`}, "If-Modified-Since": {first.header.Get("Last-Modified")}},
			} {
				got, err := send(path, header)
				if err != nil {
					return err
				}
				results[i] = append(results[i], fmt.Sprintf("%s, condition %d: %d %t", path, number, got.status, got.etag() != ""))
			}
			if path != v3Path {
				continue
			}
			hash := strings.Trim(first.etag(), `"`)
			hit, err := send(path+"?hash="+hash, http.Header{})
			if err != nil {
				return err
			}
			expires, err := time.Parse(time.RFC1123, hit.header.Get("Expires"))
			if left := time.Until(expires); err != nil || left < 360*24*time.Hour || left > 370*24*time.Hour {
				return fmt.Errorf("Expires: %s %v", hit.header.Get("Expires"), err)
			}
			miss, err := send(path+"?hash=old", http.Header{})
			if err != nil {
				return err
			}
			results[i] = append(results[i], fmt.Sprintf("hash: %d %q %q", hit.status, hit.header.Get("Cache-Control"), hit.header.Values("Vary")),
				fmt.Sprintf("old hash: %d %t", miss.status, miss.header.Get("Location") == path+"?hash="+hash))
		}
	}
	for i, wanted := range results[1] {
		if results[0][i] != wanted {
			return fmt.Errorf("wanted %s\n  got    %s", wanted, results[0][i])
		}
	}
	fmt.Printf("  %d answers\n", len(results[0]))
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// server is asked with nothing added to a request.
type server struct {
	config *rest.Config
	client *http.Client
	// defined is how many definitions have been made.
	defined int
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) etag() string { return a.header.Get("ETag") }

func newServer() (*server, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	plain := rest.CopyConfig(config)
	plain.DisableCompression = true
	client, err := rest.HTTPClientFor(plain)
	if err != nil {
		return nil, err
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &server{config: config, client: client}, nil
}

func (s *server) send(ctx context.Context, method, path string, header http.Header, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(s.config.Host, "/")+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header = header
	response, err := s.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, read}, err
}

// get returns a document that must be there.
func (s *server) get(ctx context.Context, path, accept string) (answer, error) {
	got, err := s.send(ctx, http.MethodGet, path, http.Header{"Accept": {accept}}, nil)
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("%s as %s: %d %.200s", path, accept, got.status, got.body)
	}
	return got, err
}

// index returns the URLs of the group versions in version 3.
func (s *server) index(ctx context.Context) (map[string]string, error) {
	got, err := s.get(ctx, "/openapi/v3", "application/vnd.kubernetes.protobuf")
	if err != nil {
		return nil, err
	}
	if got.header.Get("Content-Type") != "text/plain; charset=utf-8" || got.header.Get("Last-Modified") == "" {
		return nil, fmt.Errorf("the index has other headers: %v", got.header)
	}
	var index struct {
		Paths map[string]struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(got.body, &index); err != nil {
		return nil, err
	}
	urls := map[string]string{}
	for name, path := range index.Paths {
		urls[name] = path.ServerRelativeURL
	}
	return urls, nil
}

// firstDifference returns the first lines in which two messages differ as text, ours last.
func firstDifference(wanted, made proto.Message) string {
	text := prototext.MarshalOptions{Multiline: true, Indent: " "}
	a, b := strings.Split(text.Format(wanted), "\n"), strings.Split(text.Format(made), "\n")
	for i := range a {
		if i >= len(b) || strings.Join(strings.Fields(a[i]), " ") != strings.Join(strings.Fields(b[i]), " ") {
			from := max(0, i-4)
			return fmt.Sprintf("line %d: wanted\n%s\nmade\n%s", i, strings.Join(a[from:min(len(a), i+2)], "\n"),
				strings.Join(b[min(from, len(b)):min(len(b), i+2)], "\n"))
		}
	}
	return fmt.Sprintf("%d lines wanted, %d made", len(a), len(b))
}

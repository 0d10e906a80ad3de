// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"time"
)

// Faults are what a test asks its server for, to see that clients live with them. Resources are named by plural and group, as in
// "boats.example.com"; without a name all are meant.
type Faults struct {
	// CutWatches breaks the connections of open watches, as a failing network does.
	CutWatches *Fault `json:"cutWatches,omitempty"`
	// Expire makes each version that a client knows too old: a watch or a page from there is 410, and the client lists again.
	Expire bool `json:"expire,omitempty"`
	// Conflicts refuses updates and patches with 409, as if another had written.
	Conflicts *Fault `json:"conflicts,omitempty"`
	// SlowWrites delays writes.
	SlowWrites *Fault `json:"slowWrites,omitempty"`
}

// Fault says which requests have a fault.
type Fault struct {
	Resource string `json:"resource,omitempty"`
	Count    int    `json:"count,omitempty"` // 0: all until ClearFaults
	Delay    string `json:"delay,omitempty"` // of SlowWrites: "200ms"
}

var credential = regexp.MustCompile(`(?m)^ +([a-z-]+)-data: (\S+)$`)

// AddFaults has the server make faults from now on, and returns the number of watches that it has cut.
func (s *Server) AddFaults(faults Faults) (cut int, err error) {
	var answer struct{ CutWatches int }
	err = s.call("POST", "/fairway/faults", faults, &answer)
	return answer.CutWatches, err
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() error {
	return s.call("DELETE", "/fairway/faults", nil, nil)
}

// AdvanceClock advances the clock of a server that was started with "--test-clock=2026-01-01T00:00:00Z", and returns what time it is.
func (s *Server) AdvanceClock(by time.Duration) (now time.Time, err error) {
	var answer struct{ Now time.Time }
	err = s.call("POST", "/fairway/clock", map[string]string{"advance": by.String()}, &answer)
	return answer.Now, err
}

// administrator returns an HTTP client of the user of the kubeconfig.
func (s *Server) administrator() (*http.Client, error) {
	config, err := os.ReadFile(s.Kubeconfig)
	if err != nil {
		return nil, err
	}
	pem := map[string][]byte{}
	for _, found := range credential.FindAllSubmatch(config, -1) {
		if pem[string(found[1])], err = base64.StdEncoding.AppendDecode(nil, found[2]); err != nil {
			return nil, err
		}
	}
	certificate, err := tls.X509KeyPair(pem["client-certificate"], pem["client-key"])
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem["certificate-authority"])
	trust := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: trust}}, nil
}

// call sends a request as the administrator, and reads the answer into a value, if there is one.
func (s *Server) call(method, path string, body, answer any) error {
	client, err := s.administrator()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, s.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	reply, err := client.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	var said json.RawMessage
	if err := json.NewDecoder(reply.Body).Decode(&said); err != nil {
		return fmt.Errorf("%s %s of the API server: %s: %w", method, path, reply.Status, err)
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s of the API server: %s: %s", method, path, reply.Status, said)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(said, answer)
}

// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"
)

const maps = "/api/v1/namespaces/default/configmaps"

// send sends a request with a body of JSON, and returns its status.
func send(t *testing.T, client *http.Client, method, url, body string) int {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestFaultsAreMadeUntilTheyAreCleared(t *testing.T) {
	server := Start(t)
	admin := client(t, server)
	if code := send(t, admin, "POST", server.URL+maps, `{"metadata":{"name":"a"}}`); code != 201 {
		t.Fatal(code)
	}
	if _, err := server.AddFaults(Faults{Conflicts: &Fault{Resource: "configmaps", Count: 1}}); err != nil {
		t.Fatal(err)
	}
	patch := func() int { return send(t, admin, "PATCH", server.URL+maps+"/a", `{"data":{"a":"b"}}`) }
	if first, second := patch(), patch(); first != 409 || second != 200 {
		t.Errorf("the statuses are %d and %d", first, second)
	}
	if _, err := server.AddFaults(Faults{Conflicts: &Fault{}, SlowWrites: &Fault{Delay: "200ms", Count: 1}}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if code := patch(); code != 409 || time.Since(begun) < 200*time.Millisecond {
		t.Errorf("the status is %d, after %v", code, time.Since(begun))
	}
	if err := server.ClearFaults(); err != nil {
		t.Fatal(err)
	}
	if code := patch(); code != 200 {
		t.Errorf("the status is %d", code)
	}
}

func TestWatchesAreCutAndVersionsExpire(t *testing.T) {
	server := Start(t)
	admin := client(t, server)
	send(t, admin, "POST", server.URL+maps, `{"metadata":{"name":"a"}}`)
	watched, err := admin.Get(server.URL + maps + "?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Body.Close()
	lines := bufio.NewReader(watched.Body)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "ADDED") {
		t.Fatal(line, err)
	}
	cut, err := server.AddFaults(Faults{CutWatches: &Fault{Resource: "configmaps"}, Expire: true})
	if err != nil || cut != 1 {
		t.Fatal(cut, err)
	}
	for err == nil {
		_, err = lines.ReadString('\n')
	}
	if err.Error() != "unexpected EOF" {
		t.Errorf("the watch ends with %v", err)
	}
	if code := send(t, admin, "GET", server.URL+maps+"?limit=1&resourceVersion=1&resourceVersionMatch=Exact", ""); code != 410 {
		t.Errorf("the list of an old version is %d", code)
	}
}

func TestClockStandsStillUntilItIsAdvanced(t *testing.T) {
	server := Start(t, "--test-clock=2026-01-01T00:00:00Z")
	now, err := server.AdvanceClock(90 * time.Minute)
	if err != nil || now.Format(time.RFC3339) != "2026-01-01T01:30:00Z" {
		t.Error(now, err)
	}
}

func TestFaultThatIsNotUnderstoodIsAnError(t *testing.T) {
	_, err := Start(t).AddFaults(Faults{Conflicts: &Fault{Resource: "boats.example.com"}})
	if err == nil || !strings.Contains(err.Error(), "no resource 'boats.example.com' is served") {
		t.Error(err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: boats, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// TestMain starts a server and nothing else where $HOLD is set: for tests that kill such a process.
func TestMain(m *testing.M) {
	if os.Getenv("HOLD") == "" {
		os.Exit(m.Run())
	}
	server, err := New()
	if err != nil {
		panic(err)
	}
	fmt.Println(server.process.Process.Pid)
	if os.Getenv("HOLD") == "exit" {
		os.Exit(3)
	}
	select {}
}

// client returns an HTTP client of the server's administrator.
func client(t *testing.T, server *Server) *http.Client {
	t.Helper()
	client, err := server.administrator()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// names returns the names of a list.
func names(t *testing.T, client *http.Client, url string) (found []string) {
	t.Helper()
	answer, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != 200 || json.Unmarshal(text, &list) != nil {
		t.Fatalf("%s: %s: %s", url, answer.Status, text)
	}
	for _, item := range list.Items {
		found = append(found, item.Metadata.Name)
	}
	return found
}

// awaitEnd waits until a process that need not be a child has ended.
func awaitEnd(t *testing.T, process string) {
	t.Helper()
	for limit := time.Now().Add(120 * time.Second); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + process + "/stat")
		if err != nil || strings.HasPrefix(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " Z") {
			return
		}
	}
	t.Errorf("process %s is still there", process)
}

// failingTB is a test whose failures are recorded.
type failingTB struct {
	*testing.T
	cleanups []func()
	text     string
	failed   bool
}

func (f *failingTB) Helper()                           {}
func (f *failingTB) Cleanup(end func())                { f.cleanups = append(f.cleanups, end) }
func (f *failingTB) Failed() bool                      { return f.failed }
func (f *failingTB) Error(values ...any)               { f.failed, f.text = true, f.text+fmt.Sprint(values...) }
func (f *failingTB) Logf(format string, values ...any) { f.text += fmt.Sprintf(format, values...) }
func (f *failingTB) Fatal(values ...any)               { f.Error(values...); panic(f) }

// outcome runs a test, with its cleanups, and returns what it says.
func outcome(t *testing.T, test func(testing.TB)) *failingTB {
	f := &failingTB{T: t}
	func() {
		defer func() {
			if reason := recover(); reason != nil && reason != any(f) {
				panic(reason)
			}
		}()
		test(f)
	}()
	for _, end := range f.cleanups {
		end()
	}
	return f
}

// program has a script stand in for fairway.
func program(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fairway")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAIRWAY", path)
}

func TestServersBesideEachOtherShareNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(file, []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	for turn := range 8 {
		t.Run(fmt.Sprint(turn), func(t *testing.T) {
			t.Parallel()
			server := Start(t, "--apply="+file)
			http := client(t, server)
			boats := server.URL + "/apis/example.com/v1/boats"
			if found := names(t, http, boats); len(found) != 0 {
				t.Errorf("%s has %v", boats, found)
			}
			boat := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Boat","metadata":{"name":"b%d"}}`, turn)
			answer, err := http.Post(boats, "application/json", strings.NewReader(boat))
			if err != nil || answer.StatusCode != 201 {
				t.Fatal(answer, err)
			}
			answer.Body.Close()
			if found := names(t, http, boats); len(found) != 1 || found[0] != fmt.Sprintf("b%d", turn) {
				t.Errorf("%s has %v", boats, found)
			}
		})
	}
}

func TestEndsWithItsTestAndLeavesNoFile(t *testing.T) {
	var server *Server
	t.Run("inner", func(t *testing.T) { server = Start(t) })
	if _, err := os.Stat(filepath.Dir(server.Kubeconfig)); !os.IsNotExist(err) {
		t.Errorf("the folder of the kubeconfig is left: %v", err)
	}
	if server.process.ProcessState == nil {
		t.Error("its end was not waited for")
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
}

func TestEndsWhenItsOwnerDoes(t *testing.T) {
	for _, how := range []string{"kill", "exit"} {
		t.Run(how, func(t *testing.T) {
			folder := t.TempDir()
			owner := exec.Command(os.Args[0])
			owner.Env = append(os.Environ(), "HOLD="+how, "TMPDIR="+folder)
			output, err := owner.StdoutPipe()
			if err != nil || owner.Start() != nil {
				t.Fatal(err)
			}
			process, err := bufio.NewReader(output).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if how == "kill" {
				owner.Process.Kill()
			}
			owner.Wait()
			awaitEnd(t, strings.TrimSpace(process))
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("%v is left (%v)", left, err)
			}
		})
	}
}

func TestOneThatEndsByItselfFailsTheTest(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // what it leaves
	f := outcome(t, func(t testing.TB) {
		server := Start(t)
		syscall.Kill(server.process.Process.Pid, syscall.SIGKILL)
	})
	if !f.failed || !strings.Contains(f.text, "the API server ended by itself (signal: killed)") {
		t.Errorf("it says %q", f.text)
	}
}

func TestErrorWithoutTheProgram(t *testing.T) {
	t.Setenv("FAIRWAY", "")
	t.Setenv("PATH", "/nowhere")
	f := outcome(t, func(t testing.TB) { Start(t) })
	if !f.failed || !regexp.MustCompile(`"fairway".* not found .*; install Fairway, or name its program by \$FAIRWAY`).MatchString(f.text) {
		t.Errorf("it says %q", f.text)
	}
}

func TestErrorHasWhatTheProgramWrote(t *testing.T) {
	f := outcome(t, func(t testing.TB) { Start(t, "--apply=/nowhere/crd.yaml") })
	wanted := regexp.MustCompile(`(?s)--apply=/nowhere/crd.yaml .*it ended before it was ready \(exit status 1\); it wrote\n` +
		`error: .*/nowhere/crd.yaml`)
	if !f.failed || !wanted.MatchString(f.text) {
		t.Errorf("it says %q", f.text)
	}
}

func TestFailedTestShowsWhatItsServerWrote(t *testing.T) {
	real, err := exec.LookPath(cmp.Or(os.Getenv("FAIRWAY"), "fairway"))
	if err != nil {
		t.Fatal(err)
	}
	program(t, `echo "a warning" >&2; exec `+real+` "$@"`)
	if f := outcome(t, func(t testing.TB) { Start(t) }); f.text != "" {
		t.Errorf("a test that passes says %q", f.text)
	}
	f := outcome(t, func(t testing.TB) {
		Start(t)
		t.Error("bad. ")
	})
	if f.text != "bad. the API server wrote\na warning\n" {
		t.Errorf("it says %q", f.text)
	}
}

func TestOneThatIsNeverReadyIsAnErrorAndEnded(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "process")
	program(t, `echo $$ >`+marker+`; exec sleep 600`)
	startLimit = 500 * time.Millisecond
	defer func() { startLimit = 60 * time.Second }()
	f := outcome(t, func(t testing.TB) { Start(t) })
	if !f.failed || !strings.Contains(f.text, "it is not ready after 500ms; it wrote\n") {
		t.Errorf("it says %q", f.text)
	}
	// On a busy machine it may have been ended before it has begun.
	if process, err := os.ReadFile(marker); err == nil && len(process) > 0 {
		awaitEnd(t, strings.TrimSpace(string(process)))
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package testserver starts a Kubernetes API server for a test: `fairway apiserver --memory`, on a free port, as a process that ends
// with the test, also if the test is killed. It needs no other package.
package testserver

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Limits of a server that hangs: others need a fraction of a second.
var startLimit, stopLimit = 60 * time.Second, 30 * time.Second

// companion is run by the server once it is ready, and the server ends with it. It tells where the kubeconfig is, and waits for the end
// of its input, which is a pipe from this process: the kernel closes it even if this process is killed.
const companion = `echo "$KUBECONFIG"; exec cat`

var serverLine = regexp.MustCompile(`(?m)^\s*server: (\S+)$`)

// Server is a running API server with its objects in memory.
type Server struct {
	URL        string // "https://127.0.0.1:43211"
	Kubeconfig string // path of the kubeconfig of an administrator (system:masters)

	process *exec.Cmd
	end     context.CancelFunc
	input   io.Closer
	log     bytes.Buffer // to be read once the process has ended
}

// Start starts a server for a test, and stops it at the test's end. The test fails if the server cannot be started, or ends before.
// Flags are those of `fairway apiserver`, such as "--apply=crd.yaml". The program is that of $FAIRWAY, or `fairway` on the PATH.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	server, err := New(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		} else if t.Failed() && server.log.Len() > 0 {
			t.Logf("the API server wrote\n%s", server.log.String())
		}
	})
	return server
}

// New starts a server for several tests, as in TestMain, and returns when it is ready.
func New(flags ...string) (*Server, error) {
	words := slices.Concat([]string{"apiserver", "--memory", "--listen=127.0.0.1:0", "--admin-key=ec", "--test-faults"}, flags,
		[]string{"--", "sh", "-c", companion})
	running, end := context.WithCancel(context.Background())
	server := &Server{process: exec.CommandContext(running, cmp.Or(os.Getenv("FAIRWAY"), "fairway"), words...), end: end}
	server.process.Cancel = func() error { return server.process.Process.Signal(syscall.SIGTERM) }
	server.process.WaitDelay = stopLimit
	// Ctrl-C is for the tests alone, which still need the server to clean up.
	server.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	server.process.Stderr = &server.log
	input, inputErr := server.process.StdinPipe()
	output, outputErr := server.process.StdoutPipe()
	server.input = input
	if err := cmp.Or(inputErr, outputErr, server.process.Start()); err != nil {
		return nil, fmt.Errorf("starting an API server: %w; install Fairway, or name its program by $FAIRWAY", err)
	}
	late := time.AfterFunc(startLimit, end)
	line, _ := bufio.NewReader(output).ReadString('\n')
	inTime := late.Stop()
	server.Kubeconfig = strings.TrimSuffix(line, "\n")
	config, _ := os.ReadFile(server.Kubeconfig)
	if found := serverLine.FindSubmatch(config); found != nil {
		server.URL = string(found[1])
		return server, nil
	}
	server.Stop()
	if !inTime {
		return nil, fmt.Errorf("starting %s: it is not ready after %v; it wrote\n%s", server.process, startLimit, &server.log)
	}
	return nil, fmt.Errorf("starting %s: it ended before it was ready (%v); it wrote\n%s", server.process, server.process.ProcessState,
		&server.log)
}

// Stop stops the server and waits for its end; again it does nothing. It returns an error, with what the server wrote, if that had
// ended by itself.
func (s *Server) Stop() error {
	if s.process.ProcessState != nil {
		return nil
	}
	s.end()
	s.input.Close()
	s.process.Wait()
	// The status is the companion's, which ended with its input or by the signal that the server passed on.
	status := s.process.ProcessState.Sys().(syscall.WaitStatus)
	if status.ExitStatus() == 0 || status.ExitStatus() == 128+int(syscall.SIGTERM) || status.Signal() == syscall.SIGTERM {
		return nil
	}
	return fmt.Errorf("the API server ended by itself (%v); it wrote\n%s", s.process.ProcessState, s.log.String())
}

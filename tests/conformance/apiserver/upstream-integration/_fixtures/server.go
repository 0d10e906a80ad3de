// SPDX-License-Identifier: Apache-2.0

// Package fixtures is what the integration tests of k8s.io/apiextensions-apiserver start their server with, with `fairway
// apiserver` in place of theirs: a new one, in memory, for each test. run.sh puts it in the place of their server.go.
package fixtures

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	serveroptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Their server has no namespaces: objects may be created in any.
var namespaces = []string{"not-the-default", "test", "ns1", "ns2", "namespace-1", "namespace-2"}

// What these ask of a server is not to be had over HTTP.
var impossible = map[string]string{
	"TestCustomResourceDefaultingOfMetaFields": "it writes to etcd",
	"TestInvalidObjectMetaInStorage":           "it writes to etcd",
	"TestEtcdStorage":                          "it reads etcd",
}

type skipper interface {
	Name() string
	Skip(arguments ...any)
}

func skip(t servertesting.Logger, why string) {
	if test, is := t.(skipper); is {
		test.Skip(why)
	}
}

// start gives the configuration of a client of a new server, and what ends it.
func start(t servertesting.Logger, flags ...string) (func(), *rest.Config, error) {
	if test, is := t.(skipper); is {
		if why, there := impossible[strings.Split(test.Name(), "/")[0]]; there {
			test.Skip(why)
		}
	}
	for _, flag := range flags {
		// It has no other effect that a client may see.
		if !strings.HasPrefix(flag, "--watch-cache=") {
			skip(t, "it starts kube-apiserver with "+flag)
		}
	}
	program := os.Getenv("FAIRWAY")
	if program == "" {
		return nil, nil, errors.New("$FAIRWAY names no program")
	}
	// The command runs once the server answers. It ends with its input, and the server with it.
	command := exec.Command(program, "apiserver", "--memory", "--listen", "127.0.0.1:0", "--log-level", "error", "--",
		"sh", "-c", `echo "$KUBECONFIG"; cat >/dev/null`)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, err
	}
	end := func() {
		input.Close()
		command.Wait()
	}
	kubeconfig, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		end()
		return nil, nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(kubeconfig))
	if err != nil {
		end()
		return nil, nil, err
	}
	// As their own server has it.
	config.QPS, config.Burst = 1000, 10000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		end()
		return nil, nil, err
	}
	for _, name := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		_, err := client.CoreV1().Namespaces().Create(context.Background(), namespace, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			end()
			return nil, nil, err
		}
	}
	return end, config, nil
}

// StartDefaultServer starts a server.
func StartDefaultServer(t servertesting.Logger, flags ...string) (func(), *rest.Config, *serveroptions.CustomResourceDefinitionsServerOptions, error) {
	end, config, err := start(t, flags...)
	return end, config, nil, err
}

// StartDefaultServerWithConfigAccess is for tests that look into the server.
func StartDefaultServerWithConfigAccess(t servertesting.Logger, _ ...string) (func(), *rest.Config, apiserver.CompletedConfig, error) {
	skip(t, "it looks into the server's storage")
	return nil, nil, apiserver.CompletedConfig{}, errors.New("there is nothing to look into")
}

// StartDefaultServerWithClients starts a server and returns clients of it.
func StartDefaultServerWithClients(t servertesting.Logger, flags ...string) (func(), clientset.Interface, dynamic.Interface, error) {
	end, config, err := start(t, flags...)
	if err != nil {
		return nil, nil, nil, err
	}
	extensions, err := clientset.NewForConfig(config)
	if err != nil {
		end()
		return nil, nil, nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		end()
		return nil, nil, nil, err
	}
	return end, extensions, objects, nil
}

// StartDefaultServerWithClientsAndEtcd is for tests that write to etcd.
func StartDefaultServerWithClientsAndEtcd(t servertesting.Logger, _ ...string) (func(), clientset.Interface, dynamic.Interface, *clientv3.Client, string, error) {
	skip(t, "it writes to etcd")
	return nil, nil, nil, nil, "", errors.New("there is no etcd")
}

// IntegrationEtcdServers is asked only by what is skipped.
func IntegrationEtcdServers() []string {
	return nil
}

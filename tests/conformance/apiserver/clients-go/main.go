// SPDX-License-Identifier: Apache-2.0

// What programs written with client-go do to an API server: typed clients, which send protobuf, the dynamic and the metadata
// client, shared informers, leader election. $KUBECONFIG names the server. Each check prints a line; the last line counts.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	space   = "clients-go"
	manager = "clients-go"
	// Only a server that hangs needs it.
	limit = time.Minute
)

// suite has what all checks use.
type suite struct {
	config   *rest.Config
	typed    kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

type check struct {
	name string
	run  func(context.Context, *suite) error
}

func newSuite() (*suite, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	s := &suite{config: config}
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if s.metadata, err = metadata.NewForConfig(config); err != nil {
		return nil, err
	}
	// As kubectl and kube-controller-manager are.
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = runtime.ContentTypeProtobuf
	protobuf.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	s.typed, err = kubernetes.NewForConfig(protobuf)
	return s, err
}

// expect makes an error of what does not hold.
func expect(holds bool, format string, arguments ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, arguments...)
}

// refused says whether an error is the one that is wanted.
func refused(err error, is func(error) bool) error {
	if err == nil {
		return errors.New("an error was expected")
	}
	return expect(is(err), "another error: %v", err)
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

func main() {
	s, err := newSuite()
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	version, err := s.typed.Discovery().ServerVersion()
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("client-go with a server that calls itself", version.GitVersion)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}
	if _, err := s.typed.CoreV1().Namespaces().Create(context.Background(), namespace, metav1.CreateOptions{}); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	passed, failed := 0, 0
	for _, one := range []check{
		{"typed objects", typedObjects},
		{"deployments with status and scale", deployments},
		{"server-side apply with apply configurations", applies},
		{"pages of a pager", pages},
		{"conflicts that are retried", conflicts},
		{"tokens, reviews and events", reviews},
		{"discovery and OpenAPI", discovers},
		{"shared informers", informers},
		{"informers of metadata", metadataInformers},
		{"definitions and the dynamic client", customResources},
		{"watches that wait for a condition", waits},
		{"leader election", elections},
	} {
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
	fmt.Printf("clients-go: %d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}

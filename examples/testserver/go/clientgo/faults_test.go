// SPDX-License-Identifier: Apache-2.0

package clientgo

import (
	"testing"

	testserver "github.com/fairway/fairway/examples/testserver/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

func TestClientsLiveWithFaults(t *testing.T) {
	t.Parallel()
	server := testserver.Start(t)
	config, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	secrets := kubernetes.NewForConfigOrDie(config).CoreV1().Secrets("default")
	seen := make(chan string, 100)
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	factory.Core().V1().Secrets().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { seen <- object.(*corev1.Secret).Name },
	})
	factory.Start(t.Context().Done())
	create := func(name string) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := secrets.Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create("a")
	if first := <-seen; first != "a" {
		t.Errorf("the first secret is %s", first)
	}

	// The informer comes back with a version that is too old, and lists again.
	cut := 0
	for cut == 0 { // it may be about to watch
		cut, err = server.AddFaults(testserver.Faults{Expire: true, CutWatches: &testserver.Fault{Resource: "secrets"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	create("b")
	if second := <-seen; second != "b" {
		t.Errorf("the second secret is %s", second)
	}

	if _, err := server.AddFaults(testserver.Faults{Conflicts: &testserver.Fault{Resource: "secrets", Count: 2}}); err != nil {
		t.Fatal(err)
	}
	attempts := 0
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		attempts++
		secret, err := secrets.Get(t.Context(), "a", metav1.GetOptions{})
		if err == nil {
			secret.StringData = map[string]string{"key": "value"}
			_, err = secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
		}
		return err
	})
	if err != nil || attempts != 3 {
		t.Errorf("an update took %d attempts, and ended with %v", attempts, err)
	}
}

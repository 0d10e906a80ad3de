// SPDX-License-Identifier: Apache-2.0

package clientgo

import (
	"fmt"
	"testing"

	testserver "github.com/fairway/fairway/examples/testserver/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Tests beside each other see only the objects of their own server.
func TestInformersSeeTheirOwnServer(t *testing.T) {
	for turn := range 4 {
		t.Run(fmt.Sprint(turn), func(t *testing.T) {
			t.Parallel()
			config, err := clientcmd.BuildConfigFromFlags("", testserver.Start(t).Kubeconfig)
			if err != nil {
				t.Fatal(err)
			}
			client := kubernetes.NewForConfigOrDie(config)
			seen := make(chan string, 100)
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("kube-public"))
			factory.Core().V1().Secrets().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
				AddFunc: func(object any) { seen <- object.(*corev1.Secret).Name },
			})
			factory.Start(t.Context().Done())
			name := fmt.Sprintf("secret-%d", turn)
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}
			if _, err := client.CoreV1().Secrets("kube-public").Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if first := <-seen; first != name {
				t.Errorf("the first secret is %s, not %s", first, name)
			}
		})
	}
}

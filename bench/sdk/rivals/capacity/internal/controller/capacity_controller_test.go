// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	capacityv1 "example.com/capacity/api/v1"
)

var _ = Describe("Capacity", func() {
	var stop context.CancelFunc
	var ended chan struct{}
	var namespace string

	BeforeEach(func() {
		made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "capacity-"}}
		Expect(k8sClient.Create(ctx, made)).To(Succeed())
		namespace = made.Name
		again := true // a manager for each test
		manager, err := ctrl.NewManager(cfg, ctrl.Options{
			Scheme:     scheme.Scheme,
			Metrics:    metricsserver.Options{BindAddress: "0"},
			Controller: config.Controller{SkipNameValidation: &again},
		})
		Expect(err).NotTo(HaveOccurred())
		reconciler := &CapacityReconciler{Client: manager.GetClient(), Scheme: manager.GetScheme()}
		Expect(reconciler.SetupWithManager(manager)).To(Succeed())
		var running context.Context
		running, stop = context.WithCancel(ctx)
		ended = make(chan struct{})
		go func() {
			defer GinkgoRecover()
			defer close(ended)
			Expect(manager.Start(running)).To(Succeed())
		}()
	})
	AfterEach(func() {
		stop()
		<-ended
	})

	create := func(replicas int32) {
		object := &capacityv1.Capacity{
			ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: namespace},
			Spec:       capacityv1.CapacitySpec{Replicas: &replicas},
		}
		Expect(k8sClient.Create(ctx, object)).To(Succeed())
	}
	settings := func() *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one-settings", Namespace: namespace}}
	}
	replicasInSettings := func() string {
		found := settings()
		if k8sClient.Get(ctx, client.ObjectKeyFromObject(found), found) != nil {
			return ""
		}
		return found.Data["replicas"]
	}
	ready := func() string {
		object := &capacityv1.Capacity{}
		if k8sClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "one"}, object) != nil {
			return ""
		}
		condition := meta.FindStatusCondition(object.Status.Conditions, "Ready")
		if condition == nil {
			return ""
		}
		return string(condition.Status) + " " + condition.Reason + ": " + condition.Message
	}
	eventually := func(function func() string) AsyncAssertion {
		return Eventually(function).WithTimeout(20 * time.Second).WithPolling(2 * time.Millisecond)
	}

	It("keeps the settings as the object asks", func() {
		create(3)
		eventually(replicasInSettings).Should(Equal("3"))
		eventually(ready).Should(Equal("True SettingsApplied: the settings are in " + namespace + "/one-settings"))
		object := &capacityv1.Capacity{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: namespace}}
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":5}}`))
		Expect(k8sClient.Patch(ctx, object, patch)).To(Succeed())
		eventually(replicasInSettings).Should(Equal("5"))
	})

	It("restores settings that somebody deletes", func() {
		create(3)
		eventually(replicasInSettings).Should(Equal("3"))
		Expect(k8sClient.Delete(ctx, settings())).To(Succeed())
		eventually(replicasInSettings).Should(Equal("3"))
	})

	It("names who holds the settings, and tries again", func() {
		held := settings()
		held.Data = map[string]string{"replicas": "9"}
		Expect(k8sClient.Create(ctx, held, client.FieldOwner("jane"))).To(Succeed())
		create(3)
		eventually(ready).Should(And(HavePrefix("False SettingsRefused: "), ContainSubstring("jane")))
		Expect(replicasInSettings()).To(Equal("9"))
		Expect(k8sClient.Delete(ctx, held)).To(Succeed())
		eventually(replicasInSettings).Should(Equal("3"))
		eventually(ready).Should(HavePrefix("True SettingsApplied: "))
	})
})

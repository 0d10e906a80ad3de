// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	watchtools "k8s.io/client-go/tools/watch"
)

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	gliders     = schema.GroupVersionResource{Group: "go.example.com", Version: "v1", Resource: "gliders"}
)

// told collects what a handler is told of objects whose names begin with a word.
func told(word string) (cache.ResourceEventHandler, <-chan string) {
	events := make(chan string, 100)
	say := func(what string, object any) {
		if gone, unknown := object.(cache.DeletedFinalStateUnknown); unknown {
			object = gone.Obj
		}
		accessor, err := meta.Accessor(object)
		if err == nil && len(accessor.GetName()) >= len(word) && accessor.GetName()[:len(word)] == word {
			events <- what + " " + accessor.GetName()
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { say("added", object) },
		UpdateFunc: func(_, object any) { say("updated", object) },
		DeleteFunc: func(object any) { say("deleted", object) },
	}, events
}

func await(ctx context.Context, events <-chan string, wanted ...string) error {
	for _, one := range wanted {
		select {
		case event := <-events:
			if event != one {
				return fmt.Errorf("%q was told in place of %q", event, one)
			}
		case <-ctx.Done():
			return fmt.Errorf("%q was not told: %w", one, ctx.Err())
		}
	}
	return nil
}

func informers(ctx context.Context, s *suite) error {
	maps := s.typed.CoreV1().ConfigMaps(space)
	if _, err := maps.Create(ctx, configMap("informed-first", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := kubeinformers.NewSharedInformerFactoryWithOptions(s.typed, 0, kubeinformers.WithNamespace(space))
	informer := factory.Core().V1().ConfigMaps()
	handler, events := told("informed-")
	if _, err := informer.Informer().AddEventHandler(handler); err != nil {
		return err
	}
	// A second informer of the factory, of objects that there are none of.
	leases := factory.Coordination().V1().Leases().Lister()
	stop := make(chan struct{})
	defer factory.Shutdown()
	defer close(stop)
	factory.Start(stop)
	for what, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v is not synced", what)
		}
	}
	if err := await(ctx, events, "added informed-first"); err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("informed-second", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := maps.Patch(ctx, "informed-second", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "informed-first", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := await(ctx, events, "added informed-second", "updated informed-second", "deleted informed-first"); err != nil {
		return err
	}
	cached, err := informer.Lister().ConfigMaps(space).Get("informed-second")
	if err != nil {
		return err
	}
	if _, err := leases.Leases(space).Get("none"); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a lease that is not there: %v", err)
	}
	return expect(cached.Data["a"] == "b", "the store has %v", cached.Data)
}

func metadataInformers(ctx context.Context, s *suite) error {
	factory := metadatainformer.NewFilteredSharedInformerFactory(s.metadata, 0, space, func(options *metav1.ListOptions) {
		options.LabelSelector = "metadata=only"
	})
	informer := factory.ForResource(configMaps).Informer()
	handler, events := told("")
	if _, err := informer.AddEventHandler(handler); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer factory.Shutdown()
	defer close(stop)
	factory.Start(stop)
	factory.WaitForCacheSync(ctx.Done())
	maps := s.typed.CoreV1().ConfigMaps(space)
	one := configMap("metadata", map[string]string{"metadata": "only"})
	if _, err := maps.Create(ctx, one, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := await(ctx, events, "added metadata"); err != nil {
		return err
	}
	// Without the label it is gone for those who select by it.
	if _, err := maps.Patch(ctx, "metadata", types.MergePatchType, []byte(`{"metadata":{"labels":null}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	return await(ctx, events, "deleted metadata")
}

func definition() *unstructured.Unstructured {
	text := map[string]any{"type": "string"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gliders.go.example.com"},
		"spec": map[string]any{
			"group": "go.example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "gliders", "kind": "Glider"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": map[string]any{
						"type": "object", "properties": map[string]any{"wings": text},
						"x-kubernetes-validations": []any{map[string]any{
							"rule": "self.wings != 'none'", "message": "it would fall"}},
					}},
				}},
			}},
		},
	}}
}

func established(event watch.Event) (bool, error) {
	object, is := event.Object.(*unstructured.Unstructured)
	if !is {
		return false, fmt.Errorf("%T", event.Object)
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		if condition["type"] == "Established" && condition["status"] == "True" {
			return true, nil
		}
	}
	return false, nil
}

func customResources(ctx context.Context, s *suite) error {
	crds := s.dynamic.Resource(definitions)
	if _, err := crds.Create(ctx, definition(), metav1.CreateOptions{}); err != nil {
		return err
	}
	byName := fields.OneTermEqualSelector("metadata.name", "gliders.go.example.com").String()
	lister := &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = byName
			return crds.List(ctx, options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = byName
			return crds.Watch(ctx, options)
		},
	}
	if _, err := watchtools.UntilWithSync(ctx, lister, &unstructured.Unstructured{}, nil, established); err != nil {
		return err
	}
	objects := s.dynamic.Resource(gliders).Namespace(space)
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.dynamic, 0, space, nil)
	handler, events := told("")
	if _, err := factory.ForResource(gliders).Informer().AddEventHandler(handler); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer factory.Shutdown()
	defer close(stop)
	factory.Start(stop)
	factory.WaitForCacheSync(ctx.Done())
	glider := func(name, wings string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "go.example.com/v1", "kind": "Glider", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"wings": wings}}}
	}
	_, err := objects.Create(ctx, glider("falls", "none"), metav1.CreateOptions{})
	if err := refused(err, apierrors.IsInvalid); err != nil {
		return err
	}
	if _, err := objects.Create(ctx, glider("flies", "two"), metav1.CreateOptions{}); err != nil {
		return err
	}
	applied, err := objects.Apply(ctx, "flies", glider("flies", "four"), metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return err
	}
	if err := expect(applied.GetGeneration() == 2, "generation %d", applied.GetGeneration()); err != nil {
		return err
	}
	if err := objects.Delete(ctx, "flies", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := await(ctx, events, "added flies", "updated flies", "deleted flies"); err != nil {
		return err
	}
	return crds.Delete(ctx, "gliders.go.example.com", metav1.DeleteOptions{})
}

// waits follows a watch from a version, over bookmarks, until an object is as it is to be.
func waits(ctx context.Context, s *suite) error {
	maps := s.typed.CoreV1().ConfigMaps(space)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watcher := &cache.ListWatch{WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
		return maps.Watch(ctx, options)
	}}
	if _, err := maps.Create(ctx, configMap("awaited", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := maps.Patch(ctx, "awaited", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	last, err := watchtools.Until(ctx, list.ResourceVersion, watcher, func(event watch.Event) (bool, error) {
		one, is := event.Object.(*corev1.ConfigMap)
		return is && one.Name == "awaited" && one.Data["a"] == "b", nil
	})
	if err != nil {
		return err
	}
	return expect(last.Type == watch.Modified, "%v", last.Type)
}

// elections has two candidates for one Lease; the second one leads when the first one gives it back.
func elections(ctx context.Context, s *suite) error {
	leading := make(chan string, 10)
	start := func(name string) (context.CancelFunc, <-chan struct{}, error) {
		own, cancel := context.WithCancel(ctx)
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: space, Name: "election"},
				Client:     s.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			},
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 100 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leading <- name },
				OnStoppedLeading: func() {},
			},
		})
		if err != nil {
			cancel()
			return nil, nil, err
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			elector.Run(own)
		}()
		return cancel, done, nil
	}
	endFirst, firstDone, err := start("first")
	if err != nil {
		return err
	}
	defer endFirst()
	if err := await(ctx, leading, "first"); err != nil {
		return err
	}
	endSecond, secondDone, err := start("second")
	if err != nil {
		return err
	}
	defer endSecond()
	endFirst()
	<-firstDone
	if err := await(ctx, leading, "second"); err != nil {
		return err
	}
	var lease *coordinationv1.Lease
	if lease, err = s.typed.CoordinationV1().Leases(space).Get(ctx, "election", metav1.GetOptions{}); err != nil {
		return err
	}
	if err := expect(*lease.Spec.HolderIdentity == "second" && *lease.Spec.LeaseTransitions >= 1, "%v", lease.Spec); err != nil {
		return err
	}
	endSecond()
	select {
	case <-secondDone:
		return nil
	case <-ctx.Done():
		return errors.New("the second candidate does not end")
	}
}

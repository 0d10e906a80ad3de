// SPDX-License-Identifier: Apache-2.0

// The rival of bench/informer: client-go's shared informer over the same ConfigMaps, and its pager.
//
// main sync URL COUNT prints what `bench_informer sync` prints: milliseconds until a handler was told of all objects,
// and the process's memory then and at most, in KiB. main list URL COUNT prints the same of a list in pages of 500.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
)

// kib reads a field of /proc/self/status, in KiB.
func kib(field string) string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "0"
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, field+":") {
			return strings.Fields(line)[1]
		}
	}
	return "0"
}

// report prints the figures. Garbage is collected by and by.
func report(took time.Duration) {
	time.Sleep(2 * time.Second)
	fmt.Printf("%.3f %s %s\n", float64(took.Microseconds())/1000, kib("VmRSS"), kib("VmHWM"))
}

// list reads all objects, page by page, and keeps none.
func list(client kubernetes.Interface, count int64) {
	began := time.Now()
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().ConfigMaps("").List(ctx, options)
	})
	var seen int64
	if err := pages.EachListItem(context.Background(), metav1.ListOptions{}, func(runtime.Object) error {
		seen++
		return nil
	}); err != nil {
		panic(err)
	}
	report(time.Since(began))
	if seen != count {
		os.Exit(1)
	}
}

func main() {
	count, err := strconv.ParseInt(os.Args[3], 10, 64)
	if err != nil {
		panic(err)
	}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: os.Args[2], QPS: -1})
	if err != nil {
		panic(err)
	}
	if os.Args[1] == "list" {
		list(client, count)
		return
	}
	began := time.Now()
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	// Ours leaves managedFields out by itself.
	if err := informer.SetTransform(func(object any) (any, error) {
		if accessor, err := meta.Accessor(object); err == nil {
			accessor.SetManagedFields(nil)
		}
		return object, nil
	}); err != nil {
		panic(err)
	}
	var told atomic.Int64
	done := make(chan struct{})
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
		if told.Add(1) == count {
			close(done)
		}
	}}); err != nil {
		panic(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		fmt.Fprintln(os.Stderr, "error: not all objects came")
		os.Exit(1)
	}
	report(time.Since(began))
	if int64(len(informer.GetStore().List())) != count {
		os.Exit(1)
	}
}

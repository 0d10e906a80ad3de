// SPDX-License-Identifier: Apache-2.0

// typed measures what a typed client of client-go has of answers in JSON and in protobuf: lists of the 10,000 ConfigMaps that
// `bench_apiserver fill` makes, and watches that begin with all of them.
//
// usage: typed PORT IDENTITY PID...
//
// It prints for lists, then for watches, in JSON and then in protobuf: milliseconds (the median), and milliseconds of the processor that
// the client and the servers (PID...) took for one.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	namespace = "listed"
	objects   = 10_000
	times     = 7
	// Of user and system time in /proc.
	ticksPerSecond = 100
)

// ownCPU returns what this process took of the processor.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// cpuOf returns what processes took of the processor.
func cpuOf(processes []string) time.Duration {
	ticks := 0
	for _, process := range processes {
		stat, err := os.ReadFile("/proc/" + process + "/stat")
		if err != nil {
			log.Fatal(err)
		}
		// After the name in parentheses: the state, ten others, and then both times.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		for _, field := range fields[11:13] {
			n, err := strconv.Atoi(field)
			if err != nil {
				log.Fatal(err)
			}
			ticks += n
		}
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

func list(clients *kubernetes.Clientset) error {
	found, err := clients.CoreV1().ConfigMaps(namespace).List(context.Background(), metav1.ListOptions{})
	if err == nil && len(found.Items) < objects {
		err = fmt.Errorf("a list has %d objects only", len(found.Items))
	}
	return err
}

func watch(clients *kubernetes.Clientset) error {
	stream, err := clients.CoreV1().ConfigMaps(namespace).Watch(context.Background(), metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	defer stream.Stop()
	for n := range objects {
		event, open := <-stream.ResultChan()
		if !open || event.Type != "ADDED" {
			return fmt.Errorf("a watch has ended after %d objects: %v", n, event.Object)
		}
	}
	return nil
}

func measure(clients *kubernetes.Clientset, processes []string, do func(*kubernetes.Clientset) error) {
	var took []time.Duration
	// The first one may have to make what is kept.
	if err := do(clients); err != nil {
		log.Fatal(err)
	}
	own, servers := ownCPU(), cpuOf(processes)
	for range times {
		begin := time.Now()
		if err := do(clients); err != nil {
			log.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Printf("%.1f %.1f %.1f ", milliseconds(took[times/2]), milliseconds(ownCPU()-own)/times, milliseconds(cpuOf(processes)-servers)/times)
}

func main() {
	if len(os.Args) < 4 {
		log.Fatal("usage: typed PORT IDENTITY PID...")
	}
	for _, do := range []func(*kubernetes.Clientset) error{list, watch} {
		for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
			clients, err := kubernetes.NewForConfig(&rest.Config{
				Host: "https://127.0.0.1:" + os.Args[1],
				// Of both servers the same version of HTTP.
				TLSClientConfig: rest.TLSClientConfig{Insecure: true, CertFile: os.Args[2], KeyFile: os.Args[2], NextProtos: []string{"http/1.1"}},
				ContentConfig:   rest.ContentConfig{ContentType: contentType, AcceptContentTypes: contentType},
				QPS:             -1,
			})
			if err != nil {
				log.Fatal(err)
			}
			measure(clients, os.Args[3:], do)
		}
	}
	fmt.Println()
}

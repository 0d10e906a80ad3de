// SPDX-License-Identifier: Apache-2.0

// A candidate for leadership by client-go, which Fairway's are raced against (../candidate.h has what it says): it stands for
// election, leads at most once, and ends when it does not lead any more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// now is CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share; Go's own is the process's.
func now() int64 {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &at); err != nil {
		fail(err)
	}
	return at.Nano()
}

func say(at int64, what string) {
	fmt.Printf("%d %s\n", at, what)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

// lock says when the lease was written in our name, and lets it be released only by who was asked to give up. client-go's release
// reads the lease and writes over what it has read, but whether it may goes by what it saw before that: a process that lost the
// lease while it could not renew it would empty that of whoever holds it by then.
type lock struct {
	resourcelock.Interface
	leads, asked atomic.Bool
}

func (l *lock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(record, func() error { return l.Interface.Create(ctx, record) })
}

func (l *lock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(record, func() error { return l.Interface.Update(ctx, record) })
}

func (l *lock) write(record resourcelock.LeaderElectionRecord, send func() error) error {
	if record.HolderIdentity == "" {
		if !l.asked.Load() {
			return errors.New("nobody has asked this process to give up")
		}
		return send()
	}
	sent := now()
	err := send()
	if err == nil && !l.asked.Load() {
		say(sent, "holds")
	}
	return err
}

// end says that this process leads no more, once.
func (l *lock) end() {
	if l.leads.CompareAndSwap(true, false) {
		say(now(), "ends")
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file")
	namespace := flag.String("namespace", "", "of the Lease")
	name := flag.String("name", "", "of the Lease")
	identity := flag.String("identity", "", "who this process is")
	duration := flag.Duration("lease-duration", 15*time.Second, "how long others wait")
	deadline := flag.Duration("renew-deadline", 10*time.Second, "how long it tries to renew")
	retry := flag.Duration("retry-period", 2*time.Second, "between attempts")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err)
	}
	inner, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, *namespace, *name,
		resourcelock.ResourceLockConfig{Identity: *identity}, config, *deadline)
	if err != nil {
		fail(err)
	}
	ours := &lock{Interface: inner}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            ours,
		LeaseDuration:   *duration,
		RenewDeadline:   *deadline,
		RetryPeriod:     *retry,
		ReleaseOnCancel: true,
		Name:            *name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				ours.leads.Store(true)
				say(now(), "leads")
			},
			OnStoppedLeading: ours.end,
			OnNewLeader: func(leader string) {
				if leader != "" && leader != *identity {
					say(now(), "sees "+leader)
				}
			},
		},
	})
	if err != nil {
		fail(err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go func() {
		<-asked
		// client-go wants what the lease guards to have ended before: the lease is free before OnStoppedLeading is called.
		ours.asked.Store(true)
		ours.end()
		cancel()
	}()
	say(now(), "stands")
	elector.Run(ctx)
	if !ours.asked.Load() {
		os.Exit(3)
	}
}

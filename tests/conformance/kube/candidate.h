// SPDX-License-Identifier: Apache-2.0

// A candidate for leadership by Fairway's `kube`, as a process of its own that can be killed and stopped.
// That of client-go, client-go-candidate/main.go, says the same.
#pragma once

#include <string>
#include <vector>

namespace fairway::conformance {

/// Stands for election, leads at most once, and ends when it does not lead any more: with 0 if SIGTERM
/// asked it to give up (the lease is released), with 3 if it has lost its leadership.
///
/// Lines on standard output are "NANOSECONDS WORD ...", the time being CLOCK_MONOTONIC:
///   stands           it asks for the lease from now on
///   sees IDENTITY    another holds the lease
///   holds            the lease has been written in its name; the time is that before the write was sent
///   leads            the work of the leader has begun
///   ends             that work has ended, and the process does not consider itself the leader any more
///   woke leads       (or "woke follows"; Fairway's only) it was suspended for a second or more: the role
///                    that it believes to have at the first check after that
///
/// `arguments`: kubeconfig, namespace and name of the Lease, identity, duration, renew deadline, retry
/// period.
int run_candidate(const std::vector<std::string>& arguments);

}  // namespace fairway::conformance

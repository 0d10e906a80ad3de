// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/io_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace fairway::http {
namespace {

/// sched_setattr(2); the C library of Debian 12 declares neither the call nor its argument.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;  // SCHED_OTHER
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t slice = 0;  // nanoseconds
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// The shortest slice that the scheduler grants.
constexpr std::uint64_t slice_nanoseconds = 100'000;

}  // namespace

void prepare_io_thread() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 || attributes.policy != 0)
    return;
  attributes.size = sizeof attributes;
  attributes.flags = 0;
  attributes.slice = slice_nanoseconds;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);  // refused by older kernels: they have one slice for all
}

}  // namespace fairway::http

// SPDX-License-Identifier: Apache-2.0

#include "command_line/stop_signals.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace fairway::command_line {

StopSignals::StopSignals(std::function<void()> on_hangup) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (on_hangup) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  waiter_ = std::jthread([source = source_, signals, on_hangup = std::move(on_hangup)]() mutable {
    for (;;) {
      int number = 0;
      if (sigwait(&signals, &number) != 0) continue;
      if (number != SIGHUP) break;
      on_hangup();
    }
    source.request_stop();
  });
}

StopSignals::~StopSignals() {
  const bool came = source_.stop_requested();
  // Ends its wait if no signal came.
  pthread_kill(waiter_.native_handle(), SIGINT);
  waiter_.join();
  // If one came, more of them must not end the process while it stops.
  if (!came) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace fairway::command_line

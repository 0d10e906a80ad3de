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
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
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
  // Ends its wait if no signal came; the signals stay blocked, since no thread waits for them.
  pthread_kill(waiter_.native_handle(), SIGINT);
}

}  // namespace fairway::command_line

#include "command_line/stop_signals.h"

#include <pthread.h>

#include <csignal>

namespace fairway::command_line {

StopSignals::StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  waiter_ = std::jthread([source = source_, signals]() mutable {
    int number = 0;
    while (sigwait(&signals, &number) != 0) {
    }
    source.request_stop();
  });
}

StopSignals::~StopSignals() {
  // Ends its wait if no signal came; the signals stay blocked, since no thread waits for them.
  pthread_kill(waiter_.native_handle(), SIGINT);
}

}  // namespace fairway::command_line

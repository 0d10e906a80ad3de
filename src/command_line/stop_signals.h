// Ctrl-C as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace fairway::cli {

/// From its making on, SIGINT and SIGTERM ask for `token()` to stop, and end nothing by themselves. Make it
/// before any thread is started: only those that are started later leave the signals to it.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread waiter_;
};

}  // namespace fairway::cli

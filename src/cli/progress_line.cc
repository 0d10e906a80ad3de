// SPDX-License-Identifier: Apache-2.0

#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/text.h"

namespace fairway::cli {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(const Clock& clock, std::chrono::seconds lines_every)
    : clock_(clock),
      terminal_(isatty(STDERR_FILENO) != 0),
      lines_every_(lines_every),
      last_(clock.steady()) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

sources::Progress ProgressLine::callback() {
  if (!terminal_ && lines_every_ == 0s) return {};
  return [this](std::string_view what, std::size_t done, std::size_t total) { show(what, done, total); };
}

void ProgressLine::say(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  std::fprintf(stderr, shown_ && terminal_ ? "\r%s\x1b[K\n" : "%s\n", printable(text, 1'000).c_str());
}

void ProgressLine::show(std::string_view what, std::size_t done, std::size_t total) {
  const std::scoped_lock lock(mutex_);
  const SteadyTime now = clock_.steady();
  const std::chrono::nanoseconds pause = terminal_ ? std::chrono::nanoseconds(100ms) : lines_every_;
  if ((shown_ || !terminal_) && now - last_ < pause) return;  // a log has no line of what is done at once
  last_ = now;
  shown_ = true;
  std::string line = printable(what, 60) + ": " + std::to_string(done);
  if (total != 0) line += " of " + std::to_string(total);
  std::fprintf(stderr, terminal_ ? "\r%s\x1b[K" : "%s\n", line.c_str());
}

}  // namespace fairway::cli

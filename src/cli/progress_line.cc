#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/text.h"

namespace fairway::cli {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

updateservice::Progress ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](std::string_view what, std::size_t done, std::size_t total) { show(what, done, total); };
}

void ProgressLine::show(std::string_view what, std::size_t done, std::size_t total) {
  using namespace std::chrono_literals;
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < 100ms) return;
  last_ = now;
  shown_ = true;
  std::string line = printable(what, 60) + ": " + std::to_string(done);
  if (total != 0) line += " of " + std::to_string(total);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
}

}  // namespace fairway::cli

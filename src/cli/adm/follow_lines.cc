// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/follow_lines.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "cli/adm/cluster.h"
#include "command_line/terminal.h"

namespace fairway::cli {
namespace {

constexpr std::size_t usual_width = 80, least_width = 20;

bool can_rewrite() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

/// Returns the number of columns of the terminal.
std::size_t width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < least_width) return usual_width;
  return size.ws_col;
}

}  // namespace

FollowLines::FollowLines(std::string output) : output_(std::move(output)) {
  rewrites_ = output_ != "json" && output_ != "yaml" && can_rewrite();
}

FollowLines::~FollowLines() {
  clear();
}

void FollowLines::show(const adm::FollowTarget& target, const adm::FollowStep& step, WallTime now) {
  if (step == last_) return;
  last_ = step;
  if (output_ == "json" || output_ == "yaml") {
    print_document(output_, adm::document_of(target, step, now), true);
  } else if (rewrites_ && !step.has_ended()) {
    rewrite();
  } else if (!step.has_failed()) {  // a failure is told as an error
    clear();
    std::string line = printable(adm::line_of(step), std::string::npos);
    command_line::print((rewrites_ ? line : format_time(now) + " " + line) + "\n");
  }
  std::fflush(stdout);  // a file or pipe, too, gets each line at once
}

void FollowLines::rewrite() {
  // The last column stays free: a full line would wrap.
  const std::string line = cut_text(printable(adm::short_line_of(last_), std::string::npos), width() - 1);
  command_line::print("\r" + line + "\x1b[K");
  shown_ = true;
}

void FollowLines::warn(std::string_view text) {
  const bool was_shown = shown_;
  clear();
  command_line::warn(printable(text, 1'000));
  if (!was_shown) return;
  rewrite();
  std::fflush(stdout);
}

void FollowLines::clear() {
  if (!std::exchange(shown_, false)) return;
  command_line::print("\r\x1b[K");
  std::fflush(stdout);
}

}  // namespace fairway::cli

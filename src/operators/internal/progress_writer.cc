// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/progress_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"

namespace fairway::operators {
namespace {

constexpr std::chrono::seconds interval{1}, longest_silence{30};

}  // namespace

ProgressWriter::ProgressWriter(std::function<bool(const payload::ApplyProgress&)> write)
    : write_(std::move(write)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ProgressWriter::set(const payload::ApplyProgress& progress) {
  {
    const std::lock_guard lock(mutex_);
    latest_ = progress;
    if (std::exchange(changed_, true)) return;
  }
  has_changed_.notify_one();
}

void ProgressWriter::run(const std::stop_token& stop) {
  Clock& clock = Clock::system();
  std::chrono::seconds pause = interval;
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      has_changed_.wait_for(lock, stop, longest_silence, [this] { return changed_; });
    }
    // Progress in the meantime is written with it.
    if (!clock.wait_until(clock.steady() + pause, stop)) return;
    std::optional<payload::ApplyProgress> progress;
    {
      const std::lock_guard lock(mutex_);
      progress = latest_;
      changed_ = false;
    }
    const bool is_written = !progress || write_(*progress);
    pause = is_written ? interval : std::min(pause * 2, longest_silence);
    if (is_written) continue;
    const std::lock_guard lock(mutex_);
    changed_ = true;
  }
}

}  // namespace fairway::operators

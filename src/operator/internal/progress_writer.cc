#include "operator/internal/progress_writer.h"

#include <chrono>
#include <utility>

#include "base/clock.h"

namespace fairway::operators {
namespace {

constexpr std::chrono::seconds interval{1}, longest_silence{30};

}  // namespace

ProgressWriter::ProgressWriter(std::function<void(const payload::ApplyProgress&)> write)
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
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      has_changed_.wait_for(lock, stop, longest_silence, [this] { return changed_; });
    }
    // What comes until then is written with it.
    if (!clock.wait_until(clock.steady() + interval, stop)) return;
    std::optional<payload::ApplyProgress> progress;
    {
      const std::lock_guard lock(mutex_);
      progress = latest_;
      changed_ = false;
    }
    if (progress) write_(*progress);
  }
}

}  // namespace fairway::operators

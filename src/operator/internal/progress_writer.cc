#include "operator/internal/progress_writer.h"

#include <chrono>
#include <utility>

#include "base/clock.h"

namespace fairway::operators {
namespace {

constexpr std::chrono::seconds interval{1};
constexpr int intervals_without_progress = 30;

}  // namespace

ProgressWriter::ProgressWriter(std::function<void(const payload::ApplyProgress&)> write)
    : write_(std::move(write)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ProgressWriter::set(const payload::ApplyProgress& progress) {
  const std::lock_guard lock(mutex_);
  latest_ = progress;
  changed_ = true;
}

void ProgressWriter::run(const std::stop_token& stop) {
  Clock& clock = Clock::system();
  int waited = 0;
  while (!stop.stop_requested()) {
    clock.wait_until(clock.steady() + interval, stop);
    if (stop.stop_requested()) return;
    std::optional<payload::ApplyProgress> progress;
    {
      const std::lock_guard lock(mutex_);
      if (latest_ && (changed_ || ++waited >= intervals_without_progress)) progress = latest_;
      changed_ = false;
    }
    if (!progress) continue;
    waited = 0;
    write_(*progress);
  }
}

}  // namespace fairway::operators

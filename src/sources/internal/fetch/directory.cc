// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/directory.h"

#include <utility>

#include "base/clock.h"
#include "base/digest.h"

namespace fairway::sources {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds settle_timeout{1000};
constexpr milliseconds pause{20};
/// Longest time to read the files after they have settled, from a folder on a disk that answers.
constexpr std::chrono::minutes longest_read{10};

/// Returns whether the last change is so recent that more may follow. A time stamp of the future is ignored:
/// the clocks of a file server differ.
bool restless(const FolderState& state, milliseconds settle, WallTime now) {
  const auto age = now - state.newest;
  return state.locked || (age >= milliseconds(0) && age < settle);
}

}  // namespace

std::string content_revision(const graphdata::Files& files) {
  Sha256 digest;
  for (const auto& [name, bytes] : files) {
    digest.update(std::to_string(name.size()) + " " + name + " " + std::to_string(bytes.size()) + " ");
    digest.update(bytes);
  }
  return digest.hex();
}

DirectorySource::DirectorySource(std::string folder, FolderWatchOptions options)
    : folder_(std::move(folder)), options_(options) {}

Result<FetchedGraphData> DirectorySource::fetch(const FetchContext& context) {
  Clock& clock = *options_.clock;
  const SteadyTime last = clock.steady() + settle_timeout;
  const Limits limits = Limits::within(clock, longest_read, context.stop);
  for (;;) {
    const FolderState before = read_folder_state(folder_, clock);
    if (!restless(before, options_.settle, clock.now())) {
      auto files = graphdata::read_directory(folder_, graphdata::counts, limits, clock);
      const bool changed = read_folder_state(folder_, clock).fingerprint != before.fingerprint;
      if (!changed && !files) return fail(files.error());
      if (!changed) {
        const std::lock_guard lock(mutex_);
        known_ = before.fingerprint;
        std::string revision = content_revision(*files);
        return FetchedGraphData{std::move(*files), std::move(revision)};
      }
    }
    if (clock.steady() >= last) {
      return fail(
          ErrorCode::unavailable,
          "reading graph data from " + folder_ + ": it " +
              (before.locked ? "is being changed by Git (.git/index.lock is there)" : "keeps changing") +
              "; it is read when it comes to rest");
    }
    if (!clock.wait_until(clock.steady() + pause, context.stop)) {
      return fail(ErrorCode::cancelled, "reading graph data from " + folder_ + ": stopped");
    }
  }
}

bool DirectorySource::watch(std::function<void()> changed, std::stop_token stop) {
  std::string known;
  {
    const std::lock_guard lock(mutex_);
    known = known_;
  }
  watch_.reset();
  watch_.emplace(folder_, std::move(known), std::move(changed), std::move(stop), options_);
  return true;
}

}  // namespace fairway::sources

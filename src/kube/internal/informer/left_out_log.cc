// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/left_out_log.h"

#include <chrono>
#include <utility>

#include "base/log.h"

namespace fairway::kube {

namespace {

constexpr std::chrono::minutes pause{1};

}  // namespace

void LeftOutLog::record(const k8s::Key& key) {
  const SteadyTime now = clock_.steady();
  std::uint64_t not_logged = 0;
  {
    const std::lock_guard lock(mutex_);
    if (now < next_) {
      ++not_logged_;
      return;
    }
    next_ = now + pause;
    not_logged = std::exchange(not_logged_, 0);
  }
  log::warning("an informer leaves out a quarantined object: it does not convert, and has no content",
               {{"resource", resource_}, {"object", key.to_string()}, {"not_logged", not_logged}});
}

std::uint64_t LeftOutLog::not_logged() const {
  const std::lock_guard lock(mutex_);
  return not_logged_;
}

}  // namespace fairway::kube

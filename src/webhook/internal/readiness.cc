// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/readiness.h"

#include "base/log.h"
#include "base/text.h"

namespace fairway::webhook {

void Readiness::record(const std::vector<std::string>& unreached) {
  const std::string text = join(unreached, "; ");
  bool goes_on = false;
  {
    const std::lock_guard lock(mutex_);
    if (unreached_ == text) return;
    const bool first = !unreached_;
    unreached_ = text;
    goes_on = was_ready_;
    was_ready_ = was_ready_ || text.empty();
    if (first && text.empty()) return;
  }
  if (text.empty()) {
    log::info("every version on the server can be converted again");
  } else if (goes_on) {
    log::warning("another release has registered versions that this one cannot convert; it serves the others",
                 {{"missing", text}});
  } else {
    log::error("not ready: another release has registered versions that this one cannot convert",
               {{"missing", text}});
  }
}

std::optional<std::string> Readiness::not_ready() const {
  const std::lock_guard lock(mutex_);
  if (was_ready_) return std::nullopt;
  if (!unreached_) return "the definitions are not registered yet";
  return "another release has registered versions that this one cannot convert: " + *unreached_;
}

}  // namespace fairway::webhook

// SPDX-License-Identifier: Apache-2.0

#include "kube/client/watch.h"

#include <variant>

namespace fairway::kube {

WatchReader::WatchReader(OnWatchEvent on_event, std::size_t max_bytes)
    : on_event_(std::move(on_event)),
      values_(max_bytes, [this](json::Value value) { return take(std::move(value)); }) {}

Result<void> WatchReader::take(json::Value value) {
  auto event = k8s::read_watch_event(std::move(value));
  if (!event) return fail(event.error());
  if (const auto* status = std::get_if<k8s::Status>(&*event)) {
    failed_ = ApiError("the watch ended", *status);
    return fail(*failed_);
  }
  return on_event_(std::get<WatchEvent>(*std::move(event)));
}

ApiResult<void> WatchReader::feed(std::string_view piece) {
  auto read = values_.feed(piece);
  if (read) return {};
  if (!failed_) failed_ = ApiError(read.error());
  return std::unexpected(*failed_);
}

ApiResult<void> WatchReader::finish() {
  if (failed_) return std::unexpected(*failed_);
  auto finished = values_.finish();
  if (!finished) return std::unexpected(ApiError(finished.error()));
  return {};
}

}  // namespace fairway::kube

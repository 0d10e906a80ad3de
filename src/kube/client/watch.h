// SPDX-License-Identifier: Apache-2.0

// Watches: streams of changes of objects.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_stream.h"
#include "k8s/wire/watch_event.h"
#include "kube/client/api_error.h"
#include "kube/client/options.h"

namespace fairway::kube {

using k8s::WatchEvent;

/// Receives an event; an error ends the watch with that error.
using OnWatchEvent = std::function<Result<void>(WatchEvent event)>;

/// Incremental parser for the body of a watch, in chunks cut anywhere.
class WatchReader {
 public:
  /// Maximum size of an event; a larger one is an error. Servers do not store objects anywhere near this
  /// size.
  static constexpr std::size_t max_event_bytes = std::size_t{64} << 20;

  explicit WatchReader(OnWatchEvent on_event, std::size_t max_bytes = max_event_bytes);

  /// Reads a chunk of the body. Errors, after which nothing more is read: an ERROR event (with its Status),
  /// `invalid` for anything but a watch event, `too_large`, and those of `on_event`. Events before the error
  /// have been delivered.
  ApiResult<void> feed(std::string_view piece);
  /// Ends the stream; an error (`unavailable`) in the middle of an event.
  ApiResult<void> finish();

 private:
  Result<void> take(json::Value value);

  OnWatchEvent on_event_;
  json::StreamReader values_;
  std::optional<ApiError> failed_;
};

}  // namespace fairway::kube

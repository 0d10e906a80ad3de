// Watches: streams of changes of objects.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_stream.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "k8s/object.h"
#include "kube/client/api_error.h"

namespace fairway::kube {

struct WatchOptions {
  k8s::LabelSelector labels;
  k8s::FieldSelector fields;
  /// Watch changes after this version, from a list or the last event. Empty or "0": the server first sends
  /// all existing objects as ADDED.
  std::string resource_version;
  /// Request bookmarks: periodic events that carry only the current resourceVersion.
  bool bookmarks = true;
  /// Streaming list (`sendInitialEvents`): the server sends all objects, then a bookmark that marks their
  /// end, then changes: list and watch in one request. A server without support replies with a 4xx; servers
  /// before Kubernetes 1.27 ignore it, and the bookmark never arrives.
  bool initial_events = false;
  /// When the server should end the watch (`timeoutSeconds`); std::nullopt: server default.
  std::optional<std::chrono::seconds> timeout;
};

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark };
  Type type = Type::bookmark;
  /// The current object, or its last state if deleted; of a bookmark, kind and resourceVersion only.
  k8s::Dynamic object;

  /// Whether this is the bookmark that ends the initial objects.
  bool ends_initial_events() const {
    return type == Type::bookmark && object.annotation("k8s.io/initial-events-end") == "true";
  }
};

/// "ADDED", as in the stream.
std::string_view to_string(WatchEvent::Type type);

/// Receives an event; an error ends the watch with that error.
using OnWatchEvent = std::function<Result<void>(WatchEvent event)>;

/// Incremental parser for the body of a watch, in chunks cut anywhere.
class WatchReader {
 public:
  /// A larger event is an error; servers do not store objects anywhere near this size.
  static constexpr std::size_t max_event_bytes = std::size_t{64} << 20;

  explicit WatchReader(OnWatchEvent on_event, std::size_t max_bytes = max_event_bytes);

  /// Errors, after which nothing more is read: an ERROR event (with its Status), `invalid` for anything but a
  /// watch event, `too_large`, and those of `on_event`. Events before the error have been delivered.
  ApiResult<void> feed(std::string_view piece);
  /// The end of the stream; an error (`unavailable`) in the middle of an event.
  ApiResult<void> finish();

 private:
  Result<void> take(json::Value value);

  OnWatchEvent on_event_;
  json::StreamReader values_;
  std::optional<ApiError> failed_;
};

}  // namespace fairway::kube

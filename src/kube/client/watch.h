// Watches: what happens to objects, as the server tells it.
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
  /// What happened after this version: of a list, or of the last event. Empty or "0": the server tells of all
  /// that is there first, as added.
  std::string resource_version;
  /// Ask to be told now and then how far the watch has come, though nothing has happened.
  bool bookmarks = true;
  /// Ask for all objects first, then a bookmark that says that these were all, then what happens: a list and
  /// a watch in one request. A server that cannot do it answers with a 4xx; servers before Kubernetes 1.27
  /// overlook it, and the bookmark never comes.
  bool initial_events = false;
  /// When the server is to end the watch; nothing: when it likes.
  std::optional<std::chrono::seconds> timeout;
};

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark };
  Type type = Type::bookmark;
  /// The object as it is now, or was at last; of a bookmark, its kind and resourceVersion only.
  k8s::Dynamic object;

  /// The bookmark that ends the objects that were there at the beginning.
  bool ends_initial_events() const {
    return type == Type::bookmark && object.annotation("k8s.io/initial-events-end") == "true";
  }
};

/// "ADDED", as it stands in the stream.
std::string_view to_string(WatchEvent::Type type);

/// Takes an event; an error ends the watch with that error.
using OnWatchEvent = std::function<Result<void>(WatchEvent event)>;

/// Reads the body of a watch, which may be cut anywhere into pieces.
class WatchReader {
 public:
  /// An event of more than this many bytes is an error: the largest object that a server keeps is far
  /// smaller.
  static constexpr std::size_t max_event_bytes = std::size_t{64} << 20;

  explicit WatchReader(OnWatchEvent on_event, std::size_t max_bytes = max_event_bytes);

  /// Errors, after which nothing more is read: an ERROR event (with its Status), `invalid` for what is no
  /// watch's event, `too_large`, and those of `on_event`. Events before the error have been handed on.
  ApiResult<void> feed(std::string_view piece);
  /// The stream has ended; an error (`unavailable`) where that is in the middle of an event.
  ApiResult<void> finish();

 private:
  Result<void> take(json::Value value);

  OnWatchEvent on_event_;
  json::StreamReader values_;
  std::optional<ApiError> failed_;
};

}  // namespace fairway::kube

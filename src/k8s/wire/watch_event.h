// SPDX-License-Identifier: Apache-2.0

// Watch events: one line of JSON each.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::k8s {

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark };
  Type type = Type::bookmark;
  /// The current object, or its last state if deleted; of a bookmark, kind and resourceVersion only.
  Dynamic object = {};

  /// The annotation of the bookmark that ends the initial objects; its value is "true".
  static constexpr std::string_view initial_events_end = "k8s.io/initial-events-end";
  /// Returns whether this is the bookmark that ends the initial objects.
  bool ends_initial_events() const {
    return type == Type::bookmark && object.annotation(initial_events_end) == "true";
  }
};

/// Returns the type as in the stream: "ADDED".
std::string_view to_string(WatchEvent::Type type);

/// Returns the object of a bookmark, of the watched kind.
Dynamic make_bookmark(const GroupVersionKind& kind, std::string_view resource_version,
                      bool ends_initial_events = false);

/// Appends an event and a newline. The second form takes the object as JSON text, for servers that send one
/// object to many watches.
void append_watch_event(std::string& out, WatchEvent::Type type, const json::Object& object);
void append_watch_event(std::string& out, WatchEvent::Type type, std::string_view object);
/// The texts before and after the object of an event, for servers that send an object's text unchanged.
struct WatchEventEnvelope {
  std::string begin = {}, end = {};
};
WatchEventEnvelope envelope_of(WatchEvent::Type type);
/// Appends the ERROR event, which ends a watch.
void append_watch_error(std::string& out, const Status& status);

/// Parses an event. Returns the Status of an ERROR event, with a code in any case. Errors (`invalid`): not an
/// event, an unknown type, an object without a resourceVersion or, except for bookmarks, a name.
Result<std::variant<WatchEvent, Status>> read_watch_event(json::Value value);

}  // namespace fairway::k8s

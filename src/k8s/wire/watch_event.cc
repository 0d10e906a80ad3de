// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/watch_event.h"

#include <optional>

#include "base/text.h"

namespace fairway::k8s {

namespace {

std::optional<WatchEvent::Type> parse_type(std::string_view text) {
  for (const auto type : {WatchEvent::Type::added, WatchEvent::Type::modified, WatchEvent::Type::deleted,
                          WatchEvent::Type::bookmark}) {
    if (text == to_string(type)) return type;
  }
  return std::nullopt;
}

constexpr std::string_view end_of_event = "}\n";

void append_begin(std::string& out, std::string_view type) {
  out.append(R"({"type":")").append(type).append(R"(","object":)");
}

void append_event(std::string& out, std::string_view type, const auto& append_object) {
  append_begin(out, type);
  append_object();
  out += end_of_event;
}

}  // namespace

std::string_view to_string(WatchEvent::Type type) {
  switch (type) {
    case WatchEvent::Type::added:
      return "ADDED";
    case WatchEvent::Type::modified:
      return "MODIFIED";
    case WatchEvent::Type::deleted:
      return "DELETED";
    case WatchEvent::Type::bookmark:
      return "BOOKMARK";
  }
  return "BOOKMARK";
}

Dynamic make_bookmark(const GroupVersionKind& kind, std::string_view resource_version,
                      bool ends_initial_events) {
  Dynamic object;
  object.set("kind", kind.kind);
  object.set("apiVersion", kind.api_version());
  object.set("metadata.resourceVersion", resource_version);
  if (ends_initial_events) object.set_annotation(WatchEvent::initial_events_end, "true");
  return object;
}

void append_watch_event(std::string& out, WatchEvent::Type type, const json::Object& object) {
  append_event(out, to_string(type), [&] { json::append_text(out, object); });
}

void append_watch_event(std::string& out, WatchEvent::Type type, std::string_view object) {
  append_event(out, to_string(type), [&] { out += object; });
}

WatchEventEnvelope envelope_of(WatchEvent::Type type) {
  WatchEventEnvelope envelope;
  append_begin(envelope.begin, to_string(type));
  envelope.end = end_of_event;
  return envelope;
}

void append_watch_error(std::string& out, const Status& status) {
  append_event(out, "ERROR", [&] { json::append_text(out, status.json()); });
}

Result<std::variant<WatchEvent, Status>> read_watch_event(json::Value value) {
  json::Object* event = value.if_object();
  json::Value* object = event != nullptr ? event->if_contains("object") : nullptr;
  if (object == nullptr || !object->is_object()) {
    return fail(ErrorCode::invalid,
                "the watch sent what is no event: " + printable(json::to_text(value), 200));
  }
  const std::string type(View(*event).text("type"));
  if (type == "ERROR") {
    Status status(std::move(object->get_object()));
    // A Status without a code would look like no answer at all.
    if (status.code() != 0) return status;
    return Status::failure(status.reason().empty() ? reason::internal_error : status.reason(),
                           status.message());
  }
  const auto known = parse_type(type);
  if (!known) {
    return fail(ErrorCode::invalid, "the watch sent an event of the unknown type '" + printable(type, 80) +
                                        "'; speak to the server with a newer Fairway");
  }
  Dynamic whole(std::move(object->get_object()));
  if (whole.resource_version().empty() || (*known != WatchEvent::Type::bookmark && whole.name().empty())) {
    return fail(ErrorCode::invalid, "the watch sent an object without a name or resourceVersion: " +
                                        printable(whole.to_text(), 200));
  }
  return WatchEvent{*known, std::move(whole)};
}

}  // namespace fairway::k8s

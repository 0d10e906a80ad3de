#include "kube/client/watch.h"

#include "base/text.h"

namespace fairway::kube {

namespace {

std::optional<WatchEvent::Type> parse_type(std::string_view text) {
  for (const auto type : {WatchEvent::Type::added, WatchEvent::Type::modified, WatchEvent::Type::deleted,
                          WatchEvent::Type::bookmark}) {
    if (text == to_string(type)) return type;
  }
  return std::nullopt;
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

WatchReader::WatchReader(OnWatchEvent on_event, std::size_t max_bytes)
    : on_event_(std::move(on_event)),
      values_(max_bytes, [this](json::Value value) { return take(std::move(value)); }) {}

Result<void> WatchReader::take(json::Value value) {
  json::Object* event = value.if_object();
  json::Value* object = event != nullptr ? event->if_contains("object") : nullptr;
  if (object == nullptr || !object->is_object()) {
    return fail(ErrorCode::invalid,
                "the watch sent what is no event: " + printable(json::to_text(value), 200));
  }
  const std::string type(k8s::View(*event).text("type"));
  if (type == "ERROR") {
    const k8s::Status status(std::move(object->get_object()));
    // A Status without a code would look like no answer at all.
    failed_ = ApiError(
        "the watch ended",
        status.code() != 0
            ? status
            : k8s::Status::failure(status.reason().empty() ? k8s::reason::internal_error : status.reason(),
                                   status.message()));
    return fail(*failed_);
  }
  const auto known = parse_type(type);
  if (!known) {
    return fail(ErrorCode::invalid, "the watch sent an event of the unknown type '" + printable(type, 80) +
                                        "'; speak to the server with a newer Fairway");
  }
  k8s::Dynamic whole(std::move(object->get_object()));
  if (whole.resource_version().empty() || (*known != WatchEvent::Type::bookmark && whole.name().empty())) {
    return fail(ErrorCode::invalid, "the watch sent an object without a name or resourceVersion: " +
                                        printable(whole.to_text(), 200));
  }
  return on_event_({*known, std::move(whole)});
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

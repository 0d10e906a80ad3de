// SPDX-License-Identifier: Apache-2.0

#include "k8s/status.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace fairway::k8s {

namespace {

struct ReasonRow {
  std::string_view reason;
  int http_status;
  ErrorCode code;
};

// Of reasons with one HTTP status, the first is the one that stands for it.
constexpr std::array<ReasonRow, 19> reasons = {{
    {reason::bad_request, 400, ErrorCode::invalid},
    {reason::unauthorized, 401, ErrorCode::unauthenticated},
    {reason::forbidden, 403, ErrorCode::forbidden},
    {reason::not_found, 404, ErrorCode::not_found},
    {reason::method_not_allowed, 405, ErrorCode::unsupported},
    {reason::not_acceptable, 406, ErrorCode::unsupported},
    {reason::conflict, 409, ErrorCode::conflict},
    {reason::already_exists, 409, ErrorCode::conflict},
    {reason::expired, 410, ErrorCode::conflict},
    {reason::gone, 410, ErrorCode::conflict},
    {reason::request_entity_too_large, 413, ErrorCode::too_large},
    {reason::unsupported_media_type, 415, ErrorCode::unsupported},
    {reason::invalid, 422, ErrorCode::invalid},
    {reason::too_many_requests, 429, ErrorCode::unavailable},
    {reason::internal_error, 500, ErrorCode::unavailable},
    {reason::server_timeout, 500, ErrorCode::unavailable},
    {reason::store_read_error, 500, ErrorCode::unavailable},
    {reason::service_unavailable, 503, ErrorCode::unavailable},
    {reason::timeout, 504, ErrorCode::unavailable},
}};

const ReasonRow* find_row(std::string_view reason) {
  const auto* found = std::ranges::find(reasons, reason, &ReasonRow::reason);
  return found != reasons.end() ? found : nullptr;
}

const ReasonRow* find_row(int http_status) {
  const auto* found = std::ranges::find(reasons, http_status, &ReasonRow::http_status);
  return found != reasons.end() ? found : nullptr;
}

}  // namespace

int http_status(std::string_view reason) {
  const ReasonRow* row = find_row(reason);
  return row != nullptr ? row->http_status : 500;
}

std::string_view reason_of(int http_status) {
  const ReasonRow* row = find_row(http_status);
  return row != nullptr ? row->reason : std::string_view{};
}

Status Status::of(const StatusFields& fields) {
  Status status;
  const auto set = [](Editor at, std::string_view name, std::string_view text) {
    if (!text.empty()) at.set(name, text);
  };
  status.set("kind", resource.kind);
  status.set("apiVersion", resource.version);
  Editor metadata = status.edit("metadata");
  set(metadata, "resourceVersion", fields.resource_version);
  set(metadata, "continue", fields.continue_token);
  status.set("status", fields.success ? "Success" : "Failure");
  set(status, "message", fields.message);
  set(status, "reason", fields.reason);
  if (fields.details) {
    Editor details = status.edit("details");
    set(details, "name", fields.details->name);
    set(details, "group", fields.details->group);
    set(details, "kind", fields.details->kind);
    set(details, "uid", fields.details->uid);
    for (const CauseFields& cause : fields.details->causes) {
      Editor entry = details.append("causes");
      set(entry, "reason", cause.reason);
      set(entry, "message", cause.message);
      set(entry, "field", cause.field);
    }
    if (fields.details->retry_after_seconds != 0) {
      details.set("retryAfterSeconds", fields.details->retry_after_seconds);
    }
  }
  if (fields.code != 0) status.set("code", fields.code);
  return status;
}

Result<Status> Status::parse(std::string_view text) {
  auto parsed = Dynamic::parse(text);
  if (!parsed) return fail(parsed.error().within("reading a Status"));
  const bool is_status = parsed->kind() == resource.kind &&
                         (parsed->api_version() == "v1" || parsed->api_version() == "meta.k8s.io/v1");
  if (!is_status) {
    return fail(ErrorCode::invalid, "reading a Status: the object is " +
                                        printable(parsed->api_version(), 80) + " " +
                                        printable(parsed->kind(), 80) + ", not v1 Status");
  }
  const std::string_view outcome = parsed->text("status");
  if (outcome != "Success" && outcome != "Failure") {
    return fail(ErrorCode::invalid,
                "reading a Status: status: '" + printable(outcome, 80) + "' is neither Success nor Failure");
  }
  return Status(parsed->release());
}

StatusFields Status::fields() const {
  StatusFields fields;
  fields.continue_token = continue_token();
  fields.resource_version = text("metadata.resourceVersion");
  fields.success = is_success();
  fields.message = message();
  fields.reason = reason();
  if (has("details")) {
    StatusDetails& details = fields.details.emplace();
    details.name = object_name();
    details.group = object_group();
    details.kind = object_kind();
    details.uid = object_uid();
    for (const StatusCause& cause : causes()) {
      details.causes.push_back(
          {std::string(cause.reason()), std::string(cause.message()), std::string(cause.field())});
    }
    details.retry_after_seconds = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(integer("details.retryAfterSeconds"), 0, 0x7FFF'FFFF));
  }
  fields.code = code();
  return fields;
}

Status Status::failure(std::string_view reason, std::string_view message) {
  Status status;
  status.set("kind", resource.kind);
  status.set("apiVersion", resource.version);
  status.object("metadata");
  status.set("status", "Failure");
  status.set("message", message);
  status.set("reason", reason);
  status.set("code", http_status(reason));
  return status;
}

Status Status::of_reply(int http_status, std::string_view body) {
  if (auto parsed = Dynamic::parse(body); parsed && parsed->is(resource)) {
    Status status(parsed->release());
    if (status.code() == 0) status.set("code", http_status);
    return status;
  }
  std::string message = "the server answered " + std::to_string(http_status);
  if (const std::string_view text = trim(body); !text.empty()) message += ": " + printable(text, 500);
  Status status = failure(reason_of(http_status), message);
  status.set("code", http_status);
  return status;
}

bool Status::has_cause(std::string_view reason) const {
  return std::ranges::any_of(causes(), [&](const StatusCause& cause) { return cause.reason() == reason; });
}

void Status::add_cause(std::string_view reason, std::string_view message, std::string_view field) {
  Editor cause = append("details.causes");
  cause.set("reason", reason);
  cause.set("message", message);
  if (!field.empty()) cause.set("field", field);
}

std::optional<std::chrono::seconds> Status::retry_after() const {
  const auto seconds = find_integer("details.retryAfterSeconds");
  if (!seconds || *seconds <= 0) return std::nullopt;
  return std::chrono::seconds(std::min<std::int64_t>(*seconds, 86'400));
}

bool Status::is_failure(std::string_view reason) const {
  if (is_success()) return false;
  return this->reason().empty() ? reason_of(code()) == reason : this->reason() == reason;
}

Error Status::to_error() const {
  const ReasonRow* row = find_row(reason());
  if (row == nullptr) row = find_row(code());
  const ErrorCode kind = row != nullptr  ? row->code
                         : code() >= 500 ? ErrorCode::unavailable
                         : code() >= 400 ? ErrorCode::invalid
                                         : ErrorCode::internal;
  std::string text = printable(message(), 4000);
  if (text.empty()) {
    text = "the server gave no message (" +
           (reason().empty() ? "status " + std::to_string(code()) : printable(reason(), 80)) + ")";
  }
  return {kind, std::move(text)};
}

}  // namespace fairway::k8s

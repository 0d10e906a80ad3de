// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/status_errors.h"

#include <string>

#include "base/quoted_text.h"

namespace fairway::k8s::answer {

namespace {

/// Builds a Status. Wording and details are those of k8s.io/apimachinery/pkg/api/errors.
Status make(std::string_view reason, std::string message, std::optional<StatusDetails> details = {}) {
  return Status::of({.message = std::move(message),
                     .reason = std::string(reason),
                     .details = std::move(details),
                     .code = http_status(reason)});
}

StatusDetails about(const GroupResource& resource, std::string_view name = {}) {
  return {.name = std::string(name), .group = resource.group, .kind = resource.resource};
}

StatusDetails wait(std::chrono::seconds retry_after) {
  return {.retry_after_seconds = static_cast<std::int32_t>(retry_after.count())};
}

std::string joined(const std::vector<std::string_view>& texts) {
  std::string all;
  for (const std::string_view text : texts) {
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

}  // namespace

Status not_found(const GroupResource& resource, std::string_view name) {
  return make(reason::not_found, resource.to_string() + " " + quote(name) + " not found",
              about(resource, name));
}

Status no_such_path() {
  return make(reason::not_found, "the server could not find the requested resource", StatusDetails{});
}

Status already_exists(const GroupResource& resource, std::string_view name) {
  return make(reason::already_exists, resource.to_string() + " " + quote(name) + " already exists",
              about(resource, name));
}

Status generate_name_conflict(const GroupResource& resource, std::string_view name,
                              std::chrono::seconds retry_after) {
  StatusDetails details = about(resource, name);
  details.retry_after_seconds = static_cast<std::int32_t>(retry_after.count());
  return make(reason::already_exists,
              resource.to_string() + " " + quote(name) +
                  " already exists, the server was not able to generate a unique name for the object",
              std::move(details));
}

Status conflict(const GroupResource& resource, std::string_view name, std::string_view why) {
  return make(reason::conflict,
              "Operation cannot be fulfilled on " + resource.to_string() + " " + quote(name) + ": " +
                  std::string(why),
              about(resource, name));
}

Status apply_conflict(const std::vector<CauseFields>& causes, std::string_view message) {
  return make(reason::conflict, std::string(message), StatusDetails{.causes = causes});
}

Status gone(std::string_view message) {
  return make(reason::gone, std::string(message));
}

Status expired(std::string_view message, std::string_view continue_token) {
  return Status::of({.continue_token = std::string(continue_token),
                     .message = std::string(message),
                     .reason = std::string(reason::expired),
                     .code = http_status(reason::expired)});
}

Status invalid(const GroupKind& kind, std::string_view name, const std::vector<FieldError>& all) {
  const std::vector<FieldError> errors = shortened(all);
  StatusDetails details{.name = std::string(name), .group = kind.group, .kind = kind.kind};
  for (const FieldError& error : errors) {
    details.causes.push_back({.reason = error.cause, .message = error.message, .field = error.field});
  }
  std::string message = kind.to_string() + " " + quote(name) + " is invalid";
  if (!errors.empty()) message += ": " + to_string(errors);
  return make(reason::invalid, std::move(message), std::move(details));
}

Status bad_request(std::string_view message) {
  return make(reason::bad_request, std::string(message));
}

Status unauthorized(std::string_view why) {
  return make(reason::unauthorized, std::string(why.empty() ? "not authorized" : why));
}

Status forbidden(const GroupResource& resource, std::string_view name, std::string_view why) {
  std::string message;
  if (resource.group.empty() && resource.resource.empty()) {
    message = "forbidden: ";
  } else {
    message = resource.to_string() + (name.empty() ? "" : " " + quote(name)) + " is forbidden: ";
  }
  return make(reason::forbidden, message.append(why), about(resource, name));
}

Status method_not_allowed(const GroupResource& resource, std::string_view action) {
  return make(reason::method_not_allowed,
              std::string(action) + " is not supported on resources of kind " + quote(resource.to_string()),
              about(resource));
}

Status not_acceptable(const std::vector<std::string_view>& media_types) {
  return make(reason::not_acceptable, "only the following media types are accepted: " + joined(media_types));
}

Status unsupported_media_type(const std::vector<std::string_view>& media_types) {
  return make(reason::unsupported_media_type,
              "the body of the request was in an unknown format - accepted media types include: " +
                  joined(media_types));
}

Status request_entity_too_large(std::string_view message) {
  return make(reason::request_entity_too_large, "Request entity too large: " + std::string(message));
}

Status too_many_requests(std::string_view message, std::chrono::seconds retry_after) {
  return make(reason::too_many_requests, std::string(message), wait(retry_after));
}

Status internal_error(std::string_view why) {
  return make(reason::internal_error, "Internal error occurred: " + std::string(why),
              StatusDetails{.causes = {{.message = std::string(why)}}});
}

Status error_without_reason(std::string_view why) {
  constexpr int internal_server_error = 500;
  return Status::of({.message = std::string(why), .code = internal_server_error});
}

Status server_timeout(const GroupResource& resource, std::string_view operation,
                      std::chrono::seconds retry_after) {
  StatusDetails details = about(resource, operation);
  details.retry_after_seconds = static_cast<std::int32_t>(retry_after.count());
  return make(reason::server_timeout,
              "The " + std::string(operation) + " operation against " + resource.to_string() +
                  " could not be completed at this time, please try again.",
              std::move(details));
}

Status service_unavailable(std::string_view message) {
  return make(reason::service_unavailable, std::string(message));
}

Status timeout(std::string_view message, std::chrono::seconds retry_after) {
  return make(reason::timeout, "Timeout: " + std::string(message), wait(retry_after));
}

Status resource_version_too_large(std::uint64_t asked, std::uint64_t current,
                                  std::chrono::seconds retry_after) {
  StatusDetails details = wait(retry_after);
  details.causes = {
      {.reason = std::string(cause::resource_version_too_large), .message = "Too large resource version"}};
  return make(reason::timeout,
              "Timeout: Too large resource version: " + std::to_string(asked) +
                  ", current: " + std::to_string(current),
              std::move(details));
}

Status deleted(const GroupResource& resource, std::string_view name, std::string_view uid) {
  StatusDetails details = about(resource, name);
  details.uid = uid;
  return Status::of({.success = true, .details = std::move(details)});
}

}  // namespace fairway::k8s::answer

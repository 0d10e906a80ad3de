// SPDX-License-Identifier: Apache-2.0

// Error replies of an API server, with Kubernetes's codes, reasons and messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "k8s/group_version.h"
#include "k8s/status.h"
#include "k8s/wire/field_error.h"

namespace fairway::k8s::answer {

/// 404: `widgets.example.com "a" not found`.
Status not_found(const GroupResource& resource, std::string_view name);
/// 404 for an unknown path: "the server could not find the requested resource".
Status no_such_path();
/// 409: `widgets.example.com "a" already exists`.
Status already_exists(const GroupResource& resource, std::string_view name);
/// 409 if no unique name could be generated from generateName.
Status generate_name_conflict(const GroupResource& resource, std::string_view name,
                              std::chrono::seconds retry_after);
/// 409: `Operation cannot be fulfilled on widgets.example.com "a": WHY`.
Status conflict(const GroupResource& resource, std::string_view name, std::string_view why);
/// 409 of server-side apply, with a cause per field.
Status apply_conflict(const std::vector<CauseFields>& causes, std::string_view message);
/// 410, reason Gone. For lists and watches that are too old use `expired`.
Status gone(std::string_view message);
/// 410, reason Expired; `continue_token` continues the list at a newer version.
Status expired(std::string_view message, std::string_view continue_token = {});
/// 422: `Widget.example.com "a" is invalid: spec.size: Invalid value: ...`, with a cause per error, of which
/// there are at most `most_errors`.
Status invalid(const GroupKind& kind, std::string_view name, const std::vector<FieldError>& errors);
/// 400.
Status bad_request(std::string_view message);
/// 401; the default message is "not authorized".
Status unauthorized(std::string_view why = {});
/// 403: `widgets.example.com "a" is forbidden: WHY`. Name and resource may be empty.
Status forbidden(const GroupResource& resource, std::string_view name, std::string_view why);
/// 405: `ACTION is not supported on resources of kind "widgets.example.com"`.
Status method_not_allowed(const GroupResource& resource, std::string_view action);
/// 406: "only the following media types are accepted: ...".
Status not_acceptable(const std::vector<std::string_view>& media_types);
/// 415: "the body of the request was in an unknown format - accepted media types include: ...".
Status unsupported_media_type(const std::vector<std::string_view>& media_types);
/// 413: "Request entity too large: MESSAGE".
Status request_entity_too_large(std::string_view message);
/// 429.
Status too_many_requests(std::string_view message, std::chrono::seconds retry_after);
/// 500: "Internal error occurred: WHY".
Status internal_error(std::string_view why);
/// 500 without a reason: "WHY". kube-apiserver answers so where the error of its storage is no Status.
Status error_without_reason(std::string_view why);
/// 500, reason ServerTimeout: a transient failure; the client should retry.
Status server_timeout(const GroupResource& resource, std::string_view operation,
                      std::chrono::seconds retry_after);
/// 503.
Status service_unavailable(std::string_view message);
/// 504: "Timeout: MESSAGE".
Status timeout(std::string_view message, std::chrono::seconds retry_after = {});
/// 504 with the cause ResourceVersionTooLarge: the requested version is newer than the server's.
Status resource_version_too_large(std::uint64_t asked, std::uint64_t current,
                                  std::chrono::seconds retry_after);

/// The success reply to a delete of which no object is left; it has no code.
Status deleted(const GroupResource& resource, std::string_view name, std::string_view uid);

}  // namespace fairway::k8s::answer

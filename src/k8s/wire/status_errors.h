// The failures that an API server answers, with Kubernetes's codes, reasons and words.
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
/// 404 for a path that leads nowhere: "the server could not find the requested resource".
Status no_such_path();
/// 409: `widgets.example.com "a" already exists`.
Status already_exists(const GroupResource& resource, std::string_view name);
/// 409 where a name made of generateName was taken each time.
Status generate_name_conflict(const GroupResource& resource, std::string_view name,
                              std::chrono::seconds retry_after);
/// 409: `Operation cannot be fulfilled on widgets.example.com "a": WHY`.
Status conflict(const GroupResource& resource, std::string_view name, std::string_view why);
/// 409 of server-side apply: each cause names a field and its manager.
Status apply_conflict(const std::vector<CauseFields>& causes, std::string_view message);
/// 410, reason Gone. Lists and watches that are too old answer `expired`.
Status gone(std::string_view message);
/// 410, reason Expired; a `continue_token` lets the list go on at a newer version.
Status expired(std::string_view message, std::string_view continue_token = {});
/// 422: `Widget.example.com "a" is invalid: spec.size: Invalid value: ...`, a cause an error.
Status invalid(const GroupKind& kind, std::string_view name, const std::vector<FieldError>& errors);
/// 400, with this message.
Status bad_request(std::string_view message);
/// 401; without a reason: "not authorized".
Status unauthorized(std::string_view why = {});
/// 403: `widgets.example.com "a" is forbidden: WHY`; without a name or a resource the text is shorter.
Status forbidden(const GroupResource& resource, std::string_view name, std::string_view why);
/// 405: `ACTION is not supported on resources of kind "widgets.example.com"`.
Status method_not_allowed(const GroupResource& resource, std::string_view action);
/// 406: "only the following media types are accepted: ...".
Status not_acceptable(const std::vector<std::string_view>& media_types);
/// 415: "the body of the request was in an unknown format - accepted media types include: ...".
Status unsupported_media_type(const std::vector<std::string_view>& media_types);
/// 413: "Request entity too large: MESSAGE".
Status request_entity_too_large(std::string_view message);
/// 429, with a time to wait.
Status too_many_requests(std::string_view message, std::chrono::seconds retry_after);
/// 500: "Internal error occurred: WHY", which is a cause too.
Status internal_error(std::string_view why);
/// 500, reason ServerTimeout: the operation could not be completed now; the client tries again.
Status server_timeout(const GroupResource& resource, std::string_view operation,
                      std::chrono::seconds retry_after);
/// 503, with this message.
Status service_unavailable(std::string_view message);
/// 504: "Timeout: MESSAGE".
Status timeout(std::string_view message, std::chrono::seconds retry_after = {});
/// 504 with the cause ResourceVersionTooLarge: a list or watch of a version that this server has not reached.
Status resource_version_too_large(std::uint64_t asked, std::uint64_t current,
                                  std::chrono::seconds retry_after);

/// The success that a delete is answered with where nothing is left of the object; without a code.
Status deleted(const GroupResource& resource, std::string_view name, std::string_view uid);

}  // namespace fairway::k8s::answer

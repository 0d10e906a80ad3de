// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/patched_object.h"

#include <utility>

#include "apiserver/internal/kinds/strict_fields.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

/// Returns the Status 422, as for a valid patch that does not fit the object.
std::unexpected<k8s::Status> unprocessable(std::string_view why) {
  k8s::Status status =
      k8s::Status::of({.message = "the server rejected our request due to an error in our request",
                       .reason = std::string(k8s::reason::invalid),
                       .details = k8s::StatusDetails{},
                       .code = k8s::http_status(k8s::reason::invalid)});
  status.add_cause(k8s::cause::unexpected_server_response, why, "patch");
  return std::unexpected(std::move(status));
}

}  // namespace

k8s::StatusResult<k8s::PatchType> patch_type_of(const Call& call) {
  std::vector<k8s::PatchType> offered{k8s::PatchType::json, k8s::PatchType::merge};
  if (!call.resource->is_custom) offered.push_back(k8s::PatchType::strategic);
  offered.push_back(k8s::PatchType::apply);
  auto type = k8s::parse_patch_type(call.http.header("Content-Type").value_or(""), offered);
  if (type || call.resource->is_custom) return type;
  // The route of a built-in kind is not found, before any handler is asked.
  return std::unexpected(k8s::Status::of({.message = "415: Unsupported Media Type",
                                          .reason = std::string(k8s::reason::unsupported_media_type),
                                          .details = k8s::StatusDetails{},
                                          .code = k8s::http_status(k8s::reason::unsupported_media_type)}));
}

k8s::StatusResult<k8s::Dynamic> patched_object(const k8s::Dynamic& current, k8s::PatchType type,
                                               const json::Value& patch, const k8s::PatchSchema* schema) {
  json::Value before(current.json());
  auto after = [&]() -> Result<json::Value> {
    if (type == k8s::PatchType::json) return k8s::apply_json_patch(std::move(before), patch);
    if (type == k8s::PatchType::strategic && schema != nullptr) {
      return k8s::apply_strategic_patch(std::move(before), patch, *schema);
    }
    return k8s::apply_merge_patch(std::move(before), patch);
  }();
  if (!after) {
    if (after.error().code == ErrorCode::too_large) {
      return std::unexpected(k8s::answer::request_entity_too_large(after.error().message));
    }
    if (after.error().code == ErrorCode::conflict) return unprocessable(after.error().message);
    return std::unexpected(k8s::answer::bad_request(after.error().message));
  }
  if (!after->is_object()) return unprocessable("the patched document is no object");
  k8s::Dynamic object(std::move(after->get_object()));
  const json::Value* metadata = object.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) return unprocessable("metadata is no object");
  if (object.kind() != current.kind() || object.api_version() != current.api_version()) {
    return unprocessable("kind and apiVersion may not be changed");
  }
  if (object.name() != current.name()) {
    return std::unexpected(k8s::answer::bad_request("the name of the object (" + std::string(object.name()) +
                                                    ") does not match the name on the URL (" +
                                                    std::string(current.name()) + ")"));
  }
  if (object.namespace_name() != current.namespace_name()) {
    return std::unexpected(k8s::answer::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"));
  }
  return object;
}

std::vector<std::string> errors_of_patch(k8s::PatchType type, std::string_view body) {
  std::vector<std::string> errors = kinds::duplicate_field_errors(body);
  if (type == k8s::PatchType::json) {
    for (std::string& error : errors) error.insert(0, "json patch ");
  }
  return errors;
}

}  // namespace fairway::apiserver::rest

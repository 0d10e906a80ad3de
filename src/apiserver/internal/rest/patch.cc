// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "apiserver/internal/kinds/strict_fields.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/patch/strategic_patch.h"
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

k8s::StatusResult<k8s::Dynamic> patched(const k8s::Dynamic& current, k8s::PatchType type,
                                        const json::Value& patch, const resources::ServedResource& resource) {
  json::Value before(current.json());
  auto after = [&]() -> Result<json::Value> {
    if (type == k8s::PatchType::json) return k8s::apply_json_patch(std::move(before), patch);
    if (type == k8s::PatchType::merge) return k8s::apply_merge_patch(std::move(before), patch);
    return k8s::apply_strategic_patch(std::move(before), patch, *resource.patch_schema);
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
  // A patch without a resourceVersion is for whatever version there is.
  if (object.resource_version().empty()) object.set_resource_version(current.resource_version());
  return object;
}

/// Returns the errors that fieldValidation reports for the patch itself.
std::vector<std::string> errors_of_patch(k8s::PatchType type, std::string_view body) {
  std::vector<std::string> errors = kinds::duplicate_field_errors(body);
  if (type == k8s::PatchType::json) {
    for (std::string& error : errors) error.insert(0, "json patch ");
  }
  return errors;
}

}  // namespace

VerbResult patch(const Services& services, Call& call) {
  std::vector<k8s::PatchType> offered{k8s::PatchType::json, k8s::PatchType::merge};
  if (call.resource->patch_schema != nullptr) offered.push_back(k8s::PatchType::strategic);
  offered.push_back(k8s::PatchType::apply);
  const auto type = k8s::parse_patch_type(call.http.header("Content-Type").value_or(""), offered);
  if (!type) return std::unexpected(type.error());
  if (*type == k8s::PatchType::apply) return apply_document(services, call);
  const auto options = k8s::parse_patch_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = json::parse(call.http.body);
  if (!document) return std::unexpected(k8s::answer::bad_request(document.error().message));
  const std::string manager = manager_of(call, options->field_manager);
  const std::vector<std::string> of_patch = errors_of_patch(*type, call.http.body);
  const auto write = begin_write(services, call, call.resource->kind, *options);
  if (!write) return std::unexpected(write.error());
  const objects::Objects::UpdateRequest request{
      .key = call.key(),
      .part = call.part(),
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        auto made = patched(*current, *type, *document, *call.resource);
        if (!made) return made;
        call.warnings.clear();  // of an attempt before
        if (auto typed = make_patched_typed(call, *made, options->validation, of_patch); !typed) {
          return std::unexpected(typed.error());
        }
        record_owners(*call.resource, call.path.subresource, current, *made, manager,
                      services.objects.clock().now());
        return made;
      }};
  const auto outcome = services.objects.update(*call.resource, request, write->context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver::rest

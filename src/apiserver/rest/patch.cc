#include <utility>

#include "apiserver/rest/internal/body.h"
#include "apiserver/rest/internal/reply.h"
#include "apiserver/rest/internal/typed_body.h"
#include "apiserver/rest/internal/verbs.h"
#include "k8s/documents.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/patch/strategic_patch.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {
namespace {

/// 422, as for a patch that is in order but does not fit the object.
std::unexpected<k8s::Status> unprocessable(std::string_view why) {
  k8s::Status status =
      k8s::Status::of({.message = "the server rejected our request due to an error in our request",
                       .reason = std::string(k8s::reason::invalid),
                       .details = k8s::StatusDetails{},
                       .code = k8s::http_status(k8s::reason::invalid)});
  status.add_cause(k8s::cause::unexpected_server_response, why);
  return std::unexpected(std::move(status));
}

k8s::StatusResult<k8s::Dynamic> patched(const k8s::Dynamic& current, k8s::PatchType type,
                                        const json::Value& patch, const ServedResource& resource) {
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

Answer apply(const Services& services, Call& call) {
  const auto options = k8s::parse_apply_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto documents = k8s::read_documents(call.http.body);
  if (!documents) return std::unexpected(k8s::answer::bad_request(documents.error().message));
  if (documents->size() != 1 || !documents->front().value.is_object()) {
    return std::unexpected(k8s::answer::bad_request("the body must be one object"));
  }
  k8s::Dynamic document(std::move(documents->front().value.get_object()));
  if (call.resource->is_namespaced() && document.namespace_name().empty()) {
    document.set_namespace_name(call.path.namespace_name);
  }
  if (document.name().empty()) document.set_name(call.path.name);
  const WriteContext context{.user = call.user,
                             .field_manager = options->field_manager,
                             .dry_run = options->dry_run,
                             .validation = options->validation,
                             .warnings = &call.warnings};
  const Objects::UpdateRequest request{.key = call.key(),
                                       .part = call.part(),
                                       .transform =
                                           [&](const k8s::Dynamic* live) {
                                             return services.seams.apply(*call.resource, call.part(), live,
                                                                         document, *options);
                                           },
                                       .may_create = call.path.subresource.empty()};
  const auto outcome = services.objects.update(*call.resource, request, context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace

Answer patch(const Services& services, Call& call) {
  std::vector<k8s::PatchType> offered{k8s::PatchType::json, k8s::PatchType::merge};
  if (call.resource->patch_schema != nullptr) offered.push_back(k8s::PatchType::strategic);
  if (services.seams.apply) offered.push_back(k8s::PatchType::apply);
  const auto type = k8s::parse_patch_type(call.http.header("Content-Type").value_or(""), offered);
  if (!type) return std::unexpected(type.error());
  if (*type == k8s::PatchType::apply) return apply(services, call);
  const auto options = k8s::parse_patch_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = json::parse(call.http.body);
  if (!document) return std::unexpected(k8s::answer::bad_request(document.error().message));
  const WriteContext context{.user = call.user,
                             .field_manager = options->field_manager,
                             .dry_run = options->dry_run,
                             .validation = options->validation,
                             .warnings = &call.warnings};
  const Objects::UpdateRequest request{
      .key = call.key(),
      .part = call.part(),
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        auto made = patched(*current, *type, *document, *call.resource);
        if (!made) return made;
        call.warnings.clear();  // of an attempt before
        if (auto typed = make_patched_typed(call, *made, options->validation); !typed) {
          return std::unexpected(typed.error());
        }
        return made;
      }};
  const auto outcome = services.objects.update(*call.resource, request, context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver

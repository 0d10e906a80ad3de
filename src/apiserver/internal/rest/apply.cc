// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "apiserver/internal/apply/field_manager.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/apply_document.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/rest/verbs.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

/// Returns a Status without reason, as kube-apiserver gives none for these failures.
std::unexpected<k8s::Status> unexpected_failure(const std::string& message) {
  return std::unexpected(k8s::Status::of({.message = message, .code = 500}));
}

/// Checks that the document is for the object that the request names.
k8s::StatusResult<void> check_identity(const Call& call, k8s::Dynamic& object, const k8s::Dynamic* live) {
  const auto bad = [](std::string_view why) { return std::unexpected(k8s::answer::bad_request(why)); };
  const std::string& name = call.path.name;
  if (live == nullptr && !object.uid().empty()) {
    return std::unexpected(k8s::answer::conflict(call.resource->group_resource(), name,
                                                 "uid mismatch: the provided object specified uid " +
                                                     std::string(object.uid()) +
                                                     ", and no existing object was found"));
  }
  if (call.resource->is_namespaced()) {
    if (object.namespace_name().empty()) object.set_namespace_name(call.path.namespace_name);
    if (object.namespace_name() != call.path.namespace_name) {
      return bad("the namespace of the provided object does not match the namespace sent on the request");
    }
  }
  if (object.name().empty()) {
    return bad("the name of the object (" + name +
               " based on URL) was undeterminable: name must be provided");
  }
  if (object.name() != name) {
    return bad("the name of the object (" + std::string(object.name()) +
               ") does not match the name on the URL (" + name + ")");
  }
  return {};
}

/// Removes the managedFields from an object and returns them; null if it has none.
json::Value take_owners(k8s::Dynamic& object) {
  json::Value* metadata = object.json().if_contains("metadata");
  json::Object* members = metadata != nullptr ? metadata->if_object() : nullptr;
  json::Value* owners = members != nullptr ? members->if_contains("managedFields") : nullptr;
  if (owners == nullptr) return {};
  json::Value taken = std::move(*owners);
  members->erase("managedFields");
  return taken;
}

k8s::StatusResult<k8s::Dynamic> applied(const Services& services, Call& call, const json::Value& document,
                                        const k8s::ApplyOptions& options, const k8s::Dynamic* live) {
  apply::ManagedKind kind = managed_kind(*call.resource, call.path.subresource);
  kind.zero = zero_of(*call.resource);
  const json::Object* old = live != nullptr ? &live->json() : nullptr;
  auto made = apply::apply(kind, old, document, options.field_manager, options.force.value_or(false),
                           services.objects.clock().now());
  if (!made) return std::unexpected(made.error());
  if (auto checked = check_apply_keys(call, options.validation); !checked)
    return std::unexpected(checked.error());
  if (!made->is_object()) return unexpected_failure("what was applied is no object");
  const bool is_same = old != nullptr && made->get_object() == *old;
  k8s::Dynamic object(std::move(made->get_object()));
  if (auto checked = check_identity(call, object, live); !checked) return std::unexpected(checked.error());
  if (is_same) return object;
  // They are the server's own, and most of an object that many have applied.
  json::Value owners = take_owners(object);
  const auto read = read_fields(*call.resource, object, {}, schema::Nulls::kept);
  if (!owners.is_null()) object.set("metadata.managedFields", std::move(owners));
  if (!read) {
    return unexpected_failure("failed to convert the applied object (" + object.key().to_string() + "; " +
                              call.resource->kind.to_string() + "): " + read.error().message);
  }
  return object;
}

}  // namespace

VerbResult apply_document(const Services& services, Call& call) {
  const auto options = k8s::parse_apply_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = read_apply_document(call);
  if (!document) return std::unexpected(document.error());
  auto write = begin_write(services, call, call.resource->kind,
                           {.field_manager = options->field_manager,
                            .dry_run = options->dry_run,
                            .validation = options->validation});
  if (!write) return std::unexpected(write.error());
  write->context.is_apply = true;
  const objects::Objects::UpdateRequest request{
      .key = call.key(),
      .part = call.part(),
      .transform =
          [&](const k8s::Dynamic* live) { return applied(services, call, *document, *options, live); },
      .may_create = call.path.subresource.empty(),
      .check_create = [&] { return authorize_create(services, call); }};
  const auto outcome = services.objects.update(*call.resource, request, write->context);
  if (!outcome) return std::unexpected(outcome.error());
  return reply_outcome(call, *outcome);
}

}  // namespace fairway::apiserver::rest

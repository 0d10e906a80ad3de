// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "apiserver/internal/objects/status_condition.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/pod_requests.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "k8s/wire/field_error.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

const k8s::GroupVersionKind binding_kind{"", "v1", "Binding"};

k8s::StatusResult<void> check_target(const k8s::Dynamic& binding) {
  std::vector<k8s::FieldError> errors;
  const std::string_view kind = binding.text("target.kind");
  if (!kind.empty() && kind != "Node") {
    errors.push_back(k8s::FieldError::not_supported("target.kind", json::Value(kind), {"Node", "<empty>"}));
  }
  if (binding.text("target.name").empty()) errors.push_back(k8s::FieldError::required("target.name", ""));
  if (errors.empty()) return {};
  // kube-apiserver has no reason for it.
  return std::unexpected(k8s::Status::of({.message = k8s::to_string(errors), .code = 500}));
}

k8s::StatusResult<void> check_preconditions(const k8s::Dynamic& pod, const k8s::Dynamic& binding) {
  const auto differs = [&](std::string_view what, std::string_view wanted, std::string_view there) {
    return std::unexpected(k8s::answer::conflict(
        {"", "pods"}, pod.name(),
        "StorageError: invalid object, Code: 4, Key: /registry/pods/" + pod.key().to_string() +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + std::string(what) +
            " in precondition: " + std::string(wanted) + ", " + std::string(what) +
            " in object meta: " + std::string(there)));
  };
  if (!binding.uid().empty() && binding.uid() != pod.uid()) return differs("UID", binding.uid(), pod.uid());
  if (!binding.resource_version().empty() && binding.resource_version() != pod.resource_version()) {
    return differs("ResourceVersion", binding.resource_version(), pod.resource_version());
  }
  return {};
}

k8s::StatusResult<k8s::Dynamic> bound(const k8s::Dynamic& pod, const k8s::Dynamic& binding, WallTime now) {
  if (auto checked = check_preconditions(pod, binding); !checked) return std::unexpected(checked.error());
  const std::string name(pod.name());
  const auto refuse = [&](const std::string& why) {
    return std::unexpected(k8s::answer::conflict({"", "pods/binding"}, name, why));
  };
  if (pod.is_being_deleted()) {
    return refuse("pod " + name + " is being deleted, cannot be assigned to a host");
  }
  if (const std::string_view node = pod.text("spec.nodeName"); !node.empty()) {
    return refuse("pod " + name + " is already assigned to node \"" + std::string(node) + "\"");
  }
  if (!pod.items("spec.schedulingGates").empty()) {
    return refuse("pod " + name + " has non-empty .spec.schedulingGates");
  }
  k8s::Dynamic next = pod;
  next.set("spec.nodeName", binding.text("target.name"));
  next.erase("status.nominatedNodeName");
  for (const auto& [key, value] : binding.annotations()) next.set_annotation(key, value);
  for (const auto& [key, value] : binding.labels()) next.set_label(key, value);
  objects::set_status_condition(next, "PodScheduled", true, "", "", now);
  return next;
}

}  // namespace

VerbResult reply_created(const Call& call) {
  constexpr int created = 201;
  const k8s::Status status = k8s::Status::of({.success = true, .code = created});
  return reply_json(call, created, http::make_bytes(status.to_text()));
}

VerbResult bind_pod(const Services& services, Call& call) {
  const auto options = k8s::parse_create_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto binding = read_object(call, binding_kind);
  if (!binding) return std::unexpected(binding.error());
  if (auto typed = make_typed(call, *binding, binding_kind, options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  k8s::Key key;
  const auto check = [&]() -> k8s::StatusResult<void> {
    const std::string name(binding->name());
    key = {call.path.namespace_name, call.path.name.empty() ? name : call.path.name};
    if (key.name == name) return check_target(*binding);
    return std::unexpected(k8s::answer::bad_request("name in URL does not match name in Binding object"));
  };
  if (auto admitted = admit_request(services, call, *binding, binding_kind, *options, check); !admitted) {
    return std::unexpected(admitted.error());
  }
  const objects::WriteContext context{
      .user = call.user, .dry_run = options->dry_run, .warnings = &call.warnings};
  const WallTime now = services.objects.clock().now();
  const objects::Objects::UpdateRequest request{
      .key = key,
      .transform = [&](const k8s::Dynamic* pod) { return bound(*pod, *binding, now); },
      .as_is = true};
  const auto done =
      services.objects.update(*services.objects.registry().find({"", "v1", "pods"}), request, context);
  if (!done) return std::unexpected(done.error());
  return reply_created(call);
}

}  // namespace fairway::apiserver::rest

// SPDX-License-Identifier: Apache-2.0

// The subresource `scale`: how many there are of what an object makes, in the same form for all kinds.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/verbs.h"
#include "apiserver/internal/table/table_columns.h"
#include "k8s/label_selector.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

const k8s::GroupVersionKind scale_kind{"autoscaling", "v1", "Scale"};

/// Returns the resource whose objects replies show.
resources::ServedResourcePtr scale_resource() {
  static const resources::ServedResourcePtr made = [] {
    resources::ServedResource resource;
    resource.kind = scale_kind;
    resource.columns = table::built_in_columns(scale_kind.group_kind());
    return std::make_shared<const resources::ServedResource>(std::move(resource));
  }();
  return made;
}

/// Returns the selector of Pods as text.
std::string selector_of(const k8s::Dynamic& object, const resources::ServedResource& resource) {
  if (resource.is_custom) return std::string(object.text(resource.scale->selector));
  const json::Value* selector = object.find(resource.scale->selector);
  const bool is_map_of_labels = resource.kind.kind == "ReplicationController";
  const auto parsed = is_map_of_labels ? k8s::LabelSelector::of_labels(object.map(resource.scale->selector))
                                       : k8s::LabelSelector::from(selector);
  return parsed && selector != nullptr ? parsed->to_string() : "";
}

/// Returns the Scale of an object. `for_write`: a custom resource without replicas counts as 0, not as an
/// error.
k8s::StatusResult<k8s::Dynamic> scale_of(const k8s::Dynamic& object,
                                         const resources::ServedResource& resource, bool for_write) {
  const auto replicas = object.find_integer(resource.scale->spec_replicas);
  if (!replicas && !for_write && resource.is_custom) {
    return std::unexpected(k8s::answer::internal_error("the spec replicas field \"." +
                                                       resource.scale->spec_replicas + "\" does not exist"));
  }
  k8s::Dynamic scale;
  scale.set("kind", scale_kind.kind);
  scale.set("apiVersion", scale_kind.api_version());
  for (const std::string_view member : {"metadata.name", "metadata.namespace", "metadata.uid",
                                        "metadata.resourceVersion", "metadata.creationTimestamp"}) {
    if (const json::Value* value = object.find(member)) scale.set(member, json::Value(*value));
  }
  scale.object("spec");
  if (replicas.value_or(0) != 0) scale.set("spec.replicas", json::Value(*replicas));
  scale.set("status.replicas", json::Value(object.integer(resource.scale->status_replicas)));
  const std::string selector = selector_of(object, resource);
  if (!selector.empty()) scale.set("status.selector", selector);
  return scale;
}

k8s::StatusResult<void> check(const k8s::Dynamic& scale, const Call& call) {
  if (scale.name() != call.path.name) {
    return std::unexpected(k8s::answer::bad_request("the name of the object (" + std::string(scale.name()) +
                                                    ") does not match the name on the URL (" +
                                                    call.path.name + ")"));
  }
  const json::Value* replicas = scale.find("spec.replicas");
  if (replicas != nullptr && !replicas->is_null() && !scale.find_integer("spec.replicas")) {
    return std::unexpected(
        k8s::answer::bad_request("Scale in version \"v1\" cannot be handled as a Scale: spec.replicas is no "
                                 "integer"));
  }
  const std::int64_t wanted = scale.integer("spec.replicas");
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (wanted >= 0 && wanted <= most) return {};
  return std::unexpected(
      k8s::answer::invalid(scale_kind.group_kind(), call.path.name,
                           {k8s::FieldError::invalid("spec.replicas", json::Value(wanted),
                                                     wanted < 0 ? "must be greater than or equal to 0"
                                                                : "must fit into 32 bits")}));
}

/// Returns the object with the replicas of a Scale that admission has admitted.
k8s::StatusResult<k8s::Dynamic> scaled(const k8s::Dynamic& current, k8s::Dynamic scale, const Call& call,
                                       objects::WriteAdmission* admission) {
  const auto old = scale_of(current, *call.resource, true);
  if (!old) return std::unexpected(old.error());
  if (admission != nullptr) {
    if (auto admitted = admission->mutate(*call.resource, scale, &*old); !admitted) {
      return std::unexpected(admitted.error());
    }
  }
  if (auto checked = check(scale, call); !checked) return std::unexpected(checked.error());
  if (admission != nullptr) {
    if (auto admitted = admission->validate(*call.resource, scale, &*old); !admitted) {
      return std::unexpected(admitted.error());
    }
  }
  k8s::Dynamic object = current;
  object.set(call.resource->scale->spec_replicas, json::Value(scale.integer("spec.replicas")));
  if (!scale.resource_version().empty()) object.set_resource_version(scale.resource_version());
  if (!scale.uid().empty()) object.set("metadata.uid", scale.uid());
  return object;
}

VerbResult reply(Call& call, const k8s::Dynamic& object) {
  auto scale = scale_of(object, *call.resource, true);
  if (!scale) return std::unexpected(scale.error());
  call.resource = scale_resource();
  const auto form = negotiate_form(call);
  if (!form) return std::unexpected(form.error());
  return reply_json(call, 200, (*form)->document(*std::move(scale)));
}

/// Writes a Scale. `transform` calls admission, which sees Scales, not the object.
VerbResult write_scale(const Services& services, Call& call, objects::WriteContext context,
                       objects::Transform transform) {
  context.admission = nullptr;
  const objects::Objects::UpdateRequest request{
      .key = call.key(), .part = resources::Part::object, .transform = std::move(transform)};
  const auto outcome = services.objects.update(*call.resource, request, context);
  if (!outcome) return std::unexpected(outcome.error());
  const auto object = k8s::Dynamic::parse(*outcome->text);
  if (!object) return std::unexpected(k8s::answer::internal_error(object.error().message));
  return reply(call, *object);
}

k8s::StatusResult<k8s::Dynamic> patched(const k8s::Dynamic& scale, k8s::PatchType type,
                                        const json::Value& patch) {
  json::Value before(scale.json());
  // A Scale has no lists: a strategic merge patch is a merge patch.
  auto after = type == k8s::PatchType::json ? k8s::apply_json_patch(std::move(before), patch)
                                            : k8s::apply_merge_patch(std::move(before), patch);
  if (!after) return std::unexpected(k8s::answer::bad_request(after.error().message));
  if (!after->is_object()) return std::unexpected(k8s::answer::bad_request("the patched Scale is no object"));
  return k8s::Dynamic(std::move(after->get_object()));
}

VerbResult patch_scale(const Services& services, Call& call) {
  std::vector<k8s::PatchType> offered{k8s::PatchType::json, k8s::PatchType::merge};
  if (!call.resource->is_custom) offered.push_back(k8s::PatchType::strategic);
  const auto type = k8s::parse_patch_type(call.http.header("Content-Type").value_or(""), offered);
  if (!type) return std::unexpected(type.error());
  const auto options = k8s::parse_patch_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = json::parse(call.http.body);
  if (!document) return std::unexpected(k8s::answer::bad_request(document.error().message));
  const auto write = begin_write(services, call, scale_kind, *options);
  if (!write) return std::unexpected(write.error());
  return write_scale(services, call, write->context,
                     [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
                       const auto scale = scale_of(*current, *call.resource, true);
                       if (!scale) return std::unexpected(scale.error());
                       const auto next = patched(*scale, *type, *document);
                       if (!next) return std::unexpected(next.error());
                       return scaled(*current, *next, call, write->admission.get());
                     });
}

}  // namespace

VerbResult scale(const Services& services, Call& call, std::string_view verb) {
  if (verb == "patch") return patch_scale(services, call);
  if (verb == "update") {
    const auto options = k8s::parse_update_options(call.query);
    if (!options) return std::unexpected(options.error());
    const auto given = read_object(call, scale_kind);
    if (!given) return std::unexpected(given.error());
    const auto write = begin_write(services, call, scale_kind, *options);
    if (!write) return std::unexpected(write.error());
    return write_scale(services, call, write->context, [&](const k8s::Dynamic* current) {
      return scaled(*current, *given, call, write->admission.get());
    });
  }
  const auto record = services.objects.find(*call.resource, call.key());
  if (!record) return std::unexpected(record.error());
  if (*record == nullptr) {
    return std::unexpected(k8s::answer::not_found(call.resource->group_resource(), call.path.name));
  }
  const auto object = objects::object_converted_now(**record, *call.resource);
  if (!object) return std::unexpected(object.error());
  if (const auto shown = scale_of(*object, *call.resource, false); !shown) {
    return std::unexpected(shown.error());
  }
  return reply(call, *object);
}

}  // namespace fairway::apiserver::rest

// SPDX-License-Identifier: Apache-2.0

// The subresource `scale`: how many there are of what an object makes, in the same form for all kinds.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/apply/field_manager.h"
#include "apiserver/internal/apply/scale_owners.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/rest/admit.h"
#include "apiserver/internal/rest/apply_document.h"
#include "apiserver/internal/rest/body.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/patched_object.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/rest/verbs.h"
#include "apiserver/internal/table/table_columns.h"
#include "base/text.h"
#include "k8s/label_selector.h"
#include "k8s/view.h"
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

/// Returns the place of the replicas in objects of a resource.
apply::ReplicasPlace place_of(const resources::ServedResource& resource) {
  return {.api_version = resource.kind.api_version(),
          .path = apply::path_of(split(resource.scale->spec_replicas, '.'))};
}

/// Returns the Status of an apply to a custom resource's Scale that met no conflict: kube-apiserver 1.36
/// cannot convert what it has made.
k8s::Status not_converted(const json::Value& document) {
  const k8s::View given(document.get_object());
  return k8s::Status::of(
      {.message = "failed to convert new object (" + std::string(given.text("metadata.namespace")) + "/" +
                  std::string(given.text("metadata.name")) + "; " + scale_kind.api_version() +
                  ", Kind=" + scale_kind.kind +
                  ") to proper version: request to convert CR to an invalid group/version: " +
                  scale_kind.api_version(),
       .code = 500});
}

/// Returns the Scale with its owners: those of the object that own the replicas.
k8s::StatusResult<k8s::Dynamic> owned_scale_of(const k8s::Dynamic& object,
                                               const resources::ServedResource& resource) {
  auto scale = scale_of(object, resource, true);
  if (!scale) return scale;
  auto owners = apply::owners_in_scale(object.find("metadata.managedFields"), place_of(resource));
  if (!owners) return std::unexpected(k8s::answer::internal_error(owners.error().message));
  if (!owners->empty()) scale->set("metadata.managedFields", json::Value(*std::move(owners)));
  return scale;
}

/// Checks a Scale before the object is changed.
k8s::StatusResult<void> check(const k8s::Dynamic& scale, const k8s::Dynamic& object, const Call& call) {
  if (scale.name() != call.path.name) {
    return std::unexpected(k8s::answer::bad_request("the name of the object (" + std::string(scale.name()) +
                                                    ") does not match the name on the URL (" +
                                                    call.path.name + ")"));
  }
  const std::int64_t wanted = scale.integer("spec.replicas");
  if (wanted < 0) {
    return std::unexpected(
        k8s::answer::invalid(scale_kind.group_kind(), call.path.name,
                             {k8s::FieldError::invalid("spec.replicas", json::Value(wanted),
                                                       "must be greater than or equal to 0")}));
  }
  if (scale.uid().empty() || scale.uid() == object.uid()) return {};
  return std::unexpected(
      k8s::answer::conflict({call.resource->kind.group, call.resource->plural + "/scale"}, call.path.name,
                            "Precondition failed: UID in precondition: " + std::string(scale.uid()) +
                                ", UID in object meta: " + std::string(object.uid())));
}

/// Returns the object with the replicas of a Scale that admission has admitted.
k8s::StatusResult<k8s::Dynamic> scaled(const k8s::Dynamic& current, const k8s::Dynamic& old,
                                       k8s::Dynamic scale, const Call& call,
                                       objects::WriteAdmission* admission) {
  if (admission != nullptr) {
    if (auto admitted = admission->mutate(*call.resource, scale, &old); !admitted) {
      return std::unexpected(admitted.error());
    }
  }
  if (auto checked = check(scale, current, call); !checked) return std::unexpected(checked.error());
  if (admission != nullptr) {
    if (auto admitted = admission->validate(*call.resource, scale, &old); !admitted) {
      return std::unexpected(admitted.error());
    }
  }
  k8s::Dynamic object = current;
  object.set(call.resource->scale->spec_replicas, json::Value(scale.integer("spec.replicas")));
  if (!scale.resource_version().empty()) object.set_resource_version(scale.resource_version());
  auto owners = apply::owners_in_object(current.find("metadata.managedFields"),
                                        scale.find("metadata.managedFields"), place_of(*call.resource));
  if (!owners) return std::unexpected(k8s::answer::internal_error(owners.error().message));
  object.erase("metadata.managedFields");
  if (!owners->empty()) object.set("metadata.managedFields", json::Value(*std::move(owners)));
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

/// Makes a new Scale of the old one.
using ScaleChange = std::function<k8s::StatusResult<k8s::Dynamic>(const k8s::Dynamic& old)>;

/// Writes a Scale. Admission sees Scales, not the object.
VerbResult write_scale(const Services& services, Call& call, const CallWrite& write,
                       const ScaleChange& change) {
  objects::WriteContext context = write.context;
  context.admission = nullptr;
  const objects::Objects::UpdateRequest request{
      .key = call.key(),
      .part = resources::Part::object,
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        call.warnings.clear();  // of an attempt before
        const auto old = owned_scale_of(*current, *call.resource);
        if (!old) return std::unexpected(old.error());
        auto next = change(*old);
        if (!next) return next;
        return scaled(*current, *old, *std::move(next), call, write.admission.get());
      }};
  const auto outcome = services.objects.update(*call.resource, request, context);
  if (!outcome) return std::unexpected(outcome.error());
  const auto object = k8s::Dynamic::parse(*outcome->text);
  if (!object) return std::unexpected(k8s::answer::internal_error(object.error().message));
  return reply(call, *object);
}

VerbResult put_scale(const Services& services, Call& call) {
  const auto options = k8s::parse_update_options(call.query);
  if (!options) return std::unexpected(options.error());
  auto given = read_object(call, scale_kind);
  if (!given) return std::unexpected(given.error());
  if (auto typed = make_typed(call, *given, scale_kind, options->validation); !typed) {
    return std::unexpected(typed.error());
  }
  const std::vector<std::string> warnings = call.warnings;
  const auto write = begin_write(services, call, scale_kind, *options);
  if (!write) return std::unexpected(write.error());
  return write_scale(services, call, *write, [&](const k8s::Dynamic& old) {
    call.warnings = warnings;
    k8s::Dynamic next = *given;
    record_owners(*scale_resource(), "scale", &old, next, manager_of(call, options->field_manager),
                  services.objects.clock().now());
    return next;
  });
}

VerbResult apply_scale(const Services& services, Call& call) {
  const auto options = k8s::parse_apply_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = read_apply_document(call);
  if (!document) return std::unexpected(document.error());
  const auto write = begin_write(services, call, scale_kind,
                                 {.field_manager = options->field_manager,
                                  .dry_run = options->dry_run,
                                  .validation = options->validation});
  if (!write) return std::unexpected(write.error());
  return write_scale(services, call, *write, [&](const k8s::Dynamic& old) -> k8s::StatusResult<k8s::Dynamic> {
    const apply::ManagedKind kind = managed_kind(*scale_resource(), "scale");
    auto made = apply::apply(kind, &old.json(), *document, options->field_manager,
                             options->force.value_or(false), services.objects.clock().now());
    if (!made) return std::unexpected(made.error());
    if (auto checked = check_apply_keys(call, options->validation); !checked) {
      return std::unexpected(checked.error());
    }
    if (call.resource->is_custom) return std::unexpected(not_converted(*document));
    return k8s::Dynamic(std::move(made->as_object()));
  });
}

VerbResult patch_scale(const Services& services, Call& call) {
  const auto type = patch_type_of(call);
  if (!type) return std::unexpected(type.error());
  if (*type == k8s::PatchType::apply) return apply_scale(services, call);
  const auto options = k8s::parse_patch_options(call.query);
  if (!options) return std::unexpected(options.error());
  const auto document = json::parse(call.http.body);
  if (!document) return std::unexpected(k8s::answer::bad_request(document.error().message));
  const std::vector<std::string> of_patch = errors_of_patch(*type, call.http.body);
  const auto write = begin_write(services, call, scale_kind, *options);
  if (!write) return std::unexpected(write.error());
  return write_scale(services, call, *write, [&](const k8s::Dynamic& old) -> k8s::StatusResult<k8s::Dynamic> {
    auto next = patched_object(old, *type, *document, nullptr);
    if (!next) return next;
    if (auto typed = make_patched_typed(call, *next, scale_kind, options->validation, of_patch); !typed) {
      return std::unexpected(typed.error());
    }
    record_owners(*scale_resource(), "scale", &old, *next, manager_of(call, options->field_manager),
                  services.objects.clock().now());
    return next;
  });
}

}  // namespace

VerbResult scale(const Services& services, Call& call, std::string_view verb) {
  if (verb == "patch") return patch_scale(services, call);
  if (verb == "update") return put_scale(services, call);
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

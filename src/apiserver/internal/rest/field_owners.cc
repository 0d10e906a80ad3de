// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/field_owners.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "apiserver/internal/apply/type_sources.h"
#include "apiserver/internal/kinds/kinds.h"
#include "base/text.h"

namespace fairway::apiserver::rest {
namespace {

/// Returns the type of a built-in kind, made at first use, and cached.
apply::TypeRef built_in_type(const k8s::GroupVersionKind& kind) {
  static std::mutex mutex;
  static std::map<const kinds::MessageType*, apply::OwnedType> types;
  const kinds::MessageType* message = kinds::Kinds::find(kind);
  if (message == nullptr) return {};
  const std::scoped_lock lock(mutex);
  const auto [at, is_new] = types.try_emplace(message);
  if (is_new) at->second = apply::type_of_kind(*message);
  return at->second.root;
}

bool is_core_event(const resources::ServedResource& resource) {
  return !resource.is_custom && resource.kind.kind == "Event";
}

/// Returns whether objects of a resource are also served in another version, as which fields may be owned.
bool has_version(const resources::ServedResource& resource, const k8s::GroupVersion& version) {
  if (version == resource.kind.group_version() || version == resource.storage_kind.group_version()) {
    return true;
  }
  if (resource.kind.kind == "HorizontalPodAutoscaler" && version == k8s::GroupVersion{"autoscaling", "v1"}) {
    return true;
  }
  return is_core_event(resource) && version == k8s::GroupVersion{"events.k8s.io", "v1"};
}

apply::TypeRef type_in(const resources::ServedResource& resource, std::string_view api_version) {
  const auto version = k8s::GroupVersion::parse(api_version);
  if (!version) return {};
  if (resource.is_custom) {
    return version->group == resource.kind.group ? resource.strategy->type_of(version->version)
                                                 : apply::TypeRef{};
  }
  if (!has_version(resource, *version)) return {};
  return built_in_type({version->group, version->version, resource.kind.kind});
}

Result<json::Value> converted(const resources::ServedResource& resource, const json::Value& object,
                              const std::string& api_version) {
  const auto version = k8s::GroupVersion::parse(api_version);
  if (!version) return fail(version.error());
  if (!object.is_object()) return fail(ErrorCode::invalid, "what is converted is no object");
  k8s::Dynamic made(json::Object(object.get_object()));
  const auto done = resource.strategy->convert(made, {version->group, version->version, resource.kind.kind});
  // Not `not_found`: the version is there, and what is owned in it stays so.
  if (!done) return fail(ErrorCode::internal, std::string(done.error().message()));
  return json::Value(made.release());
}

/// Fields that requests to a subresource of a built-in kind cannot own: paths with dots.
struct Reset {
  /// Kind, subresource and paths. Kind empty: all kinds without a row of their own.
  std::string_view kind, subresource, paths;
};
constexpr std::array resets{
    Reset{"CertificateSigningRequest", "", "spec status"},
    Reset{"CertificateSigningRequest", "status", "spec status.conditions"},
    Reset{"CertificateSigningRequest", "approval", "spec status.certificate"},
    Reset{"Deployment", "status", "spec metadata.labels"},
    Reset{"Pod", "status", "spec metadata.deletionTimestamp metadata.ownerReferences"},
    Reset{"", "", "status"},
    Reset{"", "status", "spec"},
    Reset{"", "finalize", "status"},
};

/// Returns the filter of a subresource that writes a few fields alone, or nothing.
std::optional<apply::FieldFilter> only_fields_of(std::string_view subresource) {
  const auto field = [](const char* name) { return std::optional(apply::PathElement::field(name)); };
  if (subresource == "ephemeralcontainers")
    return apply::FieldFilter::include(
        apply::PathPattern::prefix({field("spec"), field("ephemeralContainers")}));
  if (subresource != "resize") return std::nullopt;
  std::optional<apply::PathPattern> all;
  for (const char* const list : {"containers", "initContainers"}) {
    for (const char* const member : {"resources", "resizePolicy"}) {
      const auto one = apply::PathPattern::prefix({field("spec"), field(list), std::nullopt, field(member)});
      all = all ? all->merged(one) : one;
    }
  }
  return apply::FieldFilter::include(*std::move(all));
}

apply::FieldFilters ignored_of(const resources::ServedResource& resource, std::string_view subresource) {
  const std::string version = resource.kind.api_version();
  const bool has_status = resource.find_subresource("status") != nullptr;
  if (subresource.empty() && !has_status) return {};
  if (resource.is_custom) {
    if (subresource.empty()) return apply::ignored_of_object(version);
    return subresource == "status" ? apply::ignored_of_status(version) : apply::FieldFilters{};
  }
  if (auto only = only_fields_of(subresource)) return {{version, *std::move(only)}};
  const auto* row = std::ranges::find_if(resets, [&](const Reset& one) {
    return (one.kind.empty() || one.kind == resource.kind.kind) && one.subresource == subresource;
  });
  if (row == resets.end()) return {};
  std::string paths(row->paths);
  if (subresource == "status" && resource.status_is_all) paths += " metadata";
  apply::FieldSet fields;
  for (const std::string_view path : split(paths, ' ')) fields.insert(apply::path_of(split(path, '.')));
  return {{version, apply::FieldFilter::exclude(std::move(fields))}};
}

}  // namespace

apply::ManagedKind managed_kind(const resources::ServedResource& resource, std::string_view subresource) {
  apply::ManagedKind kind;
  kind.kind = resource.kind;
  kind.subresource = subresource;
  kind.type_of = [&resource](std::string_view version) { return type_in(resource, version); };
  kind.refuses_unknown_versions = resource.is_custom;
  kind.convert = [&resource](const json::Value& object, const std::string& version) {
    return converted(resource, object, version);
  };
  kind.ignored = ignored_of(resource, subresource);
  return kind;
}

json::Object zero_of(const resources::ServedResource& resource) {
  const kinds::MessageType* type = resource.is_custom ? nullptr : kinds::Kinds::find(resource.kind);
  return type != nullptr ? apply::zero_object(*type) : json::Object{};
}

void record_owners(const resources::ServedResource& resource, std::string_view subresource,
                   const k8s::Dynamic* live, k8s::Dynamic& next, std::string_view manager, WallTime now) {
  apply::ManagedKind kind = managed_kind(resource, subresource);
  if (live == nullptr) kind.zero = zero_of(resource);
  json::Value recorded = apply::record_update(kind, live != nullptr ? &live->json() : nullptr,
                                              json::Value(next.release()), manager, now);
  next = k8s::Dynamic(std::move(recorded.get_object()));
}

std::string manager_of(const Call& call, std::string_view field_manager) {
  return apply::manager_or_user_agent(field_manager, call.http.header("User-Agent").value_or(""));
}

}  // namespace fairway::apiserver::rest

// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/client/resource_lookup.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"

namespace fairway::kube {

namespace {

using k8s::ApiResource;
using k8s::DiscoveredGroup;
using k8s::DiscoveredResource;
using k8s::DiscoveredVersion;
using k8s::GroupVersion;

using Fits = std::function<bool(const DiscoveredResource& resource)>;

/// Returns "the core group" or "the group apps".
std::string describe_group(std::string_view group) {
  return group.empty() ? "the core group" : "the group " + printable(group, 260);
}

bool has_verb(const DiscoveredResource& resource, std::string_view verb) {
  return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
}

/// Returns the matching resources of a version. A resource whose objects are of another group or version, or
/// that has subresources only, does not match.
std::vector<ApiResource> fitting(const GroupVersion& of, const DiscoveredVersion& version, const Fits& fits) {
  std::vector<ApiResource> result;
  for (const DiscoveredResource& resource : version.resources) {
    const bool own = !resource.response_kind.kind.empty() && resource.response_kind.group_version() == of;
    if (own && fits(resource)) result.emplace_back(resource.response_kind, resource.name, resource.scope);
  }
  return result;
}

/// Returns "pods.v1." or "deployments.v1.apps", which `find_name` takes.
std::string full_name(const ApiResource& resource) {
  return resource.plural + "." + resource.kind.version + "." + resource.kind.group;
}

Result<ApiResource> only_one(const std::string& what, std::vector<ApiResource> found) {
  if (found.size() == 1) return std::move(found.front());
  std::vector<std::string> names;
  for (const ApiResource& one : found) names.push_back(full_name(one));
  return fail(ErrorCode::conflict, what + " is ambiguous: name one of " + join(names, ", "));
}

std::unexpected<Error> stale(const ServedResources& served, const std::string& what,
                             const std::vector<GroupVersion>& versions) {
  std::vector<std::string> reasons;
  for (const GroupVersion& of : versions) {
    const auto reason = served.unavailable.find(of);
    reasons.push_back(of.to_string() +
                      (reason != served.unavailable.end() ? " (" + reason->second.message + ")" : ""));
  }
  return fail(ErrorCode::unavailable, "whether the server has " + what +
                                          " is not known, because it could not list the resources of " +
                                          join(reasons, ", ") +
                                          "; see its APIService (kubectl get apiservices)");
}

std::vector<GroupVersion> stale_versions(const DiscoveredGroup& group) {
  std::vector<GroupVersion> result;
  for (const DiscoveredVersion& version : group.versions) {
    if (version.stale) result.push_back({group.name, version.version});
  }
  return result;
}

/// Returns the known resources of a version; nullptr if it is stale and nothing is known of it.
const DiscoveredVersion* known(const ServedResources& served, const DiscoveredGroup& group,
                               const DiscoveredVersion& version) {
  if (!version.stale) return &version;
  const auto earlier = served.earlier.find({group.name, version.version});
  return earlier != served.earlier.end() ? &earlier->second : nullptr;
}

/// Returns the versions of which something is known, the stale ones last.
std::vector<const DiscoveredVersion*> known_versions(const ServedResources& served,
                                                     const DiscoveredGroup& group) {
  std::vector<const DiscoveredVersion*> result;
  for (const bool stale : {false, true}) {
    for (const DiscoveredVersion& version : group.versions) {
      if (version.stale != stale) continue;
      if (const DiscoveredVersion* one = known(served, group, version)) result.push_back(one);
    }
  }
  return result;
}

/// Returns the matching resources of the first version of a group that has any.
std::vector<ApiResource> fitting(const ServedResources& served, const DiscoveredGroup& group,
                                 const Fits& fits) {
  for (const DiscoveredVersion* version : known_versions(served, group)) {
    auto found = fitting({group.name, version->version}, *version, fits);
    if (!found.empty()) return found;
  }
  return {};
}

/// Picks the resource of a kind. If there are several, those whose objects can be read count: OpenShift's
/// processedtemplates are Templates that can only be created.
Result<ApiResource> of_kind(const std::string& what, const DiscoveredVersion& version,
                            std::vector<ApiResource> found) {
  if (found.size() > 1) {
    const auto stored = [&](const ApiResource& one) {
      return has_verb(*std::ranges::find(version.resources, one.plural, &DiscoveredResource::name), "get");
    };
    if (std::ranges::any_of(found, stored)) std::erase_if(found, std::not_fn(stored));
  }
  return only_one(what, std::move(found));
}

Fits is_kind(std::string_view kind) {
  return [kind](const DiscoveredResource& resource) { return resource.response_kind.kind == kind; };
}

/// Returns the ways in which a name can match, best first, as in kubectl: a plural or singular, then a short
/// name, then a kind.
std::vector<Fits> ways_to_name(const std::string& name) {
  return {
      [&name](const DiscoveredResource& resource) {
        return resource.name == name || (resource.singular.empty() ? to_lower(resource.response_kind.kind)
                                                                   : resource.singular) == name;
      },
      [&name](const DiscoveredResource& resource) {
        return std::ranges::find(resource.short_names, name) != resource.short_names.end();
      },
      [&name](const DiscoveredResource& resource) { return to_lower(resource.response_kind.kind) == name; },
  };
}

Result<ApiResource> find_in_version(const ServedResources& served, const std::string& what,
                                    const DiscoveredGroup& group, const DiscoveredVersion& version,
                                    const std::string& name) {
  const GroupVersion of{group.name, version.version};
  const DiscoveredVersion* of_version = known(served, group, version);
  for (const Fits& fits : ways_to_name(name)) {
    if (of_version == nullptr) break;
    auto found = fitting(of, *of_version, fits);
    if (!found.empty()) return only_one(what, std::move(found));
  }
  if (version.stale) return stale(served, what, {of});
  return fail(ErrorCode::not_found,
              "the server has no resource " + printable(name, 260) + " in " + of.to_string());
}

Result<ApiResource> find_in_group(const ServedResources& served, const std::string& what,
                                  const DiscoveredGroup& group, const std::string& name) {
  for (const Fits& fits : ways_to_name(name)) {
    auto found = fitting(served, group, fits);
    if (!found.empty()) return only_one(what, std::move(found));
  }
  const auto unknown = stale_versions(group);
  if (!unknown.empty()) return stale(served, what, unknown);
  return fail(ErrorCode::not_found,
              "the server has no resource " + printable(name, 260) + " in " + describe_group(group.name));
}

Result<ApiResource> find_anywhere(const ServedResources& served, const std::string& what,
                                  const std::string& name) {
  for (const Fits& fits : ways_to_name(name)) {
    std::vector<ApiResource> found;
    for (const DiscoveredGroup& group : served.discovery.groups) {
      auto more = fitting(served, group, fits);
      std::ranges::move(more, std::back_inserter(found));
    }
    if (!found.empty()) return only_one(what, std::move(found));
  }
  std::vector<GroupVersion> unknown;
  for (const DiscoveredGroup& group : served.discovery.groups) {
    std::ranges::move(stale_versions(group), std::back_inserter(unknown));
  }
  if (!unknown.empty()) return stale(served, what, unknown);
  return fail(ErrorCode::not_found, "the server has no resource " + printable(name, 260));
}

}  // namespace

Result<ApiResource> find_kind(const ServedResources& served, const k8s::GroupVersionKind& kind) {
  const std::string what = kind.to_string();
  const DiscoveredGroup* group = served.discovery.find(kind.group);
  if (group == nullptr) {
    return fail(ErrorCode::not_found,
                "the server does not serve " + what + ": it does not have " + describe_group(kind.group));
  }
  const DiscoveredVersion* version = group->find(kind.version);
  if (version != nullptr) {
    if (const DiscoveredVersion* of_version = known(served, *group, *version)) {
      auto found = fitting(kind.group_version(), *of_version, is_kind(kind.kind));
      if (!found.empty()) return of_kind(what, *of_version, std::move(found));
    }
    if (version->stale) return stale(served, what, {kind.group_version()});
  }
  std::vector<std::string> others;
  for (const DiscoveredVersion* other : known_versions(served, *group)) {
    if (!fitting({group->name, other->version}, *other, is_kind(kind.kind)).empty())
      others.push_back(other->version);
  }
  return fail(ErrorCode::not_found, "the server does not serve " + what +
                                        (others.empty() ? "" : "; it has the kind in " + join(others, ", ")));
}

Result<ApiResource> find_kind(const ServedResources& served, const k8s::GroupKind& kind) {
  const std::string what = "the kind " + kind.to_string();
  const DiscoveredGroup* group = served.discovery.find(kind.group);
  if (group == nullptr) {
    return fail(ErrorCode::not_found,
                "the server does not serve " + what + ": it does not have " + describe_group(kind.group));
  }
  for (const DiscoveredVersion* version : known_versions(served, *group)) {
    auto found = fitting({group->name, version->version}, *version, is_kind(kind.kind));
    if (!found.empty()) return of_kind(what, *version, std::move(found));
  }
  const auto unknown = stale_versions(*group);
  if (!unknown.empty()) return stale(served, what, unknown);
  return fail(ErrorCode::not_found, "the server does not serve " + what);
}

Result<ApiResource> find_name(const ServedResources& served, std::string_view name) {
  const std::string what = "'" + printable(name, 260) + "'";
  const std::string lower = to_lower(name);
  const std::size_t dot = lower.find('.');
  const std::string resource = lower.substr(0, dot);
  const bool is_name = lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos;
  if (!is_name || resource.empty() || dot == lower.size() - 1) {
    return fail(ErrorCode::invalid, what +
                                        " is not the name of a resource; write NAME, NAME.GROUP or "
                                        "NAME.VERSION.GROUP, such as deployments.v1.apps or pods.v1.");
  }
  if (dot == std::string::npos) return find_anywhere(served, what, resource);
  const std::string rest = lower.substr(dot + 1);
  if (const std::size_t second = rest.find('.'); second != std::string::npos) {
    const DiscoveredGroup* group = served.discovery.find(rest.substr(second + 1));
    const DiscoveredVersion* version = group != nullptr ? group->find(rest.substr(0, second)) : nullptr;
    if (version != nullptr) return find_in_version(served, what, *group, *version, resource);
  }
  if (const DiscoveredGroup* group = served.discovery.find(rest)) {
    return find_in_group(served, what, *group, resource);
  }
  return fail(ErrorCode::not_found, "the server has no resource " + what +
                                        ": it has neither a group nor a "
                                        "version of a group " +
                                        printable(rest, 260));
}

}  // namespace fairway::kube

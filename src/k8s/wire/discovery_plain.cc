// SPDX-License-Identifier: Apache-2.0

// The plain documents of discovery: APIVersions, APIGroupList, APIGroup and APIResourceList.
#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "k8s/internal/wire/discovery_json.h"
#include "k8s/wire/discovery.h"

namespace fairway::k8s {

namespace {

bool is_fresh(const DiscoveredVersion& version) {
  return !version.stale;
}

json::Object version_json(std::string_view group, const DiscoveredVersion& version) {
  return {{"groupVersion", GroupVersion{std::string(group), version.version}.to_string()},
          {"version", version.version}};
}

void write_group_members(json::Object& object, const DiscoveredGroup& group) {
  object["name"] = group.name;
  json::Array versions;
  for (const DiscoveredVersion& version : group.versions) {
    if (is_fresh(version)) versions.emplace_back(version_json(group.name, version));
  }
  const bool has_versions = !versions.empty();
  object["versions"] = std::move(versions);
  if (has_versions) {
    object["preferredVersion"] = version_json(group.name, *std::ranges::find_if(group.versions, is_fresh));
  }
}

DiscoveredGroup read_group_members(DocumentReader& reader) {
  DiscoveredGroup group;
  group.name = reader.required("name");
  for (DocumentReader& item : reader.items("versions")) {
    const std::string version = item.required("version");
    if (item.text("groupVersion") != GroupVersion{group.name, version}.to_string()) {
      item.fail("groupVersion", "does not go with the group's name and the version");
    }
    group.versions.push_back({.version = version});
    check_once(item, "version", group.versions, &DiscoveredVersion::version);
  }
  if (auto preferred = reader.object("preferredVersion")) {
    const std::string version = preferred->text("version");
    const auto found = std::ranges::find(group.versions, version, &DiscoveredVersion::version);
    if (found != group.versions.end()) std::rotate(group.versions.begin(), found, found + 1);
    if (found == group.versions.end() && !version.empty())
      preferred->fail("version", "is none of the versions");
  }
  return group;
}

/// Returns a resource or subresource as an entry of the flat list. Subresources have no `singular`.
json::Object entry_json(const GroupVersion& of, const std::string& name, const std::string& singular,
                        const DiscoveredResource& resource, const GroupVersionKind& kind,
                        const std::vector<std::string>& verbs) {
  json::Object object{
      {"name", name}, {"singularName", singular}, {"namespaced", resource.scope == Scope::namespaced}};
  if (!kind.kind.empty() && kind.group_version() != of) {
    if (!kind.group.empty()) object["group"] = kind.group;
    if (!kind.version.empty()) object["version"] = kind.version;
  }
  object["kind"] = kind.kind;
  object["verbs"] = texts_json(verbs);
  return object;
}

/// Returns the resource that a subresource belongs to, which is added if it is not in the list.
DiscoveredResource& parent_of(std::vector<DiscoveredResource>& resources, const std::string& name,
                              Scope scope) {
  const auto found = std::ranges::find(resources, name, &DiscoveredResource::name);
  if (found != resources.end()) return *found;
  return resources.emplace_back(DiscoveredResource{.name = name, .scope = scope});
}

}  // namespace

std::string write_api_versions(const DiscoveredGroup& core, const std::vector<ServerAddress>& addresses) {
  json::Array versions, list;
  for (const DiscoveredVersion& version : core.versions) {
    if (is_fresh(version)) versions.emplace_back(version.version);
  }
  for (const ServerAddress& address : addresses) {
    list.emplace_back(
        json::Object{{"clientCIDR", address.client_cidr}, {"serverAddress", address.server_address}});
  }
  return json::to_text(json::Object{{"kind", "APIVersions"},
                                    {"versions", std::move(versions)},
                                    {"serverAddressByClientCIDRs", std::move(list)}});
}

Result<DiscoveredGroup> read_api_versions(std::string_view text) {
  return read_document<DiscoveredGroup>(text, "APIVersions", [](DocumentReader& document) {
    DiscoveredGroup core;
    for (std::string& version : document.texts("versions")) {
      if (version.empty()) document.fail("versions", "has an empty version");
      core.versions.push_back({.version = std::move(version)});
      check_once(document, "versions", core.versions, &DiscoveredVersion::version);
    }
    return core;
  });
}

std::string write_group_list(const Discovery& discovery) {
  json::Array groups;
  for (const DiscoveredGroup& group : discovery.groups) {
    if (group.name.empty() || std::ranges::none_of(group.versions, is_fresh)) continue;
    json::Object object;
    write_group_members(object, group);
    groups.emplace_back(std::move(object));
  }
  return json::to_text(
      json::Object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}});
}

Result<Discovery> read_group_list(std::string_view text) {
  return read_document<Discovery>(text, "APIGroupList", [](DocumentReader& document) {
    Discovery discovery;
    for (DocumentReader& item : document.items("groups")) {
      discovery.groups.push_back(read_group_members(item));
      check_once(item, "name", discovery.groups, &DiscoveredGroup::name);
    }
    return discovery;
  });
}

std::string write_group(const DiscoveredGroup& group) {
  json::Object object{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  write_group_members(object, group);
  return json::to_text(object);
}

Result<DiscoveredGroup> read_group(std::string_view text) {
  return read_document<DiscoveredGroup>(text, "APIGroup", read_group_members);
}

std::string write_resource_list(const GroupVersion& group_version, const DiscoveredVersion& version) {
  json::Array resources;
  for (const DiscoveredResource& resource : version.resources) {
    if (!resource.response_kind.kind.empty() || !resource.verbs.empty()) {
      json::Object entry = entry_json(group_version, resource.name, resource.singular, resource,
                                      resource.response_kind, resource.verbs);
      if (!resource.short_names.empty()) entry["shortNames"] = texts_json(resource.short_names);
      if (!resource.categories.empty()) entry["categories"] = texts_json(resource.categories);
      if (!resource.storage_version_hash.empty()) entry["storageVersionHash"] = resource.storage_version_hash;
      resources.emplace_back(std::move(entry));
    }
    for (const DiscoveredSubresource& subresource : resource.subresources) {
      if (subresource.response_kind.kind.empty() && subresource.verbs.empty()) continue;
      resources.emplace_back(entry_json(group_version, resource.name + "/" + subresource.name, "", resource,
                                        subresource.response_kind, subresource.verbs));
    }
  }
  return json::to_text(json::Object{{"kind", "APIResourceList"},
                                    {"apiVersion", "v1"},
                                    {"groupVersion", group_version.to_string()},
                                    {"resources", std::move(resources)}});
}

Result<std::pair<GroupVersion, DiscoveredVersion>> read_resource_list(std::string_view text) {
  using Answer = std::pair<GroupVersion, DiscoveredVersion>;
  return read_document<Answer>(text, "APIResourceList", [](DocumentReader& document) {
    Answer answer;
    auto& [of, version] = answer;
    if (auto parsed = GroupVersion::parse(document.text("groupVersion"))) {
      of = *std::move(parsed);
    } else {
      document.fail("groupVersion", parsed.error().message);
    }
    version.version = of.version;
    auto entries = document.items("resources");
    // Subresources may stand before what they belong to.
    for (const bool subresources : {false, true}) {
      for (DocumentReader& entry : entries) {
        const std::string name = entry.required("name");
        const std::size_t slash = name.find('/');
        if ((slash != std::string::npos) != subresources) continue;
        const Scope scope = entry.flag("namespaced") ? Scope::namespaced : Scope::cluster;
        const GroupVersionKind kind =
            complete({entry.text("group"), entry.text("version"), entry.text("kind")}, of);
        if (!subresources) {
          version.resources.push_back({.name = name,
                                       .response_kind = kind,
                                       .scope = scope,
                                       .singular = entry.text("singularName"),
                                       .verbs = entry.texts("verbs"),
                                       .short_names = entry.texts("shortNames"),
                                       .categories = entry.texts("categories"),
                                       .storage_version_hash = entry.text("storageVersionHash")});
          check_once(entry, "name", version.resources, &DiscoveredResource::name);
          continue;
        }
        const std::string parent = name.substr(0, slash), own = name.substr(slash + 1);
        if (parent.empty() || own.empty()) entry.fail("name", "has nothing on one side of its slash");
        DiscoveredResource& resource = parent_of(version.resources, parent, scope);
        if (resource.scope != scope) entry.fail("namespaced", "is not what its resource says");
        resource.subresources.push_back({.name = own, .response_kind = kind, .verbs = entry.texts("verbs")});
        check_once(entry, "name", resource.subresources, &DiscoveredSubresource::name);
      }
    }
    return answer;
  });
}

}  // namespace fairway::k8s

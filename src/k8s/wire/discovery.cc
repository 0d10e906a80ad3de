// SPDX-License-Identifier: Apache-2.0

#include "k8s/wire/discovery.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "k8s/internal/wire/discovery_json.h"

namespace fairway::k8s {

namespace {

constexpr std::string_view list_kind = "APIGroupDiscoveryList", discovery_group = "apidiscovery.k8s.io";

std::string_view name_of(AggregatedVersion version) {
  return version == AggregatedVersion::v2 ? "v2" : "v2beta1";
}

json::Object subresource_json(const DiscoveredSubresource& subresource) {
  json::Object object{{"subresource", subresource.name}};
  // An empty one keeps old clients from reading a null.
  object["responseKind"] = kind_json(subresource.response_kind);
  if (!subresource.accepted_kinds.empty()) {
    json::Array kinds;
    for (const GroupVersionKind& kind : subresource.accepted_kinds) kinds.emplace_back(kind_json(kind));
    object["acceptedTypes"] = std::move(kinds);
  }
  object["verbs"] = texts_json(subresource.verbs);
  return object;
}

json::Object resource_json(const DiscoveredResource& resource) {
  json::Object object{{"resource", resource.name}, {"responseKind", kind_json(resource.response_kind)}};
  object["scope"] = resource.scope == Scope::namespaced ? "Namespaced" : "Cluster";
  object["singularResource"] = resource.singular;
  object["verbs"] = texts_json(resource.verbs);
  if (!resource.short_names.empty()) object["shortNames"] = texts_json(resource.short_names);
  if (!resource.categories.empty()) object["categories"] = texts_json(resource.categories);
  if (!resource.subresources.empty()) {
    json::Array list;
    for (const DiscoveredSubresource& subresource : resource.subresources) {
      list.emplace_back(subresource_json(subresource));
    }
    object["subresources"] = std::move(list);
  }
  return object;
}

json::Object version_json(const DiscoveredVersion& version) {
  json::Object object{{"version", version.version}};
  if (!version.resources.empty()) {
    json::Array list;
    for (const DiscoveredResource& resource : version.resources) list.emplace_back(resource_json(resource));
    object["resources"] = std::move(list);
  }
  object["freshness"] = version.stale ? "Stale" : "Current";
  return object;
}

GroupVersionKind read_kind(DocumentReader& reader) {
  return {reader.text("group"), reader.text("version"), reader.text("kind")};
}

/// Reads a kind. If it has neither group nor version, it has those of the document.
GroupVersionKind read_response_kind(DocumentReader& reader, const GroupVersion& of) {
  auto object = reader.object("responseKind");
  return object ? complete(read_kind(*object), of) : GroupVersionKind{};
}

DiscoveredSubresource read_subresource(DocumentReader& reader, const GroupVersion& of) {
  DiscoveredSubresource subresource;
  subresource.name = reader.required("subresource");
  subresource.response_kind = read_response_kind(reader, of);
  for (DocumentReader& kind : reader.items("acceptedTypes")) {
    subresource.accepted_kinds.push_back(read_kind(kind));
  }
  subresource.verbs = reader.texts("verbs");
  return subresource;
}

DiscoveredResource read_resource(DocumentReader& reader, const GroupVersion& of) {
  DiscoveredResource resource;
  resource.name = reader.required("resource");
  resource.response_kind = read_response_kind(reader, of);
  const std::string scope = reader.required("scope");
  if (scope != "Namespaced" && scope != "Cluster") {
    reader.fail("scope", "'" + printable(scope, 80) + "' is neither Namespaced nor Cluster");
  }
  resource.scope = scope == "Namespaced" ? Scope::namespaced : Scope::cluster;
  resource.singular = reader.text("singularResource");
  resource.verbs = reader.texts("verbs");
  resource.short_names = reader.texts("shortNames");
  resource.categories = reader.texts("categories");
  for (DocumentReader& item : reader.items("subresources")) {
    resource.subresources.push_back(read_subresource(item, of));
    check_once(item, "subresource", resource.subresources, &DiscoveredSubresource::name);
  }
  return resource;
}

}  // namespace

const DiscoveredVersion* DiscoveredGroup::find(std::string_view version) const {
  const auto found = std::ranges::find(versions, version, &DiscoveredVersion::version);
  return found != versions.end() ? &*found : nullptr;
}

const DiscoveredGroup* Discovery::find(std::string_view group) const {
  const auto found = std::ranges::find(groups, group, &DiscoveredGroup::name);
  return found != groups.end() ? &*found : nullptr;
}

std::string write_aggregated(const Discovery& discovery, AggregatedVersion version) {
  json::Array items;
  for (const DiscoveredGroup& group : discovery.groups) {
    json::Object metadata;
    if (!group.name.empty()) metadata["name"] = group.name;
    json::Object item{{"metadata", std::move(metadata)}};
    if (!group.versions.empty()) {
      json::Array versions;
      for (const DiscoveredVersion& one : group.versions) versions.emplace_back(version_json(one));
      item["versions"] = std::move(versions);
    }
    items.emplace_back(std::move(item));
  }
  return json::to_text(
      json::Object{{"kind", list_kind},
                   {"apiVersion", std::string(discovery_group) + "/" + std::string(name_of(version))},
                   {"metadata", json::Object{}},
                   {"items", std::move(items)}});
}

Result<Discovery> read_aggregated(std::string_view text) {
  return read_document<Discovery>(text, list_kind, [](DocumentReader& document) {
    const std::string api_version = document.text("apiVersion");
    if (api_version != "apidiscovery.k8s.io/v2" && api_version != "apidiscovery.k8s.io/v2beta1") {
      document.fail("apiVersion", "'" + printable(api_version, 80) + "' is none that is known");
    }
    Discovery discovery;
    for (DocumentReader& item : document.items("items")) {
      DiscoveredGroup group;
      if (auto metadata = item.object("metadata")) group.name = metadata->text("name");
      for (DocumentReader& entry : item.items("versions")) {
        DiscoveredVersion version;
        version.version = entry.required("version");
        const GroupVersion of{group.name, version.version};
        for (DocumentReader& resource : entry.items("resources")) {
          version.resources.push_back(read_resource(resource, of));
          check_once(resource, "resource", version.resources, &DiscoveredResource::name);
        }
        const std::string freshness = entry.text("freshness");
        version.stale = !freshness.empty() && freshness != "Current";
        group.versions.push_back(std::move(version));
        check_once(entry, "version", group.versions, &DiscoveredVersion::version);
      }
      discovery.groups.push_back(std::move(group));
      check_once(item, "metadata.name", discovery.groups, &DiscoveredGroup::name);
    }
    return discovery;
  });
}

}  // namespace fairway::k8s

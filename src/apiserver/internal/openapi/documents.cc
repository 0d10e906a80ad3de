// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/documents.h"

#include <utility>

#include "apiserver/internal/openapi/operations.h"
#include "apiserver/internal/resources/built_in.h"

namespace fairway::apiserver::openapi {
namespace {

/// Returns the path of a group version: "apis/apps/v1", "api/v1".
std::string path_of(const k8s::GroupVersion& group_version) {
  if (group_version.group.empty()) return "api/" + group_version.version;
  return "apis/" + group_version.group + "/" + group_version.version;
}

}  // namespace

Documents::Documents(const resources::ResourceRegistry& registry, std::string version, const Clock& clock)
    : registry_(registry), version_(std::move(version)), clock_(clock) {}

DocumentPtr Documents::make(Dialect dialect,
                            const std::vector<resources::ServedResourcePtr>& resources) const {
  Schemas schemas(dialect);
  json::Object paths;
  for (const resources::ServedResourcePtr& resource : resources)
    add_paths(dialect, *resource, schemas, paths);
  json::Object document;
  const bool v3 = dialect == Dialect::v3;
  document[v3 ? "openapi" : "swagger"] = v3 ? "3.0.0" : "2.0";
  document["info"] = json::Object{{"title", "Kubernetes"}, {"version", version_}};
  document["paths"] = std::move(paths);
  if (v3) {
    document["components"] = json::Object{{"schemas", schemas.release()}};
  } else {
    document["definitions"] = schemas.release();
  }
  std::string text;
  json::append_text(text, document);
  return std::make_shared<const Document>(dialect, std::move(text), clock_.now());
}

void Documents::refresh() {
  const std::uint64_t generation = registry_.generation();
  if (generation == generation_ && !entries_.empty()) return;
  std::map<k8s::GroupVersion, Entry> now;
  std::vector<resources::ServedResourcePtr> resources = registry_.all();
  resources.insert(resources.end(), resources::built_in_reviews().begin(),
                   resources::built_in_reviews().end());
  for (const resources::ServedResourcePtr& resource : resources) {
    now[{resource->kind.group, resource->kind.version}].resources.push_back(resource);
  }
  for (auto& [group_version, entry] : now) {
    const auto before = entries_.find(group_version);
    if (before != entries_.end() && before->second.resources == entry.resources) {
      entry.document = before->second.document;
    }
  }
  entries_ = std::move(now);
  all_ = nullptr;
  generation_ = generation;
}

const DocumentPtr& Documents::made(Entry& entry) {
  if (entry.document == nullptr) entry.document = make(Dialect::v3, entry.resources);
  return entry.document;
}

DocumentPtr Documents::find(const k8s::GroupVersion& group_version) {
  const std::scoped_lock lock(mutex_);
  refresh();
  const auto found = entries_.find(group_version);
  return found == entries_.end() ? nullptr : made(found->second);
}

http::Bytes Documents::index() {
  const std::scoped_lock lock(mutex_);
  refresh();
  json::Object paths;
  for (auto& [group_version, entry] : entries_) {
    const std::string path = path_of(group_version);
    paths[path] = json::Object{{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + made(entry)->hash()}};
  }
  return http::make_bytes(json::to_text(json::Object{{"paths", std::move(paths)}}));
}

DocumentPtr Documents::all() {
  const std::scoped_lock lock(mutex_);
  refresh();
  if (all_ == nullptr) {
    std::vector<resources::ServedResourcePtr> resources;
    for (const auto& [group_version, entry] : entries_) {
      resources.insert(resources.end(), entry.resources.begin(), entry.resources.end());
    }
    all_ = make(Dialect::v2, resources);
  }
  return all_;
}

}  // namespace fairway::apiserver::openapi

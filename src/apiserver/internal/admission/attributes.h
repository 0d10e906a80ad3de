// A write as admission sees it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/access/user.h"
#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/storage/storage.h"
#include "base/json.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/wire/admission_review.h"

namespace fairway::apiserver::admission {

/// What rules, selectors and expressions may ask for. Everything it refers to outlives it.
struct Attributes {
  k8s::AdmissionOperation operation = k8s::AdmissionOperation::create;
  const ServedResource& resource;
  std::string subresource;
  /// Of the object: that of the resource, or of its subresource (Scale).
  k8s::GroupVersionKind kind;
  /// That of a Namespace is its own name.
  std::string namespace_name;
  /// Empty where it is to be generated.
  std::string name;
  const access::User& user;
  bool dry_run = false;
  /// CreateOptions, UpdateOptions or DeleteOptions.
  json::Object options;
  /// Null for a delete, and for a create.
  const k8s::Dynamic *object = nullptr, *old = nullptr;

  bool is_of_namespaces() const { return resource.kind.group.empty() && resource.plural == "namespaces"; }
};

/// Where namespaces, parameters and equivalent resources are found.
struct Sources {
  storage::Storage& storage;
  const ResourceRegistry& registry;
};

/// What a request leaves beside its answer.
struct Notes {
  std::vector<std::string> warnings;
  /// For the audit log.
  std::vector<std::pair<std::string, std::string>> annotations;

  void take(Notes&& further) {
    for (std::string& warning : further.warnings) warnings.push_back(std::move(warning));
    for (auto& annotation : further.annotations) annotations.push_back(std::move(annotation));
  }
};

}  // namespace fairway::apiserver::admission

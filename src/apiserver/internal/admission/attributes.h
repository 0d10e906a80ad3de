// SPDX-License-Identifier: Apache-2.0

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

/// Facts of a write that rules, selectors and expressions may ask for. Everything it refers to outlives it.
struct Attributes {
  k8s::AdmissionOperation operation = k8s::AdmissionOperation::create;
  const resources::ServedResource& resource;
  std::string subresource;
  /// Kind of the object: that of the resource, or of its subresource (Scale).
  k8s::GroupVersionKind kind;
  /// Namespace of the object; for a Namespace its own name.
  std::string namespace_name;
  /// Name of the object; empty if it is still to be generated, and for a delete of a collection.
  std::string name;
  const access::User& user;
  bool dry_run = false;
  /// The CreateOptions, UpdateOptions or DeleteOptions of the request.
  json::Object options;
  /// The new object, null for a delete, and the old one, null for a create.
  const k8s::Dynamic *object = nullptr, *old = nullptr;

  bool is_of_namespaces() const { return resource.kind.group.empty() && resource.plural == "namespaces"; }
};

/// Sources of namespaces, parameters and equivalent resources.
struct Sources {
  storage::Storage& storage;
  const resources::ResourceRegistry& registry;
};

/// Output of the admission of a request besides the reply.
struct Notes {
  std::vector<std::string> warnings;
  /// Annotations for the audit log.
  std::vector<std::pair<std::string, std::string>> annotations;

  void take(Notes&& further) {
    for (std::string& warning : further.warnings) warnings.push_back(std::move(warning));
    for (auto& annotation : further.annotations) annotations.push_back(std::move(annotation));
  }
};

}  // namespace fairway::apiserver::admission

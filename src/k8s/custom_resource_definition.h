// SPDX-License-Identifier: Apache-2.0

// CustomResourceDefinitions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/internal/kinds/openapi_apiextensions.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// An entry of `spec.versions`.
class CustomResourceVersion : public Checked<View, openapi::custom_resource_definition_version> {
 public:
  using Checked::Checked;
  std::string_view name() const { return text("name"); }
  bool served() const { return flag("served"); }
  bool storage() const { return flag("storage"); }
  /// Returns the schema; empty if absent.
  View schema() const { return at("schema.openAPIV3Schema"); }
  bool has_status() const { return has("subresources.status"); }
  bool has_scale() const { return has("subresources.scale"); }
};

class CustomResourceDefinition : public Checked<Dynamic, openapi::custom_resource_definition> {
 public:
  static constexpr Resource resource{"apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                                     "customresourcedefinitions", Scope::cluster};
  using Checked::Checked;

  std::string_view group() const { return text("spec.group"); }
  std::string_view defined_kind() const { return text("spec.names.kind"); }
  std::string_view plural() const { return text("spec.names.plural"); }
  Scope scope() const { return text("spec.scope") == "Cluster" ? Scope::cluster : Scope::namespaced; }
  std::vector<CustomResourceVersion> versions() const {
    return items<CustomResourceVersion>("spec.versions");
  }
  /// The storage version; empty if no version is marked as such.
  std::string_view storage_version() const;
  /// All versions, served or not, the preferred one first.
  std::vector<std::string> versions_by_priority() const;
  /// `status.storedVersions`: versions in which objects may still be stored.
  std::vector<std::string_view> stored_versions() const { return texts("status.storedVersions"); }
  /// Returns whether the server serves it: the condition Established is True.
  bool is_established() const { return condition_is_true("Established"); }
  bool names_accepted() const { return condition_is_true("NamesAccepted"); }
};

}  // namespace fairway::k8s

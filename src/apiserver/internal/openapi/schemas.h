// SPDX-License-Identifier: Apache-2.0

// The schemas of an OpenAPI document.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/internal/kinds/message_type.h"
#include "apiserver/internal/openapi/dialect.h"
#include "apiserver/internal/resources/served_resource.h"
#include "base/json.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::openapi {

/// Collects the schemas of kinds and of all that they refer to, named as kube-apiserver names them:
/// "io.k8s.api.apps.v1.Deployment". Built-in kinds come from the tables of `kinds/`, which have no
/// descriptions.
class Schemas {
 public:
  explicit Schemas(Dialect dialect) : dialect_(dialect) {}

  /// Returns a reference to a built-in kind: `{"$ref": ...}`; an object of any members if there is no such
  /// kind.
  json::Object built_in(const k8s::GroupVersionKind& kind);
  /// Returns a reference to a custom resource, which `open_api_schema` describes.
  json::Object custom(const resources::ServedResource& resource);
  /// Returns a reference to a list of custom resources.
  json::Object custom_list(const resources::ServedResource& resource);
  /// Returns a reference to the schema of patches: an object.
  json::Object patch();

  /// Returns all schemas by name.
  json::Object release();

 private:
  json::Object reference(std::string_view name) const;
  json::Object with_default(json::Object reference) const;
  json::Object add(const kinds::MessageType& type);
  json::Object meta(std::string_view message);
  json::Object shared(std::string_view name, const json::Object& schema);
  json::Object message_schema(const kinds::MessageType& type);
  json::Object field_schema(const kinds::Field& field);
  json::Object value_schema(const kinds::Field& field);
  json::Object element_schema(const kinds::Field& field);

  Dialect dialect_;
  std::map<std::string, json::Object, std::less<>> schemas_;
  /// Kinds that a schema describes.
  std::map<std::string, std::set<k8s::GroupVersionKind>, std::less<>> kinds_;
};

}  // namespace fairway::apiserver::openapi

// SPDX-License-Identifier: Apache-2.0

// The rules of custom resources: those of their definition.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/definitions/conversion_webhook.h"
#include "apiserver/internal/definitions/custom_schema.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/resources/strategy.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {

/// The schemas of all versions of a definition, which its resources share. A version that is not served has
/// one too: objects may be stored in it.
using Schemas = std::map<std::string, std::shared_ptr<const CustomSchema>, std::less<>>;

/// The rules of one version. Objects are pruned and defaulted whenever they are read or written, also those
/// that are stored in this version: the definition may have changed since.
class CustomStrategy final : public resources::Strategy {
 public:
  /// Makes the rules of a version. `webhook`: nullptr for the strategy None. `scale`: that of the version.
  CustomStrategy(const Schemas& schemas, const std::string& version,
                 std::shared_ptr<const ConversionWebhook> webhook,
                 std::optional<resources::ScalePaths> scale);

  std::vector<std::string> read(k8s::Dynamic& object, schema::Nulls nulls) const override;
  apply::TypeRef type_of(std::string_view version) const override;
  void prepare_for_create(k8s::Dynamic& object) const override;
  void prepare_for_update(k8s::Dynamic& object, const k8s::Dynamic& old, resources::Part part) const override;
  std::vector<k8s::FieldError> validate(const k8s::Dynamic& object, const k8s::Dynamic* old,
                                        resources::Part part) const override;
  /// Returns warnings about new finalizers without a domain.
  std::vector<std::string> warnings(const k8s::Dynamic& object, const k8s::Dynamic* old) const override;
  void refresh(k8s::Dynamic& object) const override;
  /// Returns whether a webhook converts. Without one (strategy None), `convert` changes only apiVersion. In
  /// both cases it removes the fields that the other version does not have.
  bool converts_by_webhook() const override { return webhook_ != nullptr; }
  k8s::StatusResult<flow::Waits::Place> enter_conversion() const override;
  k8s::StatusResult<void> convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const override;

 private:
  Schemas schemas_;
  std::shared_ptr<const CustomSchema> schema_;
  std::shared_ptr<const ConversionWebhook> webhook_;
  std::optional<resources::ScalePaths> scale_;
};

/// Returns the resources of a valid definition, one for each version that is served, with the names that the
/// definition has been given (`status.acceptedNames`). `objects` outlives them.
std::vector<resources::ServedResource> resources_of(const k8s::CustomResourceDefinition& definition,
                                                    objects::Objects& objects);

}  // namespace fairway::apiserver::definitions

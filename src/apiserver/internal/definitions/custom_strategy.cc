// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/custom_strategy.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/internal/definitions/scale_check.h"
#include "apiserver/internal/definitions/whole_numbers.h"
#include "apiserver/internal/objects/metadata_rules.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/quoted_text.h"
#include "k8s/version_priority.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::definitions {

namespace {

std::vector<k8s::FieldError> to_field_errors(schema::Violations problems) {
  std::vector<k8s::FieldError> errors;
  errors.reserve(problems.size());
  for (schema::Violation& problem : problems) {
    errors.push_back({.cause = std::string(problem.cause),
                      .field = std::move(problem.path),
                      .message = std::move(problem.message)});
  }
  return errors;
}

std::vector<std::string> texts(const k8s::View& view, std::string_view path) {
  const auto found = view.texts(path);
  return {found.begin(), found.end()};
}

Schemas schemas_of(const k8s::CustomResourceDefinition& definition) {
  Schemas schemas;
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    schemas.emplace(version.name(), std::make_shared<const CustomSchema>(version.schema().json()));
  }
  return schemas;
}

const std::vector<std::string> object_verbs = {"delete", "deletecollection", "get",    "list",
                                               "patch",  "create",           "update", "watch"};

std::vector<resources::Subresource> subresources_of(const k8s::CustomResourceVersion& version,
                                                    const k8s::GroupVersionKind& kind) {
  std::vector<resources::Subresource> subresources;
  if (version.has_status()) {
    subresources.push_back({.name = "status", .kind = kind, .verbs = {"get", "patch", "update"}});
  }
  if (version.has_scale()) {
    subresources.push_back({.name = "scale",
                            .kind = {"autoscaling", "v1", "Scale"},
                            .verbs = {"get", "patch", "update"},
                            .handler = resources::Handler::scale});
  }
  return subresources;
}

/// Returns ".spec.replicas" as "spec.replicas".
std::string without_dot(std::string_view path) {
  return std::string(path.substr(path.starts_with('.') ? 1 : 0));
}

std::optional<resources::ScalePaths> scale_of(const k8s::CustomResourceVersion& version) {
  if (!version.has_scale()) return std::nullopt;
  const k8s::View scale = version.at("subresources.scale");
  return resources::ScalePaths{without_dot(scale.text("specReplicasPath")),
                               without_dot(scale.text("statusReplicasPath")),
                               without_dot(scale.text("labelSelectorPath"))};
}

}  // namespace

namespace {

/// Returns the warning for users of a deprecated version; empty: it is not deprecated.
std::string deprecation_of(const k8s::CustomResourceVersion& version,
                           const k8s::CustomResourceDefinition& definition) {
  if (!version.flag("deprecated")) return {};
  if (const auto text = version.find_text("deprecationWarning")) return std::string(*text);
  const auto in_full = [&](std::string_view name) {
    return std::string(definition.group()) + "/" + std::string(name) + " " +
           std::string(definition.defined_kind());
  };
  std::string_view best;
  for (const k8s::CustomResourceVersion& other : definition.versions()) {
    if (!other.served() || other.flag("deprecated")) continue;
    if (k8s::compare_priority(other.name(), best.empty() ? version.name() : best) > 0) best = other.name();
  }
  return in_full(version.name()) + " is deprecated" + (best.empty() ? "" : "; use " + in_full(best));
}

}  // namespace

CustomStrategy::CustomStrategy(const Schemas& schemas, const std::string& version,
                               std::shared_ptr<const ConversionWebhook> webhook,
                               std::optional<resources::ScalePaths> scale)
    : schemas_(schemas),
      schema_(schemas.at(version)),
      webhook_(std::move(webhook)),
      scale_(std::move(scale)) {}

namespace {

/// Fills in defaults, except those that would make an object of over a million values: validation finds what
/// is missing.
void fill_in(const CustomSchema& schema, k8s::Dynamic& object, schema::Nulls nulls) {
  [[maybe_unused]] const auto whole = schema.fill_in_defaults(object.json(), nulls);
}

}  // namespace

std::vector<std::string> CustomStrategy::read(k8s::Dynamic& object, schema::Nulls nulls) const {
  std::vector<std::string> unknown = schema_->prune_all(object.json());
  fill_in(*schema_, object, nulls);
  // Metadata is read as that of built-in kinds, which has no empty lists: it does not clear managedFields.
  const json::Value* entries = object.find("metadata.managedFields");
  if (entries != nullptr && entries->is_array() && entries->get_array().empty()) {
    object.erase("metadata.managedFields");
  }
  return unknown;
}

apply::TypeRef CustomStrategy::type_of(std::string_view version) const {
  const auto schema = schemas_.find(version);
  return schema != schemas_.end() ? schema->second->apply_type() : apply::TypeRef{};
}

void CustomStrategy::prepare_for_create(k8s::Dynamic& object) const {
  schema_->prune(object.json());
  fill_in(*schema_, object, schema::Nulls::kept);
  make_whole_numbers_integers(object.json());
}

void CustomStrategy::prepare_for_update(k8s::Dynamic& object, const k8s::Dynamic&,
                                        resources::Part part) const {
  schema_->prune(object.json());
  // Who writes a status does not write the defaults of this version into the spec.
  if (part == resources::Part::object) fill_in(*schema_, object, schema::Nulls::kept);
  make_whole_numbers_integers(object.json());
}

std::vector<k8s::FieldError> CustomStrategy::validate(const k8s::Dynamic& object, const k8s::Dynamic* old,
                                                      resources::Part part) const {
  schema::Violations problems = old == nullptr ? schema_->validate(object.json())
                                : part == resources::Part::status
                                    ? schema_->validate_status_update(object.json(), old->json())
                                    : schema_->validate_update(object.json(), old->json());
  if (scale_) {
    if (old == nullptr || part != resources::Part::status)
      std::ranges::move(check_scale_spec(object.json(), *scale_), std::back_inserter(problems));
    std::ranges::move(check_scale_status(object.json(), *scale_), std::back_inserter(problems));
  }
  return to_field_errors(std::move(problems));
}

std::vector<std::string> CustomStrategy::warnings(const k8s::Dynamic& object, const k8s::Dynamic* old) const {
  const auto finalizers = object.finalizers();
  std::vector<std::string> warnings;
  for (const std::string_view finalizer : std::set<std::string_view>(finalizers.begin(), finalizers.end())) {
    if (old != nullptr && old->has_finalizer(finalizer)) continue;
    if (finalizer.find('/') != std::string_view::npos || objects::is_standard_finalizer(finalizer)) continue;
    const std::string_view including =
        finalizer.find('.') != std::string_view::npos ? " including a path (/)" : "";
    warnings.push_back("metadata.finalizers: " + quote(finalizer) +
                       ": prefer a domain-qualified finalizer name" + std::string(including) +
                       " to avoid accidental conflicts with other finalizer writers");
  }
  return warnings;
}

void CustomStrategy::refresh(k8s::Dynamic& object) const {
  const auto schema = schemas_.find(object.group_version_kind().version);
  // A version that the definition has no longer.
  if (schema == schemas_.end()) return;
  schema->second->prune(object.json());
  fill_in(*schema->second, object, schema::Nulls::removed);
}

k8s::StatusResult<flow::Waits::Place> CustomStrategy::enter_conversion() const {
  return webhook_ != nullptr ? webhook_->enter() : flow::Waits::Place();
}

k8s::StatusResult<void> CustomStrategy::convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const {
  const auto schema = schemas_.find(to.version);
  if (schema == schemas_.end()) {
    return std::unexpected(k8s::answer::internal_error("the definition has no version " + to.version));
  }
  if (webhook_ == nullptr) {
    object.set("apiVersion", to.api_version());
  } else if (auto converted = webhook_->convert(object, to); !converted) {
    return converted;
  }
  schema->second->prune(object.json());
  schema->second->remove_nulls(object.json());
  return {};
}

namespace {

/// Returns the hash of the stored version for discovery: eight bytes of a digest in base64. Empty if that
/// version is not served.
std::string discovery_hash_of(const k8s::CustomResourceDefinition& definition,
                              const k8s::GroupVersionKind& stored) {
  const auto versions = definition.versions();
  const auto is_stored = [&](const k8s::CustomResourceVersion& version) {
    return version.name() == stored.version && version.served();
  };
  if (std::ranges::none_of(versions, is_stored)) return {};
  constexpr std::size_t digits = 16;
  const std::string hex = sha256_hex(stored.group + "/" + stored.version + "/" + stored.kind);
  std::string bytes;
  for (std::size_t at = 0; at < digits; at += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return base64_encode(bytes);
}

}  // namespace

std::vector<resources::ServedResource> resources_of(const k8s::CustomResourceDefinition& definition,
                                                    objects::Objects& objects) {
  const Schemas schemas = schemas_of(definition);
  std::shared_ptr<const ConversionWebhook> webhook;
  if (definition.text("spec.conversion.strategy") == "Webhook") {
    webhook = std::make_shared<const ConversionWebhook>(definition, objects);
  }
  const k8s::View names = definition.at("status.acceptedNames");
  const std::string group(definition.group());
  resources::ServedResource shared;
  shared.plural = names.text("plural");
  shared.singular = names.text("singular");
  shared.short_names = texts(names, "shortNames");
  shared.categories = texts(names, "categories");
  shared.list_name = names.text("listKind");
  shared.scope = definition.scope();
  shared.verbs = object_verbs;
  shared.storage = group + "/" + shared.plural;
  shared.kind = {group, "", std::string(names.text("kind"))};
  shared.storage_kind = {group, std::string(definition.storage_version()), shared.kind.kind};
  shared.storage_version_hash = discovery_hash_of(definition, shared.storage_kind);
  shared.has_generation = true;
  shared.is_custom = true;
  static std::atomic<std::uint64_t> forms{0};
  shared.form = ++forms;
  std::vector<resources::ServedResource> resources;
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    if (!version.served()) continue;
    resources::ServedResource resource = shared;
    resource.kind.version = version.name();
    resource.subresources = subresources_of(version, resource.kind);
    for (const k8s::View& field : version.items("selectableFields")) {
      const std::string_view path = field.text("jsonPath");
      resource.selectable_fields.emplace_back(path.substr(path.starts_with('.') ? 1 : 0));
    }
    resource.scale = scale_of(version);
    resource.deprecation = deprecation_of(version, definition);
    resource.columns = table::custom_columns(version);
    const auto& schema = schemas.at(resource.kind.version);
    resource.open_api_schema = {schema, &schema->schema()};
    resource.strategy =
        std::make_shared<CustomStrategy>(schemas, resource.kind.version, webhook, resource.scale);
    resources.push_back(std::move(resource));
  }
  return resources;
}

}  // namespace fairway::apiserver::definitions

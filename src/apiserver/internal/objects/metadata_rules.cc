// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/metadata_rules.h"

#include <algorithm>
#include <array>

#include "base/quoted_text.h"
#include "k8s/names.h"
#include "schema/metadata.h"

namespace fairway::apiserver::objects {
namespace {

using k8s::FieldError;

void add_faults(std::vector<FieldError>& errors, std::string_view field, std::string_view value,
                const k8s::Faults& faults) {
  for (const std::string& fault : faults)
    errors.push_back(FieldError::invalid(field, json::Value(value), fault));
}

/// Returns the beginning of a generated name for validation: it may end with a dash, as letters follow.
std::string without_last_dash(std::string_view prefix) {
  std::string text(prefix);
  if (text.size() > 1 && text.ends_with('-')) text.back() = 'a';
  return text;
}

/// Adds the problems of labels, annotations, owners and finalizers.
void add_common(std::vector<FieldError>& errors, const k8s::Dynamic& object, bool with_finalizers) {
  for (schema::Violation& problem : schema::check_headers(object.json())) {
    const std::string_view field = problem.path;
    // The skipped fields have rules that depend on the kind.
    if (!field.starts_with("metadata") || field == "metadata.name" || field == "metadata.generateName" ||
        field == "metadata.namespace") {
      continue;
    }
    if (!with_finalizers && field.starts_with("metadata.finalizers")) continue;
    errors.push_back({std::string(problem.cause), std::move(problem.path), std::move(problem.message)});
  }
}

/// Returns a list of texts as Go prints it (%#v).
std::string go_list(const std::vector<std::string>& texts) {
  std::string out = "[]string{";
  for (const std::string& text : texts) out += (&text == &texts.front() ? "" : ", ") + quote(text);
  return out + "}";
}

void check_new_finalizers(std::vector<FieldError>& errors, const k8s::Dynamic& object,
                          const k8s::Dynamic& old) {
  std::vector<std::string> added;
  for (const std::string_view finalizer : object.finalizers()) {
    if (!old.has_finalizer(finalizer)) added.emplace_back(finalizer);
  }
  if (added.empty()) return;
  std::ranges::sort(added);
  errors.push_back(FieldError::forbidden(
      "metadata.finalizers",
      "no new finalizers can be added if the object is being deleted, found new finalizers " +
          go_list(added)));
}

json::Value value_at(const k8s::Dynamic& object, std::string_view path) {
  const json::Value* value = object.find(path);
  return value != nullptr ? *value : json::Value();
}

/// Returns whether finalizers need a domain. Those of custom resources, of Events and of some groups do
/// not.
bool checks_finalizers(const resources::ServedResource& resource) {
  constexpr std::array<std::string_view, 4> lenient{"admissionregistration.k8s.io", "apiextensions.k8s.io",
                                                    "apiregistration.k8s.io", "coordination.k8s.io"};
  return !resource.is_custom && resource.kind.kind != "Event" &&
         std::ranges::find(lenient, resource.kind.group) == lenient.end();
}

void check_finalizer_names(std::vector<FieldError>& errors, const k8s::Dynamic& object) {
  std::size_t index = 0;
  for (const std::string_view finalizer : object.finalizers()) {
    const std::string path = "metadata.finalizers[" + std::to_string(index++) + "]";
    if (finalizer.find('/') != std::string_view::npos || is_standard_finalizer(finalizer)) continue;
    errors.push_back(FieldError::invalid(path, json::Value(finalizer),
                                         "name is neither a standard finalizer name nor is it fully "
                                         "qualified"));
  }
}

}  // namespace

bool is_standard_finalizer(std::string_view finalizer) {
  return finalizer == "kubernetes" || finalizer == "orphan" || finalizer == "foregroundDeletion";
}

std::vector<FieldError> check_metadata(const k8s::Dynamic& object,
                                       const resources::ServedResource& resource) {
  std::vector<FieldError> errors;
  const std::string_view name = object.name(), prefix = object.generate_name(),
                         in_namespace = object.namespace_name();
  if (!prefix.empty()) {
    add_faults(errors, "metadata.generateName", prefix, resource.check_name(without_last_dash(prefix)));
  }
  if (name.empty()) {
    errors.push_back(FieldError::required("metadata.name", "name or generateName is required"));
  } else {
    add_faults(errors, "metadata.name", name, resource.check_name(name));
  }
  if (resource.is_namespaced()) {
    if (in_namespace.empty()) {
      errors.push_back(FieldError::required("metadata.namespace", ""));
    } else {
      add_faults(errors, "metadata.namespace", in_namespace, k8s::check_dns_label(in_namespace));
    }
  } else if (!in_namespace.empty()) {
    errors.push_back(FieldError::forbidden("metadata.namespace", "not allowed on this type"));
  }
  add_common(errors, object, true);
  if (checks_finalizers(resource)) check_finalizer_names(errors, object);
  return errors;
}

std::vector<FieldError> check_metadata_update(const k8s::Dynamic& object, const k8s::Dynamic& old,
                                              const resources::ServedResource& resource) {
  std::vector<FieldError> errors;
  if (old.is_being_deleted()) check_new_finalizers(errors, object, old);
  if (object.generation() < old.generation()) {
    errors.push_back(FieldError::invalid("metadata.generation", value_at(object, "metadata.generation"),
                                         "must not be decremented"));
  }
  for (const std::string_view field :
       {"metadata.name", "metadata.namespace", "metadata.uid", "metadata.creationTimestamp",
        "metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds"}) {
    if (value_at(object, field) != value_at(old, field)) {
      errors.push_back(FieldError::invalid(field, value_at(object, field), "field is immutable"));
    }
  }
  add_common(errors, object, !old.is_being_deleted());
  if (checks_finalizers(resource)) check_finalizer_names(errors, object);
  return errors;
}

}  // namespace fairway::apiserver::objects

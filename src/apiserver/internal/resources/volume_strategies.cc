// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/volume_strategies.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/kinds/volume_claim.h"
#include "apiserver/internal/resources/checked_strategy.h"
#include "apiserver/internal/resources/claim_growth.h"
#include "apiserver/internal/resources/data_sources.h"
#include "apiserver/internal/resources/deprecated_labels.h"
#include "apiserver/internal/resources/same_value.h"
#include "apiserver/internal/resources/take_over.h"
#include "apiserver/internal/resources/write_scope.h"
#include "apiserver/internal/validation/objects.h"
#include "base/quoted_text.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using Errors = std::vector<FieldError>;

constexpr std::string_view volume_path = "spec.volumeName", phase_path = "status.phase",
                           transition_path = "status.lastPhaseTransitionTime",
                           affinity_path = "spec.nodeAffinity",
                           attributes_path = "spec.volumeAttributesClassName";

/// Returns whether the class of the former annotation has become the field, or no class was set until now.
bool takes_class(const Dynamic& object, const Dynamic& old) {
  if (old.has(kinds::class_path) || !object.has(kinds::class_path)) return false;
  const auto annotation = old.annotations().find(kinds::class_annotation);
  return !annotation || *annotation == object.text(kinds::class_path);
}

/// Checks that the class in the former annotation stays, unless it becomes the field.
void check_class_annotation(Errors& errors, const Dynamic& object, const Dynamic& old) {
  const auto former = old.annotations().find(kinds::class_annotation),
             now = object.annotations().find(kinds::class_annotation);
  const bool moves = former && !old.has(kinds::class_path) && object.has(kinds::class_path) &&
                     object.text(kinds::class_path) == *former && now.value_or(*former) == *former;
  if (moves || former.value_or("") == now.value_or("")) return;
  errors.push_back(FieldError::invalid("metadata.annotations." + std::string(kinds::class_annotation),
                                       json::Value(now.value_or("")), "field is immutable"));
}

/// Checks that a claim which has a class of attributes keeps one.
void check_attributes_class(Errors& errors, const Dynamic& object, const Dynamic& old) {
  if (!old.has("status.currentVolumeAttributesClassName") || !object.text(attributes_path).empty() ||
      same_at(object, old, attributes_path))
    return;
  errors.push_back(FieldError::forbidden(
      attributes_path, "update to " + std::string(object.has(attributes_path) ? "empty string" : "nil") +
                           " is forbidden when status.currentVolumeAttributesClassName is not nil"));
}

Errors check_claim(const Dynamic& object, const Dynamic* old) {
  Errors errors = validation::check_object("PersistentVolumeClaim", object, old);
  if (old == nullptr) return errors;
  check_class_annotation(errors, object, *old);
  check_attributes_class(errors, object, *old);
  Dynamic now(json::Object{{"spec", value_at(object, "spec")}}),
      before(json::Object{{"spec", value_at(*old, "spec")}});
  equal_data_sources(before);
  if (old->text(volume_path).empty()) take_over(before, now, volume_path);
  if (takes_class(object, *old)) now.erase(kinds::class_path);
  if (old->text(phase_path) == "Bound") {
    if (now.has("spec.resources.requests")) take_over(now, before, kinds::claim_size_path);
    take_over(now, before, attributes_path);
  }
  if (!same_at(now, before, "spec")) {
    errors.push_back(FieldError::forbidden("spec",
                                           "spec is immutable after creation except resources.requests and "
                                           "volumeAttributesClassName for bound claims"));
  }
  const cel::Nano size = kinds::size_at(object, kinds::claim_size_path);
  if (size < kinds::size_at(*old, kinds::claim_size_path) &&
      size <= kinds::size_at(*old, "status.capacity.storage")) {
    errors.push_back(
        FieldError::forbidden(kinds::claim_size_path, "field can not be less than status.capacity"));
  }
  return errors;
}

/// Returns the spec with only the volume's source, and without the part of it that may be added.
Dynamic source_of(const Dynamic& volume, const Dynamic& old) {
  constexpr std::array<std::string_view, 9> others{
      "capacity",     "accessModes", "claimRef",     "persistentVolumeReclaimPolicy", "storageClassName",
      "mountOptions", "volumeMode",  "nodeAffinity", "volumeAttributesClassName"};
  constexpr std::string_view expansion = "spec.csi.controllerExpandSecretRef";
  Dynamic source(json::Object{{"spec", value_at(volume, "spec")}});
  for (const std::string_view member : others) source.erase("spec." + std::string(member));
  if (!old.has(expansion)) source.erase(expansion);
  return source;
}

/// Calls `visit` with each requirement of a volume's affinity, the index of its term and its index there.
template <typename Visit>
void each_requirement(json::Value& affinity, const Visit& visit) {
  const auto list = [](json::Value* of, std::string_view name) -> json::Array* {
    json::Value* found = of != nullptr && of->is_object() ? of->as_object().if_contains(name) : nullptr;
    return found != nullptr ? found->if_array() : nullptr;
  };
  json::Value* required = affinity.is_object() ? affinity.as_object().if_contains("required") : nullptr;
  json::Array* terms = list(required, "nodeSelectorTerms");
  if (terms == nullptr) return;
  for (std::size_t term = 0; term < terms->size(); ++term) {
    json::Array* requirements = list(&(*terms)[term], "matchExpressions");
    for (std::size_t i = 0; requirements != nullptr && i < requirements->size(); ++i) {
      if (json::Object* requirement = (*requirements)[i].if_object()) visit(*requirement, term, i);
    }
  }
}

std::string_view key_of(const json::Object& requirement) {
  const json::Value* key = requirement.if_contains("key");
  return key != nullptr && key->is_string() ? std::string_view(key->as_string()) : std::string_view();
}

/// Returns whether an affinity has not changed, except for deprecated labels that have become their
/// successors.
bool is_same_affinity(const Dynamic& object, const Dynamic& old) {
  json::Value now = value_at(object, affinity_path), before = value_at(old, affinity_path);
  std::map<std::pair<std::size_t, std::size_t>, std::string> keys;
  each_requirement(now, [&](const json::Object& requirement, std::size_t term, std::size_t i) {
    keys[{term, i}] = key_of(requirement);
  });
  each_requirement(before, [&](json::Object& requirement, std::size_t term, std::size_t i) {
    const DeprecatedLabel* label = find_deprecated_label(key_of(requirement));
    const auto key = keys.find({term, i});
    if (label != nullptr && key != keys.end() && key->second == label->successor) {
      requirement["key"] = label->successor;
    }
  });
  return same_value(&now, &before);
}

Errors check_volume(const Dynamic& object, const Dynamic* old) {
  Errors errors = validation::check_object("PersistentVolume", object, old);
  if (old == nullptr) return errors;
  if (!same_at(source_of(object, *old), source_of(*old, *old), "spec")) {
    errors.push_back(FieldError::forbidden("spec.persistentvolumesource",
                                           "spec.persistentvolumesource is immutable after creation"));
  }
  if (old->has(affinity_path) && !is_same_affinity(object, *old)) {
    errors.push_back(FieldError::invalid("nodeAffinity", value_at(object, affinity_path),
                                         "field is immutable, except for updating from beta label to GA"));
  }
  if (old->has(attributes_path) && !object.has(attributes_path))
    errors.push_back(FieldError::forbidden(attributes_path, "update from non-nil value to nil is forbidden"));
  return errors;
}

class ClaimStrategy final : public CheckedStrategy {
 public:
  ClaimStrategy() : CheckedStrategy({"", "PersistentVolumeClaim"}, &check_claim) {}
  void prepare_for_create(Dynamic& object) const override {
    object.set(phase_path, "Pending");
    complete_data_sources(object, nullptr);
  }
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part part) const override {
    if (part == Part::object) complete_data_sources(object, &old);
  }
  k8s::StatusResult<void> check_update(const Dynamic& claim, const Dynamic& old, Part part,
                                       const WriteScope& scope) const override {
    if (part != Part::object) return {};
    return check_claim_growth(scope.storage, claim, old);
  }
};

class VolumeStrategy final : public CheckedStrategy {
 public:
  VolumeStrategy() : CheckedStrategy({"", "PersistentVolume"}, &check_volume) {}
  void prepare_for_create(Dynamic& object) const override { object.set(phase_path, "Pending"); }
  std::vector<std::string> warnings(const Dynamic& object, const Dynamic*) const override {
    std::vector<std::string> found;
    json::Value affinity = value_at(object, affinity_path);
    each_requirement(affinity, [&](const json::Object& requirement, std::size_t term, std::size_t i) {
      const DeprecatedLabel* label = find_deprecated_label(key_of(requirement));
      if (label == nullptr) return;
      found.push_back("spec.nodeAffinity.required.nodeSelectorTerms[" + std::to_string(term) +
                      "].matchExpressions[" + std::to_string(i) + "].key: " + std::string(label->name) +
                      " is deprecated since " + std::string(label->since) + "; use " +
                      quote(label->successor) + " instead");
    });
    return found;
  }
  void stamp(Dynamic& object, const Dynamic* old, const Writer& writer) const override {
    const bool moved = old == nullptr || old->text(phase_path) != object.text(phase_path);
    // A transition time that the client has changed stays.
    const bool is_said =
        old != nullptr && object.has(transition_path) && !same_at(object, *old, transition_path);
    if (moved && !is_said) {
      object.set_time(transition_path, writer.now);
    } else if (!moved && !object.has(transition_path)) {
      take_over(object, *old, transition_path);
    }
  }
};

}  // namespace

std::shared_ptr<const Strategy> claim_strategy() {
  return std::make_shared<ClaimStrategy>();
}

std::shared_ptr<const Strategy> volume_strategy() {
  return std::make_shared<VolumeStrategy>();
}

}  // namespace fairway::apiserver::resources

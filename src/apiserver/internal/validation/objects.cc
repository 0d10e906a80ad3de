// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/objects.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/internal/validation/check_selector.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {
namespace {

/// The selector of a kind: one that was wrong before may have values that are none.
struct Selector {
  std::string_view type, path;
};
constexpr std::array selectors{Selector{"NetworkPolicy", "spec.podSelector"},
                               Selector{"PersistentVolumeClaim", "spec.selector"},
                               Selector{"PodDisruptionBudget", "spec.selector"}};

bool has_bad_selector(std::string_view type, const k8s::View& old) {
  const auto* selector = std::ranges::find(selectors, type, &Selector::type);
  return selector != selectors.end() && old.has(selector->path) &&
         !check_selector(old.at(selector->path), "", true).empty();
}

}  // namespace

std::vector<k8s::FieldError> check_object(std::string_view type, const k8s::View& object,
                                          const k8s::View* old) {
  Errors errors;
  PodFacts facts{.is_update = old != nullptr};
  if (old != nullptr) {
    facts.old_object = &old->json();
    facts.allows_bad_label_values = has_bad_selector(type, *old);
  }
  check_type(type, Scope(object.json(), Path(), facts, errors));
  return std::move(errors).take();
}

}  // namespace fairway::apiserver::validation

// SPDX-License-Identifier: Apache-2.0

// Kinds whose only rules are what is checked when they are written.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/resources/frozen_fields.h"
#include "apiserver/internal/resources/strategy.h"
#include "apiserver/internal/validation/objects.h"

namespace fairway::apiserver::resources {

/// Returns the problems of an object itself; `old` is null for a create.
using ObjectCheck = std::vector<k8s::FieldError> (*)(const k8s::Dynamic& object, const k8s::Dynamic* old);

/// Applies a check and the rules of a type of the table (`validation::check_object`) to creates and updates,
/// and checks that frozen fields do not change (`check_frozen_fields`). A change of a subresource is not
/// checked.
class CheckedStrategy : public Strategy {
 public:
  /// Makes the strategy of a kind. `rules` is a literal: a type of the table, or empty if it has none.
  explicit CheckedStrategy(k8s::GroupKind kind, ObjectCheck check = nullptr, bool frozen_first = false,
                           std::string_view rules = {})
      : kind_(std::move(kind)), check_(check), frozen_first_(frozen_first), rules_(rules) {}

  std::vector<k8s::FieldError> validate(const k8s::Dynamic& object, const k8s::Dynamic* old,
                                        Part part) const override {
    std::vector<k8s::FieldError> errors, frozen;
    if (part != Part::object) return errors;
    if (check_ != nullptr) errors = check_(object, old);
    if (!rules_.empty()) {
      for (k8s::FieldError& error : validation::check_object(rules_, object, old))
        errors.push_back(std::move(error));
    }
    if (old != nullptr) frozen = check_frozen_fields(kind_, object, *old);
    // Errors are told in the order of kube-apiserver.
    errors.insert(frozen_first_ ? errors.begin() : errors.end(), frozen.begin(), frozen.end());
    return errors;
  }

 private:
  k8s::GroupKind kind_;
  ObjectCheck check_;
  bool frozen_first_;
  std::string_view rules_;
};

}  // namespace fairway::apiserver::resources

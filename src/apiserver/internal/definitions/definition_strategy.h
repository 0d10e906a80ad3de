// SPDX-License-Identifier: Apache-2.0

// The rules of CustomResourceDefinitions themselves.
#pragma once

#include <vector>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::definitions {

/// Finalizer of the server's own, which holds a deleted definition until all of its objects are gone.
inline constexpr std::string_view cleanup_finalizer = "customresourcecleanup.apiextensions.k8s.io";

class DefinitionStrategy final : public resources::Strategy {
 public:
  void prepare_for_create(k8s::Dynamic& definition) const override;
  void prepare_for_update(k8s::Dynamic& definition, const k8s::Dynamic& old,
                          resources::Part part) const override;
  std::vector<k8s::FieldError> validate(const k8s::Dynamic& definition, const k8s::Dynamic* old,
                                        resources::Part part) const override;
  /// Returns warnings about formats that have no effect; for an update, about the new ones.
  std::vector<std::string> warnings(const k8s::Dynamic& definition, const k8s::Dynamic* old) const override;
  bool holds_deletion(const k8s::Dynamic& definition) const override;
  void mark_deleted(k8s::Dynamic& definition) const override;
};

}  // namespace fairway::apiserver::definitions

// The rules of CustomResourceDefinitions themselves.
#pragma once

#include <vector>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::definitions {

/// Objects are deleted before their definition: it stays, with a finalizer of the server's own, until all are
/// gone.
inline constexpr std::string_view cleanup_finalizer = "customresourcecleanup.apiextensions.k8s.io";

class DefinitionStrategy final : public Strategy {
 public:
  void prepare_for_create(k8s::Dynamic& definition) const override;
  void prepare_for_update(k8s::Dynamic& definition, const k8s::Dynamic& old, Part part) const override;
  std::vector<k8s::FieldError> validate(const k8s::Dynamic& definition, const k8s::Dynamic* old,
                                        Part part) const override;
  /// Formats that have no effect; of an update those that it brings.
  std::vector<std::string> warnings(const k8s::Dynamic& definition, const k8s::Dynamic* old) const override;
  bool holds_deletion(const k8s::Dynamic& definition) const override;
  void mark_deleted(k8s::Dynamic& definition) const override;
};

}  // namespace fairway::apiserver::definitions

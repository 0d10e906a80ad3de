// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/volume_claim.h"

namespace fairway::apiserver::kinds {

cel::Nano size_at(const k8s::View& object, std::string_view path) {
  return cel::parse_quantity(object.text(path)).value_or(0);
}

std::string_view storage_class_of(const k8s::View& object) {
  const auto annotated = object.map("metadata.annotations").find(class_annotation);
  return annotated ? *annotated : object.text(class_path);
}

}  // namespace fairway::apiserver::kinds

// SPDX-License-Identifier: Apache-2.0

// The size and the StorageClass of PersistentVolumeClaims.
#pragma once

#include <string_view>

#include "cel/library/quantity.h"
#include "k8s/view.h"

namespace fairway::apiserver::kinds {

inline constexpr std::string_view claim_size_path = "spec.resources.requests.storage",
                                  class_path = "spec.storageClassName",
                                  class_annotation = "volume.beta.kubernetes.io/storage-class";

/// Returns the quantity at a path; 0 if there is none.
cel::Nano size_at(const k8s::View& object, std::string_view path);

/// Returns the StorageClass of a claim or a volume, empty without one. The annotation is older than the
/// field, and takes precedence.
std::string_view storage_class_of(const k8s::View& object);

}  // namespace fairway::apiserver::kinds

// SPDX-License-Identifier: Apache-2.0

// Transforms of objects before they are cached.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// Changes objects before they are cached. Informers with transforms of different names are not shared.
/// `preserved_fields` are always preserved. An object for which it throws is cached unchanged.
struct Transform {
  /// Name; empty without a transform. A transform without a name throws std::logic_error.
  std::string name = {};
  std::function<void(k8s::Dynamic& object)> apply = {};
};

/// Fields that informers and controllers need of each object: its identity and version; the generation, which
/// `update_status` guards; and deletionTimestamp and finalizers, which `finalize` reads and writes.
inline constexpr std::array preserved_fields{"apiVersion",          "kind",
                                             "metadata.name",       "metadata.namespace",
                                             "metadata.uid",        "metadata.resourceVersion",
                                             "metadata.generation", "metadata.deletionTimestamp",
                                             "metadata.finalizers"};

/// Returns a transform that keeps only these fields, given as paths: "metadata.labels", "spec.ports", with
/// everything below them.
Transform only_fields(std::vector<std::string> paths);

}  // namespace fairway::kube

// Transforms of objects before they are cached.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// Changes objects before they are cached. Informers with transforms of different names are not shared.
/// apiVersion, kind, namespace, name, uid and resourceVersion are always preserved. An object for which it
/// throws is cached unchanged.
struct Transform {
  /// Empty without a transform. A transform without a name throws std::logic_error.
  std::string name;
  std::function<void(k8s::Dynamic& object)> apply;
};

/// Keeps only these fields, as paths: "metadata.labels", "spec.ports", with everything below them.
Transform only_fields(std::vector<std::string> paths);

}  // namespace fairway::kube

// What of an object is kept in an informer's store.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// Changes objects before they are stored. Informers that differ in the name of their transform are different
/// ones. Whatever is done to them, apiVersion, kind, namespace, name, uid and resourceVersion are kept. An
/// object for which it throws is kept as it came.
struct Transform {
  /// Empty where there is none. One that has no name is a fault of the program: std::logic_error.
  std::string name;
  std::function<void(k8s::Dynamic& object)> apply;
};

/// Only these fields, as paths: "metadata.labels", "spec.ports". What lies below them is kept whole.
Transform only_fields(std::vector<std::string> paths);

}  // namespace fairway::kube

// SPDX-License-Identifier: Apache-2.0

// Keys of objects in hash tables.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "k8s/object.h"

namespace fairway::kube {

struct KeyHash {
  std::size_t operator()(const k8s::Key& key) const {
    const std::hash<std::string_view> hash;
    constexpr std::size_t odd = 0x9E3779B97F4A7C15;  // names of two namespaces are often the same
    return hash(key.name) ^ (hash(key.namespace_name) * odd);
  }
};

}  // namespace fairway::kube

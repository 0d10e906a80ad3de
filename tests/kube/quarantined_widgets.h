// SPDX-License-Identifier: Apache-2.0

// Widgets that a server sends, some of them quarantined, and what became of them.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/quarantine.h"
#include "kube/controller_kinds.h"

namespace fairway::kube::testing {

using Texts = std::vector<std::string>;

/// Records what handlers and reconciles were told.
class Record {
 public:
  void add(const std::string& what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(what);
  }
  Texts told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::size_t count(const std::string& what) const {
    return static_cast<std::size_t>(std::ranges::count(told(), what));
  }

 private:
  mutable std::mutex mutex_;
  Texts told_;
};

/// An object as a server sends it; without a color it is quarantined.
inline k8s::Dynamic sent(const std::string& name, int version, std::string_view color,
                         const std::string& uid = "1") {
  k8s::Dynamic object = widget(name, color);
  object.set("metadata.uid", uid);
  object.set_resource_version(std::to_string(version));
  if (color.empty()) {
    object.erase("spec");
    object.set_annotation(k8s::quarantined_annotation, "{}");
    object.set_annotation(k8s::original_annotation, "{}");
  }
  return object;
}

}  // namespace fairway::kube::testing

// SPDX-License-Identifier: Apache-2.0

#include "kube/informer/transform.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::kube {

Transform only_fields(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  std::string name = "only " + join(paths, " ");
  paths.insert(paths.end(), preserved_fields.begin(), preserved_fields.end());
  return {std::move(name), [paths = std::move(paths)](k8s::Dynamic& object) {
            k8s::Dynamic kept;
            for (const std::string& path : paths) {
              if (const json::Value* value = object.find(path)) kept.set(path, *value);
            }
            object = std::move(kept);
          }};
}

}  // namespace fairway::kube

#include "kube/informer/transform.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::kube {

Transform only_fields(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  std::string name = "only " + join(paths, " ");
  for (const char* always : {"apiVersion", "kind", "metadata.namespace", "metadata.name", "metadata.uid",
                             "metadata.resourceVersion"}) {
    paths.emplace_back(always);
  }
  return {std::move(name), [paths = std::move(paths)](k8s::Dynamic& object) {
            k8s::Dynamic kept;
            for (const std::string& path : paths) {
              if (const json::Value* value = object.find(path)) kept.set(path, *value);
            }
            object = std::move(kept);
          }};
}

}  // namespace fairway::kube

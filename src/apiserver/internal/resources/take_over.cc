// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/take_over.h"

namespace fairway::apiserver::resources {

void take_over(k8s::Dynamic& object, const k8s::Dynamic& from, std::string_view path) {
  if (const json::Value* value = from.find(path)) {
    object.set(path, json::Value(*value));
  } else {
    object.erase(path);
  }
}

}  // namespace fairway::apiserver::resources

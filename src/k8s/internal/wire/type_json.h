// SPDX-License-Identifier: Apache-2.0

// Kinds and lists of texts, as documents of the API machinery write them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "k8s/group_version.h"

namespace fairway::k8s {

inline json::Array texts_json(const std::vector<std::string>& texts) {
  json::Array list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

inline json::Object kind_json(const GroupVersionKind& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

}  // namespace fairway::k8s

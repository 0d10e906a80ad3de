// SPDX-License-Identifier: Apache-2.0

// Comparison of answers with those of tables of requests. Expected members must be there with these values;
// null means absent; a list must have these items and no others.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway::apiserver::testing {

/// Returns the first difference of a reply from the expected one; empty: there is none.
inline std::string difference(const json::Value& expected, const json::Value* there,
                              const std::string& path) {
  if (expected.is_null()) {
    return there == nullptr || there->is_null() ? "" : path + ": is there: " + json::to_text(*there);
  }
  if (there == nullptr) return path + ": is missing";
  if (const json::Object* members = expected.if_object(); members != nullptr && there->is_object()) {
    for (const auto& member : *members) {
      const std::string found = difference(member.value(), there->get_object().if_contains(member.key()),
                                           path + "." + std::string(member.key()));
      if (!found.empty()) return found;
    }
    return "";
  }
  if (const json::Array* items = expected.if_array(); items != nullptr && there->is_array()) {
    const json::Array& others = there->get_array();
    if (items->size() != others.size()) return path + ": is " + json::to_text(*there);
    for (std::size_t i = 0; i < items->size(); ++i) {
      const std::string found = difference((*items)[i], &others[i], path + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
    return "";
  }
  return expected == *there ? "" : path + ": is " + json::to_text(*there);
}

inline std::string text_of(const json::Value& value, std::string_view name, std::string_view otherwise = "") {
  return std::string(json::find_string(value, name).value_or(otherwise));
}

}  // namespace fairway::apiserver::testing

// The data files of tests/k8s/data.
#pragma once

#include <stdexcept>
#include <string>

#include "base/json.h"
#include "support/cases.h"
#include "support/table.h"

namespace fairway::k8s::testing {

inline std::string data_path(const std::string& name) {
  return std::string(FAIRWAY_SOURCE_DIR) + "/tests/k8s/data/" + name;
}

inline json::Array read_cases(const std::string& name) {
  return fairway::testing::read_cases(data_path(name));
}

/// A member of a case that must be there.
inline const json::Value& field(const json::Value& one, const std::string& key) {
  const json::Value* value = json::find(one, key);
  if (value == nullptr) throw std::runtime_error("no \"" + key + "\" in " + json::to_text(one));
  return *value;
}

inline std::string text(const json::Value& one, const std::string& key) {
  return std::string(field(one, key).as_string());
}

}  // namespace fairway::k8s::testing

// SPDX-License-Identifier: Apache-2.0

// JSON files of cases.
#pragma once

#include <stdexcept>
#include <string>

#include "base/file.h"
#include "base/json.h"

namespace fairway::testing {

/// Reads a JSON file that is a list of cases; throws if it cannot: the fault is the test's, not the code's.
inline json::Array read_cases(const std::string& path) {
  const auto text = read_file(path);
  if (!text) throw std::runtime_error(text.error().message);
  auto value = json::parse(*text);
  if (!value) throw std::runtime_error(path + ": " + value.error().message);
  return std::move(value->as_array());
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

}  // namespace fairway::testing

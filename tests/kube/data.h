// The data files of tests/kube/data.
#pragma once

#include <stdexcept>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "support/table.h"

namespace fairway::kube::testing {

inline std::string data_path(const std::string& name) {
  return std::string(FAIRWAY_SOURCE_DIR) + "/tests/kube/data/" + name;
}

/// Reads a JSON file of cases; throws where it cannot: the test has a fault, not the code.
inline json::Array read_cases(const std::string& name) {
  const auto text = read_file(data_path(name));
  if (!text) throw std::runtime_error(text.error().message);
  auto value = json::parse(*text);
  if (!value) throw std::runtime_error(name + ": " + value.error().message);
  return std::move(value->as_array());
}

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace fairway::kube::testing

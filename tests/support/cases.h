// JSON files of cases.
#pragma once

#include <stdexcept>
#include <string>

#include "base/file.h"
#include "base/json.h"

namespace fairway::testing {

/// Reads a JSON file that is a list of cases; throws where it cannot: the test has a fault, not the code.
inline json::Array read_cases(const std::string& path) {
  const auto text = read_file(path);
  if (!text) throw std::runtime_error(text.error().message);
  auto value = json::parse(*text);
  if (!value) throw std::runtime_error(path + ": " + value.error().message);
  return std::move(value->as_array());
}

}  // namespace fairway::testing

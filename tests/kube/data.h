// SPDX-License-Identifier: Apache-2.0

// The data files of tests/kube/data.
#pragma once

#include <stdexcept>
#include <string>

#include "base/json.h"
#include "support/cases.h"
#include "support/table.h"

namespace fairway::kube::testing {

inline std::string data_path(const std::string& name) {
  return std::string(FAIRWAY_SOURCE_DIR) + "/tests/kube/data/" + name;
}

inline json::Array read_cases(const std::string& name) {
  return fairway::testing::read_cases(data_path(name));
}

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace fairway::kube::testing

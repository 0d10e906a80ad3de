// SPDX-License-Identifier: Apache-2.0

// The data files of tests/k8s/data.
#pragma once

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

using fairway::testing::field;
using fairway::testing::text;

}  // namespace fairway::k8s::testing

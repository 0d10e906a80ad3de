// SPDX-License-Identifier: Apache-2.0

// The tables of tests/http/data.
#pragma once

#include <string>
#include <vector>

#include "support/table.h"

namespace fairway::http {

using fairway::testing::TableRow;

inline std::vector<TableRow> read_table(const std::string& name) {
  return fairway::testing::read_table(std::string(FAIRWAY_SOURCE_DIR) + "/tests/http/data/" + name);
}

}  // namespace fairway::http

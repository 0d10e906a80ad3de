// SPDX-License-Identifier: Apache-2.0

// Test kit: conversions as rows of a data file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/converters.h"

namespace fairway::testing {

/// One conversion, and its expected result.
struct TableRow {
  std::string name = {};
  k8s::Dynamic input = {};
  /// "v1" or "example.com/v1"; absent if it is that of the output.
  std::string to = {};
  /// The expected object; the order of keys does not matter.
  std::optional<k8s::Dynamic> output = {};
  /// A part of the expected error message, in place of `output`.
  std::optional<std::string> error = {};
};

/// Reads a YAML or JSON text: a list of rows with `name`, `input`, `to`, and `output` or `error`. Errors name
/// the row and the missing member; an unknown member is an error.
Result<std::vector<TableRow>> parse_table_rows(std::string_view text);

/// Converts each row's input. Returns a line for each row with another result; empty on
/// success.
std::vector<std::string> check_table_rows(const conversion::Converters& converters,
                                          const std::vector<TableRow>& rows);

}  // namespace fairway::testing

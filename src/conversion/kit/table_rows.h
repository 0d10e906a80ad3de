// Test kit: conversions as rows of a data file. spec: crd-versioning, unit
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/converters.h"

namespace fairway::conversion {

/// One conversion, and what comes of it.
struct TableRow {
  std::string name;
  k8s::Dynamic input;
  /// "v1" or "example.com/v1"; absent where it is that of the output.
  std::string to;
  /// The object that comes out; the order of keys does not matter.
  std::optional<k8s::Dynamic> output;
  /// Or what the error says, a part of it.
  std::optional<std::string> error;
};

/// Reads a YAML or JSON text: a list of rows with `name`, `input`, `to`, and `output` or `error`. Errors name
/// the row and what it lacks; a member that is not known is an error.
Result<std::vector<TableRow>> parse_table_rows(std::string_view text);

/// Converts each row's input. The result has a line for each row that does not give what it says; none is
/// well.
std::vector<std::string> check_table_rows(const Converters& converters, const std::vector<TableRow>& rows);

}  // namespace fairway::conversion

// SPDX-License-Identifier: Apache-2.0

// Columns of tables that a CustomResourceDefinition asks for (`additionalPrinterColumns`).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "apiserver/internal/table/json_path.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::table {

/// Returns an age as kubectl shows it: "59s", "2m1s", "3h", "2d4h", "8y". "<invalid>" if it lies in the
/// future by 2 s or more, or is longer than Go's durations (292 years).
std::string human_duration(std::chrono::seconds age);

class PrinterColumn {
 public:
  /// Makes a column. `type`: "string", "integer", "number", "boolean" or "date". Errors (`invalid`): the path
  /// cannot be read.
  static Result<PrinterColumn> of(std::string_view json_path, std::string_view type);

  /// Returns the cell of an object: the first value at the path, as the column's type shows it; null if there
  /// is none, or one of another type. Dates are shown as their age at `now`.
  /// Rules: k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
  json::Value cell(const json::Value& object, WallTime now) const;

 private:
  enum class Type { text, integer, number, boolean, date, other };
  PrinterColumn(JsonPath path, Type type) : path_(std::move(path)), type_(type) {}

  JsonPath path_;
  Type type_;
};

}  // namespace fairway::apiserver::table

// SPDX-License-Identifier: Apache-2.0

// The report of `fairway convert check`.
#pragma once

#include <string>
#include <vector>

#include "conversion/check/conversion_check.h"

namespace fairway::cli {

/// The parts of a report beside the findings.
struct CheckReport {
  /// Notes for the reader.
  std::vector<std::string> notes = {};
  /// Versions that objects may be stored in and the definition no longer has.
  std::vector<std::string> dropped_versions = {};
  /// Faults of the definition itself, for which API servers refuse it.
  std::vector<std::string> definition_problems = {};
  /// The reason why the check ended early; empty: it did not.
  std::string ended = {};
};

/// Returns the report as text for people: what was checked, each cause with examples, and the notes.
std::string text_report(const conversion::ConversionCheck& check, const CheckReport& report);
/// Returns the report as a line of JSON.
std::string json_report(const conversion::ConversionCheck& check, const CheckReport& report);

}  // namespace fairway::cli

// SPDX-License-Identifier: Apache-2.0

// Test kit: round trips of random objects between versions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::testing {

struct RoundTripOptions {
  /// Objects for each ordered pair of versions.
  int objects = 200;
  std::uint64_t seed = 1;
  /// Accept errors of steps: objects that a version cannot represent are skipped.
  bool allow_errors = false;
  /// Failures to report before stopping.
  std::size_t most_failures = 5;
};

/// Converts random objects of each version with a schema to each other version and back, and does a server's
/// part in between: prunes them by the version's schema, and sets its defaults, or not. The result must equal
/// the original with defaults. Returns a line for each failure, with the object before and after; empty on
/// success. The converters must be prepared.
std::vector<std::string> check_round_trips(const conversion::Converters& converters,
                                           const k8s::CustomResourceDefinition& definition,
                                           const RoundTripOptions& options = {});

}  // namespace fairway::testing

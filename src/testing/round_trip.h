// SPDX-License-Identifier: Apache-2.0

// Test kit: round trips of objects between versions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::testing {

struct RoundTripOptions {
  /// Random objects of each version.
  int objects = 200;
  std::uint64_t seed = 1;
  /// Accept errors of steps: objects that a version cannot represent are skipped.
  bool allow_errors = false;
  /// Failures to report before stopping.
  std::size_t most_failures = 5;
  /// Objects to check beside the random ones, each in its own version (`read_corpus`, `list_corpus`). Those
  /// of other kinds are left out.
  std::vector<k8s::Dynamic> corpus = {};
  /// Fields that a trip may lose or change, with all that is in them: "spec.mode", "spec.ports[].name". Every
  /// other one has to come back.
  std::vector<std::string> lossy = {};
};

/// Converts random objects of each version with a schema, and those of the corpus, to each other version and
/// back, and does a server's part in between: prunes them by the version's schema, and sets its defaults, or
/// not. The checks:
/// - what comes back equals the original with defaults, but for `lossy`;
/// - defaults are stable: filled in once more, they change nothing;
/// - a second trip changes nothing that the first one did not;
/// - it does not matter for what comes out whether an object goes through the versions in between.
///
/// Returns a line for each failure, with the smallest object that is found to show it; empty on success.
/// Failures that differ by values alone are one. The converters must be prepared.
std::vector<std::string> check_round_trips(const conversion::Converters& converters,
                                           const k8s::CustomResourceDefinition& definition,
                                           const RoundTripOptions& options = {});

}  // namespace fairway::testing

// Test kit: what goes to another version and back is the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::conversion {

struct RoundTripOptions {
  /// Objects for each ordered pair of versions.
  int objects = 200;
  std::uint64_t seed = 1;
  /// Take an error of a step for an answer: objects that a version cannot hold at all are passed over.
  bool allow_errors = false;
  /// Failures to report before giving up.
  std::size_t most_failures = 5;
};

/// Converts random objects of each version with a schema to each other version and back, with what a server
/// does between: prune each by its version's schema, and fill in its defaults, or not. The object must be the
/// same again; defaults are filled in before. The result has a line for each failure, with the object and how
/// it came back; none is well. The converters must be prepared.
std::vector<std::string> check_round_trips(const Converters& converters,
                                           const k8s::CustomResourceDefinition& definition,
                                           const RoundTripOptions& options = {});

}  // namespace fairway::conversion

// SPDX-License-Identifier: Apache-2.0

// Test kit: random objects of a structural schema.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::testing {

/// Generates objects that are valid for a version's schema: optional fields present or absent, lists and maps
/// with a few items (with unique keys where required), within limits, enums and date formats. A string with a
/// pattern is its default, its example or its first enum; without any, it is omitted if optional. CEL
/// validation rules are ignored.
///
/// Deterministic: the same seed gives the same objects on every machine.
class RandomObjects {
 public:
  /// `version` is one of the definition's; the definition must outlive this.
  RandomObjects(const k8s::CustomResourceDefinition& definition, std::string version, std::uint64_t seed);

  /// A new object, with a name, and a namespace if its kind has one.
  k8s::Dynamic next();

 private:
  std::uint64_t below(std::uint64_t limit) { return limit > 0 ? random_() % limit : 0; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  json::Value value(const json::Object& schema, int depth);
  json::Value object(const json::Object& schema, int depth, bool is_resource);
  json::Value list(const json::Object& schema, int depth);
  json::Value text(const json::Object& schema);
  json::Value integer(const json::Object& schema);
  json::Value number(const json::Object& schema);
  json::Value anything(int depth);
  std::string word();

  const k8s::CustomResourceDefinition& definition_;
  std::string version_;
  json::Object schema_;
  std::mt19937_64 random_;
  std::uint64_t made_ = 0;
};

}  // namespace fairway::testing

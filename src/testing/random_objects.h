// SPDX-License-Identifier: Apache-2.0

// Test kit: random objects of a structural schema.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::testing {

/// Generates objects that are valid for a version's schema and its CEL rules: optional fields present or
/// absent, lists and maps with a few items (with unique keys where required), within limits, enums, formats
/// and patterns. Of several attempts the first valid object is taken; where none is valid, because a rule is
/// hard to meet by chance, `next` returns one that `is_valid` refuses.
///
/// Deterministic: the same seed gives the same objects on every machine.
class RandomObjects {
 public:
  /// `version` is one of the definition's; the definition must outlive this.
  RandomObjects(const k8s::CustomResourceDefinition& definition, std::string version, std::uint64_t seed);

  ~RandomObjects();

  /// Returns a new object, with a name, and a namespace if its kind has one.
  k8s::Dynamic next();
  /// Returns whether an object is valid for the schema and its rules, once defaults are filled in.
  bool is_valid(const json::Object& object) const;

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

  k8s::Dynamic attempt();

  const k8s::CustomResourceDefinition& definition_;
  std::string version_;
  json::Object schema_;
  struct Judge;
  std::unique_ptr<const Judge> judge_;
  std::mt19937_64 random_;
  std::uint64_t made_ = 0;
};

}  // namespace fairway::testing
